"""Walk where told: wishes from a file and wishes on the spot, a push, and a clip of it all."""

from pathlib import Path

import amble
from amble.planner.recording import Recording

FPS = 60
person = amble.character("humanoid")
wishes = amble.read_script(Path(__file__).with_name("wishes.yaml"))

planner = amble.Planner(person, command=wishes.at(0.0))
planner.push(amble.Push("thorax", force_w=(0, -200, 0), start=4.5, seconds=0.2))
recording = Recording(person, planner.body, planner.terrain, FPS)
changes = list(wishes.changes[1:])
for frame in planner.frames(seconds=12, fps=FPS):
    recording.add(frame)
    while changes and changes[0][0] <= frame.time:
        planner.command(**changes.pop(0)[1])  # as `planner.command(heading=90)` would at any time

clip = recording.clip(planner.events, "walk where told")
clip.save("walk_where_told.npz")
for event in planner.events:
    if event.kind in ("command", "push", "limit", "plan_failure", "fall"):
        print(f"{event.time:5.2f} s  {event.kind} {event.what}")
found = amble.measure(clip)
print(f"{found['distance_m']:.1f} m, {found['plans']} plans, fell: {found['fell']}")
