"""Competitions: pairing, deal groups, standings, ratings, and running them on a site."""

import os

# Set this before anything imports numpy: the matrices of a fit are too small for several threads,
# which would use three times the processor time, mostly to wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
