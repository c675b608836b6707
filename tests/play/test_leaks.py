"""Nothing hidden leaves the server: every answer, for every seat and for who only watches."""

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
from tests.play.hall import Bots, Visitor, finished, guest, play_bots, table

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
"""What may look like a card by chance."""

pytestmark = pytest.mark.django_db


def cards(told: Any) -> set[str]:
    """All cards that are named in some JSON or page: by text, sign or words."""
    text = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
    found = {card.translate(SIGNS).replace("10", "T") for card in CARD.findall(text)}
    return found | {WORDS[words] for words in NAMED.findall(text)}


def seen_by(match: Match, seat: int | None) -> set[str]:
    """All cards of which a seat may know; of None: of which every seat may."""
    if seat is None:
        return set.intersection(*(seen_by(match, each) for each in range(match.format.seats)))
    return cards([match.view(seat), match.events(seat)])


def said_always(fmt: Format) -> set[str]:
    """Cards in words that are the same in every match: of the score sheet, of what counts (as far
    as a need says nothing of where it lies), of refusals."""
    other = Match(fmt, seed="another one")
    view = other.view(None)
    said = [line.what for line in fmt.spec.tally(fmt, view)]
    said += [need.words.partition(",")[0] for need in decide(other, 0).needs]
    with pytest.raises(IllegalMove) as refused:
        other.check("-")
    return cards([*said, str(refused.value)])


@pytest.mark.parametrize("text", GAMES)
def test_every_answer_names_only_cards_that_the_seat_has_seen(
    text: str, bots: Bots, full_size: bool
) -> None:
    fmt = Format.parse(text)
    visitors = _all_people(text, fmt)
    rng = Random(7)
    for number in range(80 if full_size else 18):
        state = visitors[0].state()
        if state["result"] is not None:
            break
        mover = visitors[state["turn"]]
        own = mover.state()
        mover.move(own, rng.choice(own["decision"]["moves"])["move"])
        if number % (4 if full_size else 12) == 5:
            _look_everywhere(visitors, rng)


def _all_people(text: str, fmt: Format) -> list[Visitor]:
    """A visitor for each seat, and one without."""
    maker = Visitor()
    friends = {f"seat-{index}": "friend" for index in range(1, fmt.seats)}
    state = maker.create(text, **friends)
    visitors = [maker]
    for invitation in state["invitations"]:
        visitors.append(Visitor(maker.key))
        token = invitation["url"].partition("=")[2]
        assert visitors[-1].post("sit", token=token).status_code == 200
    return [*visitors, Visitor(maker.key)]


def _look_everywhere(visitors: list[Visitor], rng: Random) -> None:
    table = Table.objects.get(key=visitors[0].key)
    match = match_cache.position_of(table)
    if match.turn is None:
        return
    for index, visitor in enumerate(visitors):
        seat = index if index < match.format.seats else None
        known = seen_by(match, seat) | said_always(match.format)
        for part, answer in _answers(visitor, rng):
            said = cards(readable(answer, table.key)) - known
            assert not said, f"{match.format}, move {len(match.moves)}: {part} tells {seat} {said}"


def readable(answer: Any, key: str) -> str:
    """What an answer says, without what may look like a card by chance."""
    text = RANDOM.sub("", answer.content.decode()).replace(key, "")
    if answer["Content-Type"] == "application/json":
        return json.dumps(json.loads(text), ensure_ascii=False)
    embedded = re.search(r'<script id="state"[^>]*>(.*?)</script>', text, re.DOTALL)
    if embedded is None:
        return text
    return text.replace(embedded[0], json.dumps(json.loads(embedded[1]), ensure_ascii=False))


def _answers(visitor: Visitor, rng: Random) -> list[tuple[str, Any]]:
    """What every address says of a table in play."""
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


# --- a stronger promise: the answers are functions of what the seat has seen ----------------------


def twin(match: Match, deck: list[str], seat: int | None, rng: Random) -> Match | None:
    """The same moves with other hidden cards, if they can be played and look the same to a seat."""
    unseen = [card for card in sorted(set(deck)) if card not in seen_by(match, seat)]
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
    views = [view_of(each, seat) for each in (match, other)]
    events = [events_of(each, seat) for each in (match, other)]
    legal = [each.legal_moves() if each.turn == seat else [] for each in (match, other)]
    same = views[0] == views[1] and events[0] == events[1] and legal[0] == legal[1]
    return other if same else None


@pytest.mark.parametrize("text", GAMES)
def test_answers_do_not_depend_on_what_is_hidden(
    text: str, monkeypatch: pytest.MonkeyPatch, full_size: bool
) -> None:
    rng = Random(11)
    compared = 0
    for number in range(60 if full_size else 8):
        first = Match(text.replace("deals=1", "deals=2"), seed=f"twins {number}")
        deck = [*_deck(first)]
        match = Match(first.format, decks=[deck])
        for _ in range(rng.randint(0, 25)):
            if match.turn is not None:
                match.play(rng.choice(match.legal_moves()))
        for seat in [*range(match.format.seats), None]:
            other = twin(match, deck, seat, rng)
            if match.turn is not None and other is not None:
                assert _told(match, seat, monkeypatch) == _told(other, seat, monkeypatch)
                compared += 1
    assert compared > 5, "hardly anything was compared"


