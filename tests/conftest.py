"""What all tests share."""

from hypothesis import settings

# A deadline is a wall-clock time, which says more of the machine than of the code.
settings.register_profile("amble", deadline=None)
settings.load_profile("amble")
