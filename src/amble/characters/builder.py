"""Builder: a Blueprint becomes a Character, with the rest pose at zero and the soles on z = 0."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from amble.characters.blueprint import (
    PALETTE,
    Ball,
    Blueprint,
    Edge,
    Hinge,
    Palm,
    Point,
    Segment,
    Shape,
    Sole,
)
from amble.characters.character import Character, EndEffector
from amble.errors import InputError
from amble.geometry.rotations import (
    IDENTITY,
    quat_conjugate,
    quat_from_rotvec,
    quat_multiply,
    rotate,
)

# Rotor inertia and friction of a human joint [kg m², N m s/rad]; other bodies by mass × length².
_ARMATURE, _DAMPING = 0.02, 0.5
_HUMAN_MASS, _HUMAN_HEIGHT = 78.0, 1.77
_SIZES = {"height": (0.05, 50.0, "m"), "mass": (0.01, 1e6, "kg")}  # that a simulator can handle
_WIDEST_CONE = 165.0  # [deg] whole angle of a ball joint: arms that reach up
_HIDDEN_GROUP = "3"
_CORNERS = ("left_heel", "right_heel", "left_toe", "right_toe")


@dataclass(frozen=True)
class _Placed:
    """Where a segment is at rest: its joint relative to the root, and its orientation."""

    position: np.ndarray  # (3,) [m]
    quat: np.ndarray  # (4,)


def build(
    blueprint: Blueprint, height: float | None = None, mass: float | None = None
) -> Character:
    """The character at a size: lengths scale with `height` [m], masses with `mass` [kg], inertias
    with mass × length², torque limits with mass × length."""
    where = f"character '{blueprint.name}'"
    k = positive("height", height, where) / blueprint.height if height is not None else 1.0
    m = positive("mass", mass, where) / blueprint.mass if mass is not None else 1.0
    placed = _rest_placement(blueprint, k)
    drop = min(z for s in blueprint.segments for z in _contact_heights(s, placed[s.name], k))

    size = m * blueprint.mass * (k * blueprint.height) ** 2 / (_HUMAN_MASS * _HUMAN_HEIGHT**2)
    mjcf = ET.Element("mujoco", model=blueprint.name)
    ET.SubElement(mjcf, "compiler", angle="radian", autolimits="true", inertiafromgeom="auto")
    defaults = ET.SubElement(mjcf, "default")
    ET.SubElement(
        defaults, "joint", armature=_text(_ARMATURE * size), damping=_text(_DAMPING * size)
    )
    ET.SubElement(defaults, "geom", contype="0", conaffinity="0", group="1")
    ET.SubElement(defaults, "site", size=_text(0.004 * k * blueprint.height), group=_HIDDEN_GROUP)

    elements: dict[str, ET.Element] = {"": ET.SubElement(mjcf, "worldbody")}
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for segment in blueprint.segments:
        at = np.array([0.0, 0.0, -drop]) if not segment.parent else k * np.array(segment.at)
        body = _body(elements[segment.parent], segment, at)
        elements[segment.name] = body
        rows[segment.name] = _add_joints(body, segment)
        _add_inertia(body, segment, k, m)
        _add_shapes(body, segment, k, m)
        _add_contact(body, segment, placed[segment.name], k)
    # MuJoCo numbers the joints depth first, as the document does, not as the blueprint lists them.
    low, high, torque = np.array(
        [r for body in mjcf.iter("body") for r in rows[body.attrib["name"]]]
    ).T

    ET.indent(mjcf)
    tips = {s.name: s for s in blueprint.segments}
    return Character(
        name=blueprint.name,
        xml=ET.tostring(mjcf, encoding="unicode"),
        root=blueprint.segments[0].name,
        limbs=blueprint.limbs,
        end_effectors=tuple(
            EndEffector(limb.end_effector, limb.end_effector, _site_names(tips[limb.end_effector]))
            for limb in blueprint.limbs
            if limb.end_effector
        ),
        joint_limits=np.column_stack([low, high]),
        torque_limits=torque * m * k,
        parts={segment.name: segment.name for segment in blueprint.segments},
        source=blueprint.source,
    )


def positive(what: str, value: float, where: str) -> float:
    """The value, if it is a number within `_SIZES`; otherwise an `InputError` that says so."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{what} of {where} must be a number, not {value!r}")
    low, high, unit = _SIZES[what]
    if not low <= value <= high:
        raise InputError(
            f"{what} of {where} must be positive, from {low:g} to {high:g} {unit}, not {value:g}"
        )
    return float(value)


