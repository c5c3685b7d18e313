"""A progress bar on stderr for work that takes longer than a moment, only on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE = 2.0  # [s] of silence before the bar appears


@contextmanager
def progress_bar(label: str, total: float) -> Iterator[Callable[[float], None]]:
    """Yields a function to call with what is done of `total` so far."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=total, visible=False)
        begin = time.monotonic()

        def update(done: float) -> None:
            bar.update(task, completed=done, visible=time.monotonic() - begin > PATIENCE)

        yield update
