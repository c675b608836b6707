"""Measurements against peers. They print ratios of one run and never pass or fail by the clock."""

import tournaments  # noqa: F401 - before numpy: it asks for one thread of BLAS
