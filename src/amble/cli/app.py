"""The commands. Exit code 0: done; 1: the goal was not reached; 2: bad input, nothing was done."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.exceptions import TyperException

import amble
from amble.characters import character_names
from amble.cli import text, track
from amble.cli.output import check_outputs, write_evidence, write_one, write_outputs, write_report
from amble.cli.progress import progress_bar
from amble.errors import AmbleError, InputError
from amble.motion.browser import require_viser
from amble.motion.export import WRITERS
from amble.scenarios import Change, Growth, Outcome, Scenario, scenario, scenario_names
from amble.terrain import parse_terrain, terrain_names
from amble.world import SimulationDiverged

app = typer.Typer(
    name="amble",
    help="Bodies that move by physics: people, robots, quadrupeds, a desk lamp, an ostrich.",
    epilog="Start with: amble list\n\nand: amble make balance-push -o push.mp4",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
characters_app = typer.Typer(help="The library's bodies, and what is found in a model file.")
app.add_typer(characters_app, name="characters")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def run(arguments: Sequence[str]) -> int:
    """Run one command; foreseen errors become one line on stderr and an exit code."""
    try:
        return int(app(list(arguments) or ["--help"], standalone_mode=False) or 0)
    except (TyperException, AmbleError) as error:
        message = error.format_message() if isinstance(error, TyperException) else str(error)
        print(f"amble: {' '.join(message.split())}", file=sys.stderr)
        return 1 if isinstance(error, AmbleError) and not isinstance(error, InputError) else 2


def _version(wanted: bool) -> None:
    if wanted:
        print(f"amble {amble.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    pass


@app.command("list", epilog="Examples:\n\namble list\n\namble list balance-squat")
def list_command(
    name: Annotated[str | None, typer.Argument(help="A scenario, to see its parameters.")] = None,
    as_json: AsJson = False,
) -> None:
    """Scenarios and characters, by family; with a name, the parameters of that scenario."""
    chosen = [scenario(name)] if name is not None else [scenario(each) for each in scenario_names()]
    if as_json:
        content: dict[str, Any] = {"scenarios": [_as_json(each) for each in chosen]}
        if name is None:
            content["characters"] = list(character_names())
        _print_json(content)
        return
    console = Console()
    if name is not None:
        _print_parameters(console, chosen[0])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("scenario", "family", "seconds", "what it shows"):
        table.add_column(heading, justify="right" if heading == "seconds" else "left")
    for each in chosen:
        table.add_row(each.name, each.family, f"{each.seconds:g}", each.summary)
    console.print(table)
    console.print("\n[bold]characters[/]  " + ", ".join(character_names()))
    console.print(
        "\n[bold]--world[/]  mujoco; for balance, jump and walk also optimiser; lcp for track"
    )
    console.print("\nParameters: amble list SCENARIO. A video: amble make SCENARIO -o x.mp4")


@app.command(
    "make",
    epilog="Examples:\n\n"
    "amble make balance-push -o push.mp4 -o push.png\n\n"
    "amble make balance --push 1:thorax:150:90:0.1 --report report.json\n\n"
    "amble make balance-squat --character baby --set frequency=0.7 -o squat.npz\n\n"
    "amble make balance --character humanoid:height=1.6,mass=60 --seconds 3\n\n"
    "amble make balance --at 1:left_forearm.length=2 --at 3:com_height=-0.1 -o grow.png\n\n"
    "amble make balance-push --plot forces.svg\n\n"
    "amble make balance --terrain slope:degrees=5 --noise 0.05 --seed 7 -o slope.npz\n\n"
    "amble make humanoid-walk --at 3:speed=2.5 --at 6:heading=90 -o run.mp4 --plot forces.png\n\n"
    "amble make anymal-trot --script wishes.yaml --terrain noise:amplitude=0.1 -o trot.mp4",
)
def make_command(
    name: Annotated[str, typer.Argument(metavar="SCENARIO", help="A name from: amble list")],
    output: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help=f"A file to write: {', '.join(WRITERS)}; repeatable."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="How long, in seconds.")] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter; repeatable."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write what was measured to this .json file.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Plot forces of feet, or what is compared, to this .png, .svg or .pdf."),
    ] = None,
    character: Annotated[
        str | None,
        typer.Option(
            help="A library name or an MJCF or URDF file; NAME:height=1.6,mass=60 and "
            "NAME:left_thigh.length=1.5 (or girth, mass) change its size."
        ),
    ] = None,
    world: Annotated[
        str | None,
        typer.Option(
            help="mujoco: physics. optimiser (balance, jump, walk): the controller's own "
            "accelerations at 100 Hz, a fast preview. lcp (track): rigid contact at 120 Hz, the "
            "default there."
        ),
    ] = None,
    terrain: Annotated[
        str | None,
        typer.Option(
            help=f"The ground: {', '.join(terrain_names())}, with their parameters, as in "
            "slope:degrees=5; @ moves it and + joins several: flat+stairs:rise=0.1@x=2."
        ),
    ] = None,
    push: Annotated[
        list[str] | None,
        typer.Option(
            metavar="T:BODY:NEWTON:DEGREES:SECONDS",
            help="A push at time T; 0° is forward, 90° to the left; repeatable.",
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="T:KEY=VALUE",
            help="Change a parameter at time T, or a part's size within a second from then on: "
            "3:left_thigh.length=1.5; repeatable.",
        ),
    ] = None,
    script: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.yaml",
            help="Changes over time, as a list of {at: 3, speed: 1.2, heading: 90}.",
        ),
    ] = None,
    noise: Annotated[
        float,
        typer.Option(help="Deviation of random first joint angles (rad) and velocities (rad/s)."),
    ] = 0.0,
) -> int:
    """Make the motion of a scenario, write the files asked for, and say how it went."""
    chosen = scenario(name)
    files = output or []
    check_outputs(files, report, plot)
    wishes = [text.read_change(each) for each in at or []]
    request = chosen.request(
        character=text.read_character(character) if character is not None else None,
        seconds=seconds,
        seed=seed,
        settings=text.read_settings(settings or []),
        pushes=tuple(text.read_push(each) for each in push or []),
        changes=(
            *(text.read_script_changes(script) if script is not None else ()),
            *(change for change in wishes if isinstance(change, Change)),
        ),
        growths=tuple(growth for growth in wishes if isinstance(growth, Growth)),
        noise=noise,
        world=world,
        terrain=parse_terrain(terrain) if terrain is not None else None,
    )
    wanted = [*files, *(path for path in (report, plot) if path is not None)]
    try:
        with progress_bar(f"{chosen.verb} {chosen.name}", request.seconds) as update:
            outcome = chosen.make(request, progress=update)
    except SimulationDiverged as error:  # before the first frame, so that there is no clip
        _print_divergence(str(error), write_evidence(error.evidence, wanted))
        return 1
    written = write_outputs(outcome, files, plot)
    if report is not None:
        write_report(outcome.report, report)
        written.append(report)
    _print_summary(outcome, written)
    if outcome.evidence is not None:
        _print_divergence(outcome.reason, write_evidence(outcome.evidence, wanted))
    return 0 if outcome.reached_goal else 1


@characters_app.callback(
    invoke_without_command=True,
    epilog="Examples:\n\namble characters\n\namble characters describe robot.urdf",
)
def characters_command(context: typer.Context, as_json: AsJson = False) -> None:
    """The library's bodies: degrees of freedom, mass, legs."""
    if context.invoked_subcommand:
        return
    bodies = [text.read_character(name) for name in character_names()]
    rows = [
        {
            "name": body.name,
            "dof": body.dof,
            "mass_kg": round(body.mass, 2),
            "legs": sum(limb.kind == "leg" for limb in body.limbs),
            "end_effectors": [effector.name for effector in body.end_effectors],
            "source": " ".join(body.source.split()),
        }
        for body in bodies
    ]
    if as_json:
        _print_json(rows)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("character", "DoF", "mass [kg]", "legs", "touches with"):
        table.add_column(escape(heading))
    for row, body in zip(rows, bodies, strict=True):
        figures = (f"{body.dof}", f"{body.mass:.1f}", f"{row['legs']}")
        table.add_row(body.name, *figures, ", ".join(e.name for e in body.end_effectors))
    Console().print(table)


