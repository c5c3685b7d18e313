"""`amble bench`: runs the scripts in the repository's `benchmarks/` and prints their results."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from amble.cli.progress import progress_bar
from amble.errors import InputError

FOLDER = Path(__file__).parents[3] / "benchmarks"


def print_benchmarks(as_json: bool) -> None:
    """Run every `benchmarks/bench_*.py` and print what its `run() -> dict` returns."""
    scripts = sorted(FOLDER.glob("bench_*.py"))
    if not scripts:
        raise InputError(f"bench: no bench_*.py in '{FOLDER}'; run it in the repository")
    results: dict[str, dict[str, Any]] = {}
    with progress_bar("benchmarks", len(scripts)) as update:
        for done, script in enumerate(scripts):
            results[script.stem.removeprefix("bench_")] = runpy.run_path(str(script))["run"]()
            update(done + 1)
    if as_json:
        print(json.dumps(results, indent=2))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("benchmark", "quantity", "value"):
        table.add_column(heading)
    for name, values in results.items():
        for quantity, value in values.items():
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            table.add_row(name, quantity, shown)
    Console().print(table)
