"""What the documents say is so: their Python and the examples run, their commands are accepted, and
the files that they name exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import amble
from amble.cli import app, bench, browse, output
from amble.scenarios import Scenario
from amble.studio import studio

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)
ROBOT = "my_robot.xml"  # in the commands of the documents: a reader's own file
MADE = ("out/", ".venv/")  # folders that `make` makes


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _run(path: Path, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, path], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


WITH_PYTHON = [document for document in DOCUMENTS[1:] if CODE.search(document.read_text())]


@pytest.mark.parametrize("document", WITH_PYTHON, ids=name)
def test_python_in_a_document_runs(document: Path, tmp_path: Path) -> None:
    """Each block alone, as a reader would copy it."""
    for k, code in enumerate(CODE.findall(document.read_text())):
        script = tmp_path / f"block_{k}.py"
        script.write_text(code)
        assert _run(script, tmp_path).strip()


def test_the_readme_prints_what_it_promises(tmp_path: Path) -> None:
    (code,) = CODE.findall((ROOT / "README.md").read_text())
    script = tmp_path / "readme.py"
    script.write_text(code)
    assert _run(script, tmp_path).split() == ["False", "2.0"]
    assert (tmp_path / "push.npz").exists()


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    assert _run(example, tmp_path).strip()


def anchors(document: Path) -> set[str]:
    """What `#…` may name in a document, as GitHub makes it from the headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_somewhere(document: Path) -> None:
    text = CODE.sub("", document.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        place = (document.parent / file).resolve() if file else document
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


@pytest.fixture(scope="module")
def files() -> list[str]:
    """All files of the repository that a document may speak of, and their folders with a slash."""
    names = [path.name for path in ROOT.iterdir() if path.is_file()]
    for folder in ("src", "tests", "docs", "examples", "benchmarks", ".ci"):
        for path in (ROOT / folder, *(ROOT / folder).rglob("*")):
            names.append(name(path) + ("/" if path.is_dir() else ""))
    return [f"/{each}" for each in names]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_files_that_a_document_names_exist(document: Path, files: list[str]) -> None:
    """Words in backticks that are paths: with a slash and an ending, or a slash at the end."""
    for word in re.findall(r"`([\w.\-/]+)`", CODE.sub("", document.read_text())):
        is_path = "/" in word and (word.endswith("/") or re.search(r"\.\w+$", word))
        if (is_path and word not in MADE) or word.endswith((".md", ".cff")):
            assert any(file.endswith(f"/{word}") for file in files), word


def commands(document: Path) -> Iterator[list[str]]:
    """The words after `amble` of every command in a document, in blocks and in backticks.

    Words in capitals stand for what the reader puts there: such a line is no command, nor is
    `amble make` without a scenario, `amble show` without a clip.
    """
    text = CODE.sub("", document.read_text()).replace("\\\n", " ")
    blocks = re.findall(r"^(?: {4}|\$ )?(amble .+)$", text, flags=re.MULTILINE)
    for line in (*blocks, *re.findall(r"`(amble [^`]+)`", text)):
        words = shlex.split(line.partition(" > ")[0], comments=True)[1:]
        if words not in (["make"], ["show"]) and not any(
            word.isupper() or word == "…" for word in words
        ):
            yield words


class Accepted(Exception):
    """The command was understood and all that it names exists; the work would begin now."""


def _accept(*arguments: Any, **options: Any) -> None:
    raise Accepted


class _NoDrawing:
    def free(self) -> None:
        pass


ALL = [(document, words) for document in DOCUMENTS for words in commands(document)]


def test_there_are_commands_in_the_documents() -> None:
    assert len(ALL) > 20


@pytest.mark.parametrize(
    ("document", "words"), ALL, ids=[f"{d.name}: {' '.join(words)}" for d, words in ALL]
)
def test_commands_in_the_documents_are_accepted(
    document: Path, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Scenario, "make", _accept)
    monkeypatch.setattr(bench, "print_benchmarks", _accept)
    monkeypatch.setattr(browse, "load_clip", _accept)
    monkeypatch.setattr(studio, "Studio", _accept)
    monkeypatch.setattr(output, "create_context", lambda width, height: _NoDrawing())
    if ROBOT in words:
        (tmp_path / ROBOT).write_text(amble.character("cassie").xml)
    if words[0] in ("make", "bench", "show", "studio"):
        with pytest.raises(Accepted):
            assert app.run(words) == 0
    else:
        assert app.run(words) == 0
