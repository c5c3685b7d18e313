"""What can go wrong, said so that a user can act on it: what, where, and what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AmbleError(Exception):
    """Any failure amble foresees; its text is one line."""


class InputError(AmbleError):
    """Something the user gave is wrong (exit code 2 on the command line)."""


class UnknownName(InputError):
    """A name that does not exist; lists the nearest that do."""

    def __init__(self, kind: str, name: str, allowed: Iterable[str], where: str = "") -> None:
        allowed = sorted(allowed)
        near = difflib.get_close_matches(name, allowed, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"allowed: {', '.join(allowed)}"
        super().__init__(f"unknown {kind} '{name}'{' in ' + where if where else ''}; {hint}")
        self.name = name
        self.allowed = allowed
