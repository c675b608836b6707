"""Competitions: pairing, deal groups, standings, ratings, and how a site runs them."""

import os

# Before anything imports numpy: the matrices of a fit are too small for several threads, which
# would spend three times the processor time, most of it waiting for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
