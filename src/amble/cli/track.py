"""`amble track`: a captured clip becomes a motion that physics allows."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from amble.cli import text
from amble.cli.output import check_outputs, write_one, write_report
from amble.cli.progress import progress_bar
from amble.errors import InputError
from amble.motion.export import WRITERS
from amble.motion.measures import measure
from amble.tracking.flat_body import FlatBody
from amble.tracking.follow import followed, motion_of_file
from amble.tracking.library import BODY
from amble.tracking.spacetime import Iteration, Settings, SpacetimeFailed
from amble.tracking.to_clip import clip_of
from amble.tracking.warp import warped

EPILOG = (
    "Examples:\n\namble track walk.bvh -o walk.png --report walk.json\n\n"
    "amble track walk.bvh --speed 1.2 --turn 15 -o turn.mp4 --save turn.npz\n\n"
    "amble track odd.bvh --match left_knee=Bone17 --match right_knee=Bone18 --up z"
)


def track_command(
    clip: Annotated[Path, typer.Argument(metavar="CLIP", help="Motion capture: .bvh; or a .npz.")],
    output: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help=f"A file to write: {', '.join(WRITERS)}; repeatable."),
    ] = None,
    character: Annotated[str, typer.Option(help="A body on two feet, as for: amble make")] = BODY,
    match: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART=JOINT", help="A joint whose name is not understood; repeatable."
        ),
    ] = None,
    up: Annotated[
        str | None, typer.Option(help="The file's upward axis; found by the legs.")
    ] = None,
    skip: Annotated[
        int | None, typer.Option(help="Frames to leave out; an added T-pose is found.")
    ] = None,
    cycle: Annotated[
        bool | None,
        typer.Option(
            "--cycle/--whole",
            help="Take the cycle that repeats best, or all of it. By default the cycle of a "
            "steady walk or run.",
        ),
    ] = None,
    speed: Annotated[float, typer.Option(help="Of a cycle: times its speed.")] = 1.0,
    stride: Annotated[
        float | None, typer.Option(help="Of a cycle: times its stride; by the root of --speed.")
    ] = None,
    turn: Annotated[float, typer.Option(help="Of a cycle: degrees to the left in it.")] = 0.0,
    cycles: Annotated[int, typer.Option(help="Cycles that a turn takes.")] = 1,
    shown: Annotated[int, typer.Option(help="Cycles in the files that are written.")] = 3,
    save: Annotated[Path | None, typer.Option(help="Keep the reference in this .npz file.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write what was measured to this .json file.")
    ] = None,
) -> int:
    """Make a captured clip obey physics: fit it to a body, find its contacts, optimise it."""
    files = output or []
    check_outputs([*files, *([save] if save else [])], report)
    if save is not None and save.suffix.lower() != ".npz":
        raise InputError(f"{save}: a reference is saved as .npz")
    begin = time.perf_counter()
    body = FlatBody(text.read_character(character))
    names = dict(_read_match(each) for each in match or [])
    motion = motion_of_file(body, clip, cycle=cycle, names=names, up=up, skip=skip)
    if (speed, stride, turn) != (1.0, None, 0.0):
        if not motion.periodic:
            raise InputError(f"{clip}: is no steady cycle, which --speed, --stride and --turn need")
        motion = warped(
            body, motion, speed=speed, stride=stride, angle=math.radians(turn), cycles=cycles
        )
    settings = Settings()
    try:
        with progress_bar(f"optimising {clip.name}", 1.0) as update:
            found = followed(body, motion, settings, lambda done: update(_share(done, settings)))
    except SpacetimeFailed as error:
        raise SpacetimeFailed(f"{clip}: {error}", error.best) from None
    reference = found.reference
    made = clip_of(body, reference, max(shown, 1))
    result: dict[str, Any] = {
        "scenario": "track",
        "character": body.character.name,
        "seed": 0,
        "seconds": made.seconds,
        "compute_seconds": time.perf_counter() - begin,
        "compute_per_second": (time.perf_counter() - begin) / max(made.seconds, 1e-9),
        "reached_goal": True,
        "reason": "consistent with physics",
        "measures": measure(made)
        | {
            "joint_deviation_deg": found.joint_deviation_deg,
            "root_deviation_mm": found.root_deviation_mm,
            "cycle": reference.periodic,
            "reference_seconds": reference.seconds,
        },
    }
    for path in files:
        write_one(made, path)
    if save is not None:
        reference.save(save)
    if report is not None:
        write_report(result, report)
    kind = "a cycle" if reference.periodic else "all"
    print(
        f"track · {body.character.name}: {kind} of {reference.seconds:.2f} s is consistent; joints "
        f"{found.joint_deviation_deg:.1f}° and root {found.root_deviation_mm:.0f} mm from the "
        f"capture; {result['compute_seconds']:.1f} s computed"
    )
    for path in [*files, *(each for each in (save, report) if each is not None)]:
        print(f"  wrote {path}")
    return 0


def _share(done: Iteration, settings: Settings) -> float:
    """How far along by the size of the last step, which shrinks by powers."""
    begin, end = math.log(settings.longest), math.log(settings.step)
    return min(max((begin - math.log(max(done.step, settings.step))) / (begin - end), 0.02), 1.0)


def _read_match(words: str) -> tuple[str, str]:
    part, equals, joint = words.partition("=")
    if not (equals and part.strip() and joint.strip()):
        raise InputError(f"--match '{words}': give PART=JOINT, for example left_knee=LeftLeg")
    return part.strip().replace("-", "_"), joint.strip()