@characters_app.command("describe", epilog="Example: amble characters describe robot.urdf")
def describe_command(
    name: Annotated[str, typer.Argument(metavar="NAME_OR_FILE", help="A body or a model file.")],
) -> None:
    """What amble found in a body: limbs, feet, contact points, limits, and how to correct it."""
    from amble.characters.describe import describe

    print(describe(text.read_character(name)))


@app.command(
    "show",
    epilog="Examples:\n\n"
    "amble show walk.npz\n\n"
    "amble show walk.npz -o walk.html\n\n"
    "amble show walk.npz -o walk.glb -o walk.usda\n\n"
    "amble show capture.bvh --scale 0.01 --skip 1",
)
def show_command(
    clip: Annotated[Path, typer.Argument(metavar="CLIP", help="A clip: .npz, or .bvh.")],
    output: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help=f"Write a file instead: {', '.join(WRITERS)}."),
    ] = None,
    scale: Annotated[float, typer.Option(help="Of .bvh: metres of its unit; 0.01 for cm.")] = 1.0,
    up: Annotated[str, typer.Option(help="Of .bvh: its upward axis, x, y, z, -x, -y or -z.")] = "y",
    forward: Annotated[
        str | None, typer.Option(help="Of .bvh: its forward axis; z where y is up.")
    ] = None,
    skip: Annotated[int, typer.Option(help="Of .bvh: frames to leave out at its beginning.")] = 0,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; the next free one if it is taken.")] = 8080,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = True,
) -> int:
    """Play a saved clip in the browser, or write it to files of other kinds."""
    from amble.cli.browse import load_clip, serve

    files = output or []
    check_outputs(files)
    if not files:
        require_viser()
    loaded = load_clip(clip, scale, up, forward, skip)
    if files:
        for path in files:
            write_one(loaded, path)
            print(f"  wrote {path}")
        return 0
    from amble.studio.show import Show

    return serve(Show(loaded, clip.name, host, port), host, open_page)


