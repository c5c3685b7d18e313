"""`python -m amble` is `amble`."""

from amble.cli import main

if __name__ == "__main__":
    main()
