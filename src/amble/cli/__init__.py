"""The command line: `amble …`."""

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line and exit with its code."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for terminals that do not know °, × or ²
    try:
        from amble.cli.app import run  # here, because an interrupt may come while it loads

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    if code == 130:
        print("amble: interrupted", file=sys.stderr)
    sys.exit(code)