def rest_rotation(joint: Ball | tuple[Hinge, ...]) -> np.ndarray:
    """Quaternion (4,) from the parent's frame to the segment's at rest."""
    if isinstance(joint, Ball):
        return quat_from_rotvec(np.radians(joint.rest))
    quat = IDENTITY
    for hinge in joint:
        quat = quat_multiply(quat, quat_from_rotvec(math.radians(hinge.rest) * _unit(hinge.axis)))
    return quat


def _rest_placement(blueprint: Blueprint, k: float) -> dict[str, _Placed]:
    placed: dict[str, _Placed] = {}
    for segment in blueprint.segments:
        parent = placed.get(segment.parent, _Placed(np.zeros(3), IDENTITY))
        offset = rotate(parent.quat, k * np.array(segment.at)) if segment.parent else np.zeros(3)
        quat = quat_multiply(parent.quat, rest_rotation(segment.joint))
        placed[segment.name] = _Placed(parent.position + offset, quat)
    return placed


def _contact_heights(segment: Segment, placed: _Placed, k: float) -> Iterable[float]:
    """Height of the segment's ground contact at rest above the root's origin [m], if it has one."""
    contact = segment.contact
    if isinstance(contact, (Sole, Edge)):
        yield float(placed.position[2]) - k * contact.depth
    if isinstance(contact, Point):
        center = placed.position + rotate(placed.quat, k * np.array(contact.center))
        yield float(center[2]) - k * contact.radius


def _body(parent: ET.Element, segment: Segment, at: np.ndarray) -> ET.Element:
    quat = rest_rotation(segment.joint)
    attributes = {"name": segment.name, "pos": _text(*at)}
    if not np.array_equal(quat, IDENTITY):
        attributes["quat"] = _text(*quat)
    return ET.SubElement(parent, "body", attributes)


def _add_joints(body: ET.Element, segment: Segment) -> list[tuple[float, float, float]]:
    """Adds the joints; returns lowest angle, highest angle [rad] and torque limit of each dof."""
    name, joint = segment.joint_name, segment.joint
    if not segment.parent:
        ET.SubElement(body, "freejoint", name="root")
        return []
    if isinstance(joint, Ball):
        box = np.radians([joint.x, joint.y, joint.z]) - np.radians(joint.rest)[:, None]
        # MuJoCo bounds the whole angle: a cone that cuts off the corners of the box of rotation
        # vectors. Near half a turn these would change their sign.
        farthest = min(float(np.abs(box).max()), math.radians(_WIDEST_CONE))
        ET.SubElement(body, "joint", name=name, type="ball", range=_text(0, farthest))
        return [(float(low), float(high), joint.torque) for low, high in box]

    rows = []
    # At rest, the later hinges of a joint have turned the axes of the earlier ones within the body.
    after = [rest_rotation(joint[i + 1 :]) for i in range(len(joint))]
    for hinge, later in zip(joint, after, strict=True):
        axis = rotate(quat_conjugate(later), _unit(hinge.axis))
        low, high = (math.radians(angle - hinge.rest) for angle in hinge.range)
        full_name = f"{name}_{hinge.suffix}" if hinge.suffix else name
        ET.SubElement(body, "joint", name=full_name, axis=_text(*axis), range=_text(low, high))
        rows.append((low, high, hinge.torque))
    return rows


def _add_inertia(body: ET.Element, segment: Segment, k: float, m: float) -> None:
    if segment.inertia is None:
        return
    mass = segment.mass * m
    gx, gy, gz = (mass * (k * g) ** 2 for g in segment.inertia.gyration)
    com = _text(*(k * np.array(segment.inertia.com)))
    ET.SubElement(body, "inertial", pos=com, mass=_text(mass), diaginertia=_text(gx, gy, gz))


