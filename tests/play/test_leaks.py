"""No response reveals hidden cards to any seat or onlooker."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest
from django.test import Client

from cardroom_tables import finished_tables, match_cache, reading
from cardroom_tables.models import Comparison, Table, TableMove
from engine import Format, IllegalMove, Match
from engine.move_options import decide
from engine.player_view import events_of, view_of
from tests.play.hall import Bots, Visitor, finished_table, guest, new_table, play_bots

GAMES = (
    "cassino/standard/2v2?deals=1",
    "canasta/classic/2v2?deals=1",
    "canasta/classic/ffa3?deals=1",
    "spoon-eye/standard/1v1?deals=1",
    "zwicker/grupp/ffa3?deals=1",
    "paks/standard/1v1?deals=1",
)
CARD = re.compile(r"X(?:15|20|25|30)?|(?<!C)[A2-9TJQK][CDHS]|(?:10|[A2-9JQK])[♣♦♥♠]")
SIGNS = str.maketrans("♣♦♥♠", "CDHS")
_RANKS = "ace/two/three/four/five/six/seven/eight/nine/ten/jack/queen/king"
RANKS = _RANKS.split("/")
SUITS = ["clubs", "diamonds", "hearts", "spades"]
WORDS = {
    f"{rank} of {suit}": text + sign
    for text, rank in zip("A23456789TJQK", RANKS, strict=True)
    for sign, suit in zip("CDHS", SUITS, strict=True)
}
NAMED = re.compile("|".join(WORDS))
RANDOM = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+')
"""A value that may look like a card by chance."""

pytestmark = pytest.mark.django_db


def cards(content: Any) -> set[str]:
    """All cards that JSON or a page names by text, signs or words."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    names = {card.translate(SIGNS).replace("10", "T") for card in CARD.findall(text)}
    return names | {WORDS[card_name] for card_name in NAMED.findall(text)}


def cards_known_to(match: Match, seat: int | None) -> set[str]:
    """All cards that a seat may know; for None, those that all seats may know."""
    if seat is None:
        return set.intersection(
            *(cards_known_to(match, index) for index in range(match.format.seats))
        )
    return cards([match.view(seat), match.events(seat)])


def cards_in_rules(fmt: Format) -> set[str]:
    """Cards in texts that are the same in every match: the score sheet, needs without places, and
    refusals."""
    other = Match(fmt, seed="another one")
    view = other.view(None)
    texts = [line.what for line in fmt.spec.tally(fmt, view)]
    texts += [need.words.partition(",")[0] for need in decide(other, 0).needs]
    with pytest.raises(IllegalMove) as error:
        other.check("-")
    return cards([*texts, str(error.value)])


@pytest.mark.parametrize("text", GAMES)
def test_responses_name_only_cards_known_to_the_seat(
    text: str, bots: Bots, full_size: bool
) -> None:
    fmt = Format.parse(text)
    visitors = _visitors(text, fmt)
    rng = Random(7)
    for number in range(80 if full_size else 18):
        state = visitors[0].state()
        if state["result"] is not None:
            break
        mover = visitors[state["turn"]]
        movers_state = mover.state()
        mover.move(movers_state, rng.choice(movers_state["decision"]["moves"])["move"])
        if number % (4 if full_size else 12) == 5:
            _check_all_responses(visitors, rng)


def _visitors(text: str, fmt: Format) -> list[Visitor]:
    """A visitor for each seat, and an onlooker."""
    maker = Visitor()
    friends = {f"seat-{index}": "friend" for index in range(1, fmt.seats)}
    state = maker.create(text, **friends)
    visitors = [maker]
    for invitation in state["invitations"]:
        visitors.append(Visitor(maker.key))
        token = invitation["url"].partition("=")[2]
        assert visitors[-1].post("sit", token=token).status_code == 200
    return [*visitors, Visitor(maker.key)]


def _check_all_responses(visitors: list[Visitor], rng: Random) -> None:
    table = Table.objects.get(key=visitors[0].key)
    match = match_cache.position_of(table)
    if match.turn is None:
        return
    for index, visitor in enumerate(visitors):
        seat = index if index < match.format.seats else None
        known_cards = cards_known_to(match, seat) | cards_in_rules(match.format)
        for part, response in _responses(visitor, rng):
            leaks = cards(readable_text(response, table.key)) - known_cards
            assert not leaks, (
                f"{match.format}, move {len(match.moves)}: {part} shows {seat} {leaks}"
            )


