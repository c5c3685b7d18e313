"""Laws of the source itself: import order, file length, no asserts, a README that is true."""

from __future__ import annotations

import ast
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from amble import _core
from amble.cli.app import app
from amble.cli.text import read_character, read_push

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "amble"
FILES = sorted(SOURCE.rglob("*.py"))
ORDER = (
    *("errors", "parameters", "geometry", "solvers", "_core", "characters", "terrain", "motion"),
    *(
        "sketch",
        "plan",
        "pose",
        "features",
        "control",
        "world",
        "planner",
        "tracking",
        "scenarios",
        "studio",
        "cli",
    ),
)
FACADE = {"__init__", "__main__"}  # the package's public names stand above the order


def _folder(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imports(path: Path) -> set[str]:
    """The folders of amble that a file imports from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("amble.")}
    return {name for name in found if (SOURCE / name).exists() or (SOURCE / f"{name}.py").exists()}


def test_every_folder_has_its_place_in_the_order() -> None:
    assert {_folder(path) for path in FILES} <= {*ORDER, *FACADE}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_up_the_order_only(path: Path) -> None:
    folder = _folder(path)
    allowed = set(ORDER) if folder in FACADE else set(ORDER[: ORDER.index(folder) + 1])
    assert _imports(path) <= allowed


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_are_short_and_hold_no_asserts(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    assert not [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]


def test_the_stub_names_what_the_compiled_core_has() -> None:
    stub = ast.parse((SOURCE / "_core.pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            found = {name for name in dir(getattr(_core, node.name)) if not name.startswith("_")}
            told = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}  # type: ignore[union-attr]
            told |= {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            assert told - {"__init__"} == found, node.name


def _commands(document: str) -> list[str]:
    text = (ROOT / document).read_text()
    return re.findall(r"^ {4}(amble .*|make .*)$", text, flags=re.MULTILINE)


def test_readme_commands_exist() -> None:
    import typer.main

    group = typer.main.get_command(app)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    commands = _commands("README.md")
    assert len(commands) >= 4
    for command in commands:
        program, *words = shlex.split(command, comments=True)
        if program == "make":
            assert set(words) <= targets, command
            continue
        found = group.commands[words[0]]  # type: ignore[attr-defined]
        options = {name for parameter in found.params for name in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= options, command


def test_readme_pushes_name_parts_that_the_character_has() -> None:
    for command in _commands("README.md"):
        words = shlex.split(command, comments=True)
        given = dict(pairwise(words))
        if "--push" in given:
            body = read_character(given.get("--character", "humanoid"))
            assert body.part(read_push(given["--push"]).part)
