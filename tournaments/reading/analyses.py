"""What is kept of the analysis of a match, for pages and REST."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any, Literal

from engine.search import EXPERT
from tournaments.models import Analysis, Match

State = Literal["none", "waiting", "running", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Told:
    """An analysis as far as it has come."""

    state: State
    done: int = 0
    """Moves looked at."""
    moves: int = 0
    """Moves of the match."""
    trouble: str = ""
    """Why there is none, in a sentence."""
    stale: bool = False
    """Whether another version of the expert than this site's made `found`."""
    found: dict[str, Any] | None = None
    """The analysis (`engine.search.findings`), once it is finished; until one that is made anew is
    finished, the one before it."""

    @property
    def unfinished(self) -> bool:
        """Whether somebody is to make it."""
        return self.state in ("waiting", "running")


def analysis_of(match: Match) -> Told:
    """The analysis of a match whose replay the reader may see."""
    known = Analysis.objects.select_related("record").filter(pk=match.pk).first()
    if known is None:
        return Told("none")
    moves = known.record.moves
    stale = known.expert != EXPERT
    former = _read(known.former)
    if known.trouble:
        return Told("failed", known.done, moves, known.trouble, stale or bool(former), former)
    if known.finished is None:
        begun = known.lease_until is not None or known.done > 0
        state: State = "running" if begun else "waiting"
        return Told(state, known.done, moves, stale=stale or bool(former), found=former)
    return Told("finished", known.done, moves, stale=stale, found=_read(known.content))


def _read(content: bytes | memoryview[int]) -> dict[str, Any] | None:
    if not content:
        return None
    found: dict[str, Any] = json.loads(zlib.decompress(bytes(content)))
    return found
