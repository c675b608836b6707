"""Explain how to continue matches at home that stopped before their end."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bots.cli.common import UsageError, err, exit_with_error
from bots.referee.outcome import RefereeError


def resume_text(seed: str) -> str:
    """A sentence that explains --resume."""
    return f"To continue, run the same command again with --seed {shlex.quote(seed)} --resume."


def report_stop(
    matches: str, seed: str, *, any_finished: bool, recorded: bool, as_json: bool
) -> None:
    """Report that Ctrl-C stopped the run after `matches`; exit with this error if none finished."""
    message = f"Stopped after {matches}, seed {seed}."
    if not any_finished:
        exit_with_error(message, as_json=as_json)
    err.print(f"{message} {resume_text(seed)}" if recorded else message, style="yellow")


@contextmanager
def resume_explained(seed: str, is_resumable: Callable[[], bool]) -> Iterator[None]:
    """Add `resume_text` to an error if matches before it have records."""
    try:
        yield
    except (UsageError, RefereeError) as error:
        if not is_resumable():
            raise
        raise UsageError(f"{error} {resume_text(seed)}") from None
