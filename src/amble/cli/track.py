"""`amble track`: a captured clip becomes a motion that physics allows."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from amble.cli import text
from amble.cli.output import check_outputs, write_one, write_report
from amble.cli.progress import progress_bar
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.export import WRITERS
from amble.motion.measures import measure
from amble.scenarios.scenario import LONGEST, SHORTEST
from amble.scenarios.track import following
from amble.tracking.flat_body import FlatBody
from amble.tracking.follow import Followed, followed, motion_of_file
from amble.tracking.library import BODY
from amble.tracking.motion import Motion
from amble.tracking.reference import Reference
from amble.tracking.spacetime import Iteration, Settings, SpacetimeFailed
from amble.tracking.to_clip import clip_of
from amble.tracking.warp import motion_of, warped

EPILOG = (
    "Examples:\n\namble track walk.bvh -o walk.png --report walk.json\n\n"
    "amble track walk.bvh --simulate --seconds 30 --save walk.npz -o walk.mp4\n\n"
    "amble track walk.npz --simulate --push 2:thorax:100:90:0.1 -o push.png\n\n"
    "amble track walk.bvh --speed 1.2 --turn 15 -o turn.mp4 --save turn.npz\n\n"
    "amble track odd.bvh --match left_knee=Bone17 --match right_knee=Bone18 --up z"
)


def track_command(
    clip: Annotated[
        Path,
        typer.Argument(
            metavar="CLIP", help="Motion capture, .bvh; or a .npz: a clip, or a --save."
        ),
    ],
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
    simulate: Annotated[
        bool,
        typer.Option(
            "--simulate", help="Let a controller follow it in physics; the files then show that."
        ),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Of the simulation; by default what --shown says.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A parameter of track-walk's for it; repeatable."
        ),
    ] = None,
    world: Annotated[str | None, typer.Option(help="Its physics: lcp or mujoco.")] = None,
    push: Annotated[
        list[str] | None,
        typer.Option(metavar="T:BODY:NEWTON:DEGREES:SECONDS", help="A push in it; repeatable."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Keep what its controller is made of in this .npz file, a CLIP, too."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write what was measured to this .json file.")
    ] = None,
) -> int:
    """Make a captured clip obey physics: fit it to a body, find its contacts, optimise it, and
    with --simulate follow it in physics."""
    files = output or []
    check_outputs([*files, *([save] if save else [])], report)
    if save is not None and save.suffix.lower() != ".npz":
        raise InputError(f"{save}: a reference is saved as .npz")
    only = {"--seconds": seconds, "--set": settings, "--world": world, "--push": push}
    for option, value in only.items():
        if value is not None and not simulate:
            raise InputError(f"{option} is for simulations: give --simulate, too")
    begin = time.perf_counter()
    body = FlatBody(text.read_character(character))
    warp = _Warp(speed, stride, turn, cycles)
    names = dict(_read_match(each) for each in match or [])
    found = _saved(clip, body)
    own = found is None  # and so there is a capture to compare with
    if found is None:
        motion = motion_of_file(body, clip, cycle=cycle, names=names, up=up, skip=skip)
        found = _optimised(body, warp.of(body, motion, clip), clip)
    elif warp.changes or names or cycle is not None:
        raise InputError(f"{clip}: is a saved controller, which is followed as it is")
    reference, shown = found.reference, max(shown, 1)
    told = {"cycle": reference.periodic, "reference_seconds": reference.seconds}
    if own:
        told["joint_deviation_deg"] = found.joint_deviation_deg
        told["root_deviation_mm"] = found.root_deviation_mm
    if simulate:
        length = reference.seconds * (shown if reference.periodic else 1)
        chosen = following(reference, min(max(length, SHORTEST), LONGEST))
        request = chosen.request(
            body.character,
            seconds,
            settings=text.read_settings(settings or []),
            pushes=tuple(text.read_push(each) for each in push or []),
            world=world,
        )
        with progress_bar(f"following {clip.name}", request.seconds) as update:
            outcome = chosen.make(request, progress=update)
        made, result = outcome.clip, dict(outcome.report)
        result["compute_seconds"] = time.perf_counter() - begin
        result["compute_per_second"] = result["compute_seconds"] / max(made.seconds, 1e-9)
        result["measures"] = {**result["measures"], **told}
    else:
        made = clip_of(body, reference, shown)
        result = _report(made, time.perf_counter() - begin, told)
    for path in files:
        write_one(made, path)
    if save is not None:
        reference.save(save)
    if report is not None:
        write_report(result, report)
    kind = "a cycle" if reference.periodic else "all"
    away = (
        f"joints {found.joint_deviation_deg:.1f}° and root {found.root_deviation_mm:.0f} mm from "
        "the capture; "
    )
    print(
        f"track · {body.character.name}: {kind} of {reference.seconds:.2f} s is consistent; "
        f"{away if own else ''}{result['compute_seconds']:.1f} s computed"
    )
    if simulate:
        print(f"  followed for {made.seconds:.1f} s: {result['reason']}")
    for path in [*files, *(each for each in (save, report) if each is not None)]:
        print(f"  wrote {path}")
    return 0 if result["reached_goal"] else 1


@dataclass(frozen=True)
class _Warp:
    """How a cycle is to be bent."""

    speed: float
    stride: float | None
    turn: float
    cycles: int

    @property
    def changes(self) -> bool:
        return (self.speed, self.stride, self.turn) != (1.0, None, 0.0)

    def of(self, body: FlatBody, motion: Motion, clip: Path) -> Motion:
        if not self.changes:
            return motion
        if not motion.periodic:
            raise InputError(f"{clip}: is no steady cycle, which --speed, --stride and --turn need")
        return warped(
            body,
            motion,
            speed=self.speed,
            stride=self.stride,
            angle=math.radians(self.turn),
            cycles=self.cycles,
        )


def _saved(clip: Path, body: FlatBody) -> Followed | None:
    """A controller that was saved before; nothing for clips."""
    if clip.suffix.lower() != ".npz" or not clip.exists():
        return None
    try:
        reference = Reference.load(clip)
    except InputError as error:
        if "damaged" in str(error):
            raise
        return None
    if reference.character != body.character.name or reference.q.shape[1] != body.n:
        raise InputError(f"{clip}: is for '{reference.character}', not for '{body.character.name}'")
    return Followed(motion_of(reference), reference)


def _optimised(body: FlatBody, motion: Motion, clip: Path) -> Followed:
    settings = Settings()
    try:
        with progress_bar(f"optimising {clip.name}", 1.0) as update:
            return followed(body, motion, settings, lambda done: update(_share(done, settings)))
    except SpacetimeFailed as error:
        raise SpacetimeFailed(f"{clip}: {error}", error.best) from None


def _report(made: Clip, computed: float, told: dict[str, Any]) -> dict[str, Any]:
    return {
        "scenario": "track",
        "character": made.character.name,
        "seed": 0,
        "seconds": made.seconds,
        "compute_seconds": computed,
        "compute_per_second": computed / max(made.seconds, 1e-9),
        "reached_goal": True,
        "reason": "consistent with physics",
        "measures": measure(made) | told,
    }


def _share(done: Iteration, settings: Settings) -> float:
    """How far along by the size of the last step, which shrinks by powers."""
    begin, end = math.log(settings.longest), math.log(settings.step)
    return min(max((begin - math.log(max(done.step, settings.step))) / (begin - end), 0.02), 1.0)


def _read_match(words: str) -> tuple[str, str]:
    part, equals, joint = words.partition("=")
    if not (equals and part.strip() and joint.strip()):
        raise InputError(f"--match '{words}': give PART=JOINT, for example left_knee=LeftLeg")
    return part.strip().replace("-", "_"), joint.strip()
