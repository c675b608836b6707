"""Tallies and default methods of games."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from engine import Format, Match, Record, registry
from engine.assembly import AssembledGame
from engine.game import Game
from engine.score_sheet import ScoreLine

FORMATS = [
    "cassino/standard/2v2",
    "cassino/spade/ffa3?target=20",
    "cassino/royal/1v1?sweeps=false",
    "canasta/classic/2v2?deals=2",
    "canasta/classic/1v2?deals=3",
    "canasta/classic/3v2-rest?deals=2",
    "canasta/classic/1v1?deals=2&nocanasta=true&red3discard=true&red3minus=true",
    "spoon-eye/basic/ffa3",
    "spoon-eye/standard/2v2?target=30",
    "zwicker/grupp/ffa5?target=20",
    "zwicker/christiansen/1v1?deals=2",
    "paks/standard/1v1?deals=2",
    "paks/standard/3v3?target=50",
]


def played(text: str, claim: str = "") -> tuple[Match, Record]:
    """A random match in which `claim` is played as soon as possible."""
    match, rng = Match(text, seed="tally"), Random(text)
    while match.turn is not None and len(match.moves) < 1500:
        legal = match.legal_moves()
        match.play(claim if claim in legal else rng.choice(legal))
    return match, Record.of(match)


def points_of_tally(tally: Sequence[ScoreLine]) -> dict[str, list[int]]:
    """Nonzero points of a tally, by key."""
    return {line.key: line.points for line in tally if any(line.points)}


def points_of_sheet(lines: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    """Nonzero points of a score sheet, by key."""
    return {line["key"]: line["points"] for line in lines if any(line["points"])}


@pytest.mark.parametrize("text", FORMATS)
def test_the_tally_after_a_deal_equals_its_sheet(text: Any) -> None:
    match, record = played(text)
    spec, deals = match.format.spec, iter(match.deals)
    compared = 0
    for frame in record.frames():
        if frame["move"] is None or frame["view"]["to_act"] is not None:
            continue
        sheet = points_of_sheet(next(deals)["sheet"]["lines"])
        if match.format.game == "canasta":
            sheet.pop("out", None)
        assert points_of_tally(spec.tally(match.format, frame["view"])) == sheet
        compared += 1
    assert compared == len(match.deals) > 0


@pytest.mark.parametrize("text", FORMATS)
def test_all_tallies_of_a_match_have_the_sheets_lines_and_clauses(text: Any) -> None:
    match, record = played(text)
    tallies = [match.format.spec.tally(match.format, frame["view"]) for frame in record.frames()]
    heads = {tuple((line.key, line.clause, line.what) for line in tally) for tally in tallies}
    assert len(heads) == 1
    sheets = {
        (line["key"], line["clause"]) for deal in match.deals for line in deal["sheet"]["lines"]
    }
    assert sheets - {("out", "CAN-51"), ("out", "CAN-52")} <= {head[:2] for head in heads.pop()}
    assert {len(line.points) for tally in tallies for line in tally} == {len(match.scores)}
    assert len({str(tally) for tally in tallies}) > 3  # it changes during the deal


def test_a_claim_is_tallied_by_the_rules() -> None:
    # CAS-37
    match, record = played("cassino/standard/1v1?end=declare&target=5", claim="out")
    assert match.moves[-1] == "out"
    *_, last_frame = (frame for frame in record.frames() if frame["move"] == "out")
    tally = match.format.spec.tally(match.format, last_frame["view"])
    assert points_of_tally(tally) == points_of_sheet(match.deals[-1]["sheet"]["lines"])


def test_defaults_of_a_game_give_no_tally_and_no_sentences() -> None:
    class PlainAdviser(Game):
        """A game without a tally."""

    fmt = Format.parse("cassino/standard/1v1")
    assert PlainAdviser().tally(fmt, Match(fmt, seed="plain").view(None)) == []
    assert PlainAdviser().rules(fmt) is None
    assert PlainAdviser().known({}) == []
    with pytest.raises(NotImplementedError):
        PlainAdviser().pack(fmt)


@pytest.mark.parametrize("game", registry.BUILT_IN)
def test_an_assembled_game_uses_its_functions(game: Any) -> None:
    spec = registry.game(game)
    assert isinstance(spec, AssembledGame)
    fmt = Format(game, spec.variants[0].name, spec.tables[0])
    assert type(spec.rules(fmt)) is spec.assembly.rules
    log: list[Any] = []
    deal = spec.first(fmt, spec.pack(fmt), log)
    assert type(deal) is spec.assembly.deal
    assert deal.log is log
    assert spec.tell(fmt, log[0]).sentence
    cards = spec.cards(deal.view(-1))
    assert len(cards) == len(spec.pack(fmt))
    restored, result = spec.restore(fmt, deal.view(0), Random(1), [])
    assert restored.view(0) == deal.view(0)
    assert result is None