def _deck(match: Match) -> list[str]:
    """The deck of the first deal."""
    from engine.cards import TEXT
    from engine.shuffle import shuffled

    pack = match.format.spec.pack(match.format)
    return [TEXT[card] for card in shuffled(pack, match.seed or "", 0)]


def _told(match: Match, seat: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a table is told to be whose match has been played from these decks."""
    decks = match._decks
    monkeypatch.setattr(
        match_cache,
        "Match",
        lambda fmt, seed: Match(fmt, decks=[[*map(_text, deck)] for deck in decks or []]),
    )
    match_cache.clear()
    made = table(str(match.format), guest())
    for n, move in enumerate(match.moves):
        TableMove.objects.create(table=made, n=n, seat=0, move=move)
    Table.objects.filter(pk=made.pk).update(
        moves=len(match.moves), to_act=match.turn, bots_turn=False, key="same"
    )
    made.refresh_from_db()
    told = reading.state_for(made, reading.seats_of(made), seat, 0)
    made.delete()
    return json.dumps(told)


def _text(card: int) -> str:
    from engine.cards import TEXT

    return TEXT[card]


def test_notes_of_bots_are_told_to_nobody_before_the_end(bots: Bots) -> None:
    maker = Visitor()
    maker.create("cassino/standard/1v1?deals=1", you="1")
    assert play_bots() == 1
    assert TableMove.objects.get().note == "So it is."
    for visitor in (maker, Visitor(maker.key)):
        assert "So it is." not in visitor.get("state/", after=0).content.decode()
        assert "So it is." not in visitor.get().content.decode()


def test_a_closed_table_is_hidden_from_who_has_no_seat(bots: Bots) -> None:
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
    assert Visitor(maker.key).get(invitation=token).status_code == 404, "it was used"


# --- a deal compared while the match goes on ------------------------------------------------------


def compared(seat: int) -> tuple[Table, Comparison]:
    """A deal that was played, and again otherwise from a move of that seat on; all its moves are
    stored, and the match is not over."""
    made = finished()
    Table.objects.filter(pk=made.pk).update(state=Table.State.PLAYING)
    made.refresh_from_db()
    moves = list(made.played.order_by("n").values_list("move", flat=True))
    match = Match(made.format, seed=made.seed)
    for number, move in enumerate(moves):
        others = [each for each in match.legal_moves() if each != move]
        if match.turn == seat and number > 4 and others:
            row = Comparison.objects.create(
                table=made,
                deal=0,
                bot="house:greedy",
                moves=[*moves[:number], others[-1]],
                first=0,
                parted=number,
                sheet=[],
                scores=match_cache.position_of(made).scores,
            )
            return made, row
        match.play(move)
    raise AssertionError("nowhere to part")


def test_a_compared_deal_shows_no_other_hand_before_the_end() -> None:
    made, row = compared(seat=1)
    before = Match(made.format, seed=made.seed)
    for move in row.moves[:-1]:
        before.play(move)
    hand = before.view(1)["hand"]
    for asking in (0, None):
        [told] = finished_tables.comparison_of(made, 1, asking)["others"]
        assert told["parted"]["view"] == view_of(before, asking)
        assert told["parted"]["theirs"] is None
        assert not set(hand) & set(told["parted"]["view"]["hand"])
        known = seen_by(match_cache.position_of(made), asking) | said_always(before.format)
        assert cards(told) <= known
    parted = finished_tables.comparison_of(made, 1, 1)["others"][0]["parted"]
    assert (parted["view"]["hand"], parted["theirs"]["move"]) == (hand, row.moves[-1])
    Table.objects.filter(pk=made.pk).update(state=Table.State.ABANDONED)  # one may come back
    made.refresh_from_db()
    assert finished_tables.comparison_of(made, 1, 0)["others"][0]["parted"]["theirs"] is None
    Table.objects.filter(pk=made.pk).update(state=Table.State.FINISHED)
    made.refresh_from_db()
    for asking in (0, None):
        [told] = finished_tables.comparison_of(made, 1, asking)["others"]
        assert told["parted"]["view"]["hand"] == hand
        assert told["parted"]["theirs"]["move"] == row.moves[-1]


def test_the_page_of_a_compared_deal_says_what_comes_later(client: Client) -> None:
    made, _ = compared(seat=1)
    Table.objects.filter(pk=made.pk).update(compared=1)
    address, later = (
        f"/play/{made.key}/comparison/1/",
        "Its hand stays hidden until the match is over",
    )
    assert later in client.get(address).content.decode()
    Table.objects.filter(pk=made.pk).update(state=Table.State.FINISHED)
    assert later not in client.get(address).content.decode()
