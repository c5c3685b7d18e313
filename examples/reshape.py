"""Let a standing person's arms grow while the controller knows nothing of it."""

import amble

person = amble.character("humanoid")
world = amble.MuJoCoWorld(person)
controller = amble.Balance(person, world.model, world.data, world.terrain)


def grow() -> None:
    for part in ("left_upper_arm", "right_upper_arm"):
        world.reshape(part, length=1.05)


clip = amble.simulate(world, controller, 2.0, actions=[(0.1 * k, grow) for k in range(1, 15)])
print(f"arms × {1.05**14:.2f}, mass {person.mass:.1f} → {world.model.body_mass.sum():.1f} kg")
print("fell" if amble.measure(clip)["fell"] else "still standing")