@app.command(
    "studio",
    epilog="Examples:\n\namble studio\n\n"
    "amble studio --character anymal --terrain noise:amplitude=0.1 --port 9000\n\n"
    "amble studio --scenario walk-sad\n\n"
    "amble studio --scenario walk.npz",
)
def studio_command(
    character: Annotated[
        str,
        typer.Option(
            help="A library name, or an MJCF or URDF file in the working folder; without it the "
            "scenario's own, a person."
        ),
    ] = "",
    terrain: Annotated[str, typer.Option(help="The ground, as for: amble make")] = "",
    scenario: Annotated[
        str,
        typer.Option(help="What to begin with: a name from amble list, or a clip's file."),
    ] = "",
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; the next free one if it is taken.")] = 8080,
    clients: Annotated[int, typer.Option(help="How many pages may be open at once.")] = 8,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = True,
) -> int:
    """Steer, push and reshape characters in the browser, record them, and save what you see."""
    require_viser()
    from amble.cli.browse import serve
    from amble.studio.setting import Setting
    from amble.studio.studio import Studio

    setting = Setting(character, terrain, scenario=scenario)
    return serve(Studio(setting, host, port, clients), host, open_page)


app.command("track", epilog=track.EPILOG)(track.track_command)


@app.command("bench", epilog="Example: amble bench --json > bench.json")
def bench_command(as_json: AsJson = False) -> None:
    """How fast amble is on this machine."""
    from amble.cli.bench import print_benchmarks

    print_benchmarks(as_json)


def _print_json(content: Any) -> None:
    print(json.dumps(content, indent=2, ensure_ascii=False))


def _as_json(each: Scenario) -> dict[str, Any]:
    return {
        "name": each.name,
        "family": each.family,
        "summary": each.summary,
        "seconds": each.seconds,
        "character": each.character,
        "worlds": list(each.worlds),
        "parameters": [
            {
                "name": info.name,
                "default": info.default,
                "unit": info.unit,
                "doc": info.doc,
                "allowed": info.allowed,
            }
            for info in each.settings.values()
        ],
    }


def _print_parameters(console: Console, each: Scenario) -> None:
    console.print(f"[bold]{each.name}[/]: {each.summary} ({each.seconds:g} s, {each.character})\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("parameter", "default", "unit", "allowed", "meaning"):
        table.add_column(heading)
    for info in each.settings.values():
        words = (info.name, str(info.default), info.unit, info.allowed, info.doc)
        table.add_row(*map(escape, words))
    console.print(table)
    console.print("\n--world  " + " or ".join(each.worlds))


def _print_divergence(reason: str, evidence: Path) -> None:
    print(f"amble: {reason}; its last second is in {evidence}", file=sys.stderr)


def _print_summary(outcome: Outcome, written: Sequence[Path]) -> None:
    report = outcome.report
    ratio = 1.0 / max(report["compute_per_second"], 1e-9)
    print(
        f"{report['scenario']} · {report['character']}: {outcome.reason}; "
        f"{report['seconds']:.1f} s made, {ratio:.1f} × real time"
    )
    measures = report["measures"]
    shown = ("com_drift_mm", "max_lean_deg", "max_torque_ratio", "momentum_residual")
    print("  " + ", ".join(f"{key} {measures[key]:.3g}" for key in shown if key in measures))
    for note in report.get("notes", ()):
        print(f"  note: {note}")
    for path in written:
        print(f"  wrote {path}")
