"""Writing files so that they are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from amble.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it becomes `path` when the block ends well.

    On any error nothing is left behind, and a file that was at `path` before stays as it was. The
    temporary name keeps the ending, because writers choose their format by it.
    """
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder '{path.parent}' does not exist")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; the name of a file is needed")
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}.unfinished{path.suffix}")
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