def readable_text(response: Any, key: str) -> str:
    """The text of a response without values that may look like cards by chance."""
    text = RANDOM.sub("", response.content.decode()).replace(key, "")
    if response["Content-Type"] == "application/json":
        return json.dumps(json.loads(text), ensure_ascii=False)
    embedded = re.search(r'<script id="state"[^>]*>(.*?)</script>', text, re.DOTALL)
    if embedded is None:
        return text
    return text.replace(embedded[0], json.dumps(json.loads(embedded[1]), ensure_ascii=False))


def _responses(visitor: Visitor, rng: Random) -> list[tuple[str, Any]]:
    """The responses of all addresses of a running table, with names."""
    state = visitor.state()
    keys = [part["key"] for part in (state["decision"] or {"parts": []})["parts"]]
    picked = rng.sample(keys, min(2, len(keys)))
    return [
        ("the page", visitor.get()),
        ("the state", visitor.get("state/", after=0)),
        ("why not", visitor.post("why", picked=picked)),
        ("a stale move", visitor.post("move", n=0, move="nothing")),
        ("an illegal move", visitor.post("move", n=state["n"], move="-")),
        ("the house", visitor.post("house", seat=0)),
        ("a seat", visitor.post("sit", token="")),
        ("the replay", visitor.get("replay/")),
        ("the record", visitor.get("record/")),
        ("the frames", visitor.get("frames/")),
        ("the tally", visitor.get("tally/")),
        ("a question", visitor.get("moves/1/")),
        ("a comparison", visitor.get("comparison/1/")),
    ]


# --- stronger: responses depend only on the seat's view -------------------------------------------


def with_other_hidden_cards(
    match: Match, deck: list[str], seat: int | None, rng: Random
) -> Match | None:
    """A match with the same moves and two hidden cards swapped, if it looks the same to a seat."""
    unseen = [card for card in sorted(set(deck)) if card not in cards_known_to(match, seat)]
    if len(unseen) < 2:
        return None
    one, two = (deck.index(card) for card in rng.sample(unseen, 2))
    swapped = deck[:]
    swapped[one], swapped[two] = deck[two], deck[one]
    other = Match(match.format, decks=[swapped])
    try:
        for move in match.moves:
            other.play(move)
    except ValueError:
        return None
    if other.turn != match.turn:
        return None
    views = [view_of(candidate, seat) for candidate in (match, other)]
    events = [events_of(candidate, seat) for candidate in (match, other)]
    legal = [
        candidate.legal_moves() if candidate.turn == seat else [] for candidate in (match, other)
    ]
    same = views[0] == views[1] and events[0] == events[1] and legal[0] == legal[1]
    return other if same else None


@pytest.mark.parametrize("text", GAMES)
def test_responses_do_not_depend_on_hidden_cards(
    text: str, monkeypatch: pytest.MonkeyPatch, full_size: bool
) -> None:
    rng = Random(11)
    comparisons = 0
    for number in range(60 if full_size else 8):
        first = Match(text.replace("deals=1", "deals=2"), seed=f"twins {number}")
        deck = [*_deck(first)]
        match = Match(first.format, decks=[deck])
        for _ in range(rng.randint(0, 25)):
            if match.turn is not None:
                match.play(rng.choice(match.legal_moves()))
        for seat in [*range(match.format.seats), None]:
            other = with_other_hidden_cards(match, deck, seat, rng)
            if match.turn is not None and other is not None:
                assert _state_json(match, seat, monkeypatch) == _state_json(
                    other, seat, monkeypatch
                )
                comparisons += 1
    assert comparisons > 5, "too few comparisons"


def _deck(match: Match) -> list[str]:
    """The deck of the first deal."""
    from engine.cards import TEXT
    from engine.shuffle import shuffled

    pack = match.format.spec.pack(match.format)
    return [TEXT[card] for card in shuffled(pack, match.seed or "", 0)]