def _add_shapes(body: ET.Element, segment: Segment, k: float, m: float) -> None:
    weights = np.array([shape.volume * shape.density for shape in segment.shapes])
    masses = segment.mass * m * weights / weights.sum()
    # A sole or a point foot has its own contact shape; what is seen there is only seen.
    may_touch = not isinstance(segment.contact, (Sole, Edge, Point))
    for shape, mass in zip(segment.shapes, masses, strict=True):
        attributes = _geom(shape, k) | {"mass": _text(mass)}
        if shape.collides and may_touch:
            attributes |= {"contype": "1", "conaffinity": "2"}
        ET.SubElement(body, "geom", attributes)


def _geom(shape: Shape, k: float) -> dict[str, str]:
    rgb = PALETTE[shape.color] if isinstance(shape.color, str) else shape.color
    attributes = {
        "type": shape.kind,
        "pos": _text(*(k * np.array(shape.center))),
        "size": _text(*(k * np.array(shape.size))),
        "rgba": _text(*rgb, 1),
    }
    if any(shape.turn):
        attributes["quat"] = _text(*quat_from_rotvec(np.radians(shape.turn)))
    return attributes


def _add_contact(body: ET.Element, segment: Segment, placed: _Placed, k: float) -> None:
    """Contact points as sites, in the order of `_CORNERS`, and the shape that collides."""
    to_body = quat_conjugate(placed.quat)
    contact = segment.contact
    hidden = {"contype": "1", "conaffinity": "2", "group": _HIDDEN_GROUP, "mass": "0"}
    points: list[np.ndarray] = []
    if isinstance(contact, Sole):
        thickness = 0.5 * contact.depth
        left, right = contact.side + contact.width / 2, contact.side - contact.width / 2
        corners = [
            (x, y, -contact.depth) for x in (contact.heel, contact.toe) for y in (left, right)
        ]
        points = [rotate(to_body, k * np.array(corner)) for corner in corners]
        middle = ((contact.heel + contact.toe) / 2, contact.side, -contact.depth + thickness / 2)
        half = ((contact.toe - contact.heel) / 2, contact.width / 2, thickness / 2)
        ET.SubElement(
            body,
            "geom",
            {"name": f"{segment.name}_sole", "type": "box", "size": _text(*(k * np.array(half)))}
            | {"pos": _text(*rotate(to_body, k * np.array(middle))), "quat": _text(*to_body)}
            | hidden,
        )
    elif isinstance(contact, Edge):
        ends = np.array([(x, contact.side, -contact.depth) for x in (contact.heel, contact.toe)])
        points = [rotate(to_body, k * end) for end in ends]
        # Its round ends reach beyond heel and toe, so that the straight part touches at both.
        centres = ends + (0.0, 0.0, contact.radius)
        rod = np.concatenate([rotate(to_body, k * centre) for centre in centres])
        attributes = {"name": f"{segment.name}_sole", "type": "capsule", "fromto": _text(*rod)}
        ET.SubElement(body, "geom", attributes | {"size": _text(k * contact.radius)} | hidden)
    elif isinstance(contact, Point):
        center, radius = k * np.array(contact.center), k * contact.radius
        points = [center + rotate(to_body, np.array([0.0, 0.0, -radius]))]
        attributes = {"name": f"{segment.name}_sole", "type": "sphere", "size": _text(radius)}
        ET.SubElement(body, "geom", attributes | {"pos": _text(*center)} | hidden)
    elif isinstance(contact, Palm):
        points = [k * np.array(corner) for corner in contact.corners]
    for name, point in zip(_site_names(segment), points, strict=True):
        ET.SubElement(body, "site", name=name, pos=_text(*point))


def _site_names(segment: Segment) -> tuple[str, ...]:
    if segment.contact is None:
        return ()
    if isinstance(segment.contact, Point):
        return (f"{segment.name}_point",)
    if isinstance(segment.contact, Edge):
        return (f"{segment.name}_heel", f"{segment.name}_toe")
    return tuple(f"{segment.name}_{corner}" for corner in _CORNERS)


def _unit(axis: tuple[float, float, float]) -> np.ndarray:
    return np.array(axis) / np.linalg.norm(axis)


def _text(*numbers: float) -> str:
    """Numbers as MJCF text: twelve digits and no negative zeros, so that equals read equal."""
    return " ".join(f"{round(float(x), 14) + 0.0:.12g}" for x in numbers)
