"""Measurements against peers, which print ratios of one run and never fail because of time."""

import tournaments  # noqa: F401 - must precede numpy, because it limits BLAS to one thread