def _state_json(match: Match, seat: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """The state of a table with this match, as JSON."""
    decks = match._decks
    monkeypatch.setattr(
        match_cache,
        "Match",
        lambda fmt, seed: Match(fmt, decks=[[*map(_text, deck)] for deck in decks or []]),
    )
    match_cache.clear()
    table = new_table(str(match.format), guest())
    for n, move in enumerate(match.moves):
        TableMove.objects.create(table=table, n=n, seat=0, move=move)
    Table.objects.filter(pk=table.pk).update(
        moves=len(match.moves), to_act=match.turn, bots_turn=False, key="same"
    )
    table.refresh_from_db()
    state = reading.state_for(table, reading.seats_of(table), seat, 0)
    table.delete()
    return json.dumps(state)


def _text(card: int) -> str:
    from engine.cards import TEXT

    return TEXT[card]


def test_notes_of_bots_are_hidden_before_the_end(bots: Bots) -> None:
    maker = Visitor()
    maker.create("cassino/standard/1v1?deals=1", you="1")
    assert play_bots() == 1
    assert TableMove.objects.get().note == "So it is."
    for visitor in (maker, Visitor(maker.key)):
        assert "So it is." not in visitor.get("state/", after=0).content.decode()
        assert "So it is." not in visitor.get().content.decode()


def test_a_closed_table_is_hidden_from_strangers(bots: Bots) -> None:
    maker = Visitor()
    state = maker.create("cassino/standard/2v2?deals=1", closed="on", **{"seat-2": "friend"})
    stranger = Visitor(maker.key)
    for part in ("", "state/", "comparison/1/", "replay/"):
        assert stranger.get(part).status_code == 404
    for verb in ("move", "why", "hint", "sit", "leave", "house"):
        assert stranger.post(verb).status_code == 404
    token = state["invitations"][0]["url"].partition("=")[2]
    assert stranger.get(invitation=token).status_code == 200
    assert stranger.post("sit", token=token).json()["you"] == 2
    assert Visitor(maker.key).get(invitation=token).status_code == 404, (
        "a used invitation opens the table"
    )


# --- comparisons during the match -----------------------------------------------------------------


def running_comparison(seat: int) -> tuple[Table, Comparison]:
    """A complete deal of a running match, with a comparison that differs from a move of this seat
    on."""
    table = finished_table()
    Table.objects.filter(pk=table.pk).update(state=Table.State.PLAYING)
    table.refresh_from_db()
    moves = list(table.played.order_by("n").values_list("move", flat=True))
    match = Match(table.format, seed=table.seed)
    for number, move in enumerate(moves):
        others = [legal for legal in match.legal_moves() if legal != move]
        if match.turn == seat and number > 4 and others:
            row = Comparison.objects.create(
                table=table,
                deal=0,
                bot="house:greedy",
                moves=[*moves[:number], others[-1]],
                first=0,
                parted=number,
                sheet=[],
                scores=match_cache.position_of(table).scores,
            )
            return table, row
        match.play(move)
    raise AssertionError("no other move exists")


def test_a_compared_deal_shows_no_other_hand_before_the_end() -> None:
    table, row = running_comparison(seat=1)
    before = Match(table.format, seed=table.seed)
    for move in row.moves[:-1]:
        before.play(move)
    hand = before.view(1)["hand"]
    for viewer in (0, None):
        [comparison] = finished_tables.comparison_of(table, 1, viewer)["others"]
        assert comparison["parted"]["view"] == view_of(before, viewer)
        assert comparison["parted"]["theirs"] is None
        assert not set(hand) & set(comparison["parted"]["view"]["hand"])
        known_cards = cards_known_to(match_cache.position_of(table), viewer) | cards_in_rules(
            before.format
        )
        assert cards(comparison) <= known_cards
    parted = finished_tables.comparison_of(table, 1, 1)["others"][0]["parted"]
    assert (parted["view"]["hand"], parted["theirs"]["move"]) == (hand, row.moves[-1])
    Table.objects.filter(pk=table.pk).update(state=Table.State.ABANDONED)  # people may return
    table.refresh_from_db()
    assert finished_tables.comparison_of(table, 1, 0)["others"][0]["parted"]["theirs"] is None
    Table.objects.filter(pk=table.pk).update(state=Table.State.FINISHED)
    table.refresh_from_db()
    for viewer in (0, None):
        [comparison] = finished_tables.comparison_of(table, 1, viewer)["others"]
        assert comparison["parted"]["view"]["hand"] == hand
        assert comparison["parted"]["theirs"]["move"] == row.moves[-1]


def test_the_page_of_a_comparison_announces_the_hidden_hand(client: Client) -> None:
    table, _ = running_comparison(seat=1)
    Table.objects.filter(pk=table.pk).update(compared=1)
    address, sentence = (
        f"/play/{table.key}/comparison/1/",
        "Its hand stays hidden until the match is over",
    )
    assert sentence in client.get(address).content.decode()
    Table.objects.filter(pk=table.pk).update(state=Table.State.FINISHED)
    assert sentence not in client.get(address).content.decode()
