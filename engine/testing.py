"""Conformance tests for a game, built-in or foreign: `check_game`.

It plays every format at random and checks the engine's promises at many positions: matches end, no
card is lost, no position is a dead end, `is_legal` agrees with `legal_moves`, and copies are
independent. A view reveals nothing hidden and can be completed to a match; a move has the same code
in every position; equal seeds give equal matches. Lines of score sheets have keys, a record
verifies and a falsified one is refused, and every move can be composed from parts that the seat
sees. Views and moves become numbers in range.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isfinite
from random import Random
from typing import Any

from engine import registry
from engine.cards import TEXT
from engine.deals import LISTED
from engine.encoding import VIEW_KEYS, encoding_of
from engine.encoding_protocol import Encoding
from engine.errors import IllegalMove, RecordError
from engine.game import Format, Game
from engine.match import Match
from engine.move_options import MoveOptions, OfferedMove, decide, why_not
from engine.move_parts import EFFECTS, ENDS, MATCH, OUT
from engine.record import Record
from engine.shuffle import shuffled

RESULT_KEYS = ("scores", "ranks", "winners", "settlement", "reason")
_LONG = 100_000  # a match with more moves counts as endless
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_CARD = re.compile(r"X(?:15|20|25|30)?|[A2-9TJQK][CDHS]")


class BrokenPromiseError(AssertionError):
    """A game that breaks a promise of the engine; the message names promise and position."""


def check_game(
    game: Game | Format | str, *, seeds: Sequence[str] = ("check",), every: int = 7
) -> int:
    """Check a game (in every format with default options) or one format; returns the number of
    moves.

    `seeds`: one random match each. `every`: interval of moves between the expensive checks.
    BrokenPromiseError names the promise, the format, the seed and the move.
    """
    moves = 0
    for fmt in _formats(game):
        for seed in seeds:
            match = check_match(fmt, seed, every=every)
            check_record(match)
            check_repeat(match)
            moves += len(match.moves)
    return moves


def _formats(game: Game | Format | str) -> list[Format]:
    if isinstance(game, Format):
        return [game]
    if isinstance(game, str) and "/" in game:
        return [Format.parse(game)]
    spec = registry.game(game) if isinstance(game, str) else game
    json.dumps(spec.describe_game())
    names = [figure.name for figure in spec.figures]
    unique = len({*names, "time"}) == len(names) + 1 and all(map(_KEY.fullmatch, names))
    _require(
        unique,
        f"{spec.name}: figure names must be distinct keys, and none is 'time': {names}",
    )
    return [Format(spec.name, v.name, table) for v in spec.variants for table in v.tables]


def check_match(fmt: Format, seed: str, *, every: int = 7) -> Match:
    """Play one match at random and check promises on the way; returns the finished match."""
    _require(Format.parse(str(fmt)) == fmt, f"{fmt}: parse(str(format)) is another format")
    rng = Random(f"{fmt} {seed}")
    match = Match(fmt, seed=seed)
    moves: list[str] = []
    codes: dict[str, int] = {}
    encoding = encoding_of(fmt)
    while match.turn is not None:
        number = len(match.moves)
        place = f"{fmt}, seed {seed!r}, move {number}"
        _require(number < _LONG, f"{place}: the match does not end")
        legal = match.legal_moves()
        _require(legal, f"{place}: a dead end, seat {match.turn} has no move")
        if number % every == 0:
            check_moves(match, rng, moves, place)
            check_views(match, rng, place)
            check_copy(match, rng, place)
            check_codes(match, rng, place, codes)
            check_parts(match, rng, place)
            check_encoding(match, encoding, place)
        move = rng.choice(legal)
        moves = [*moves[-40:], move]
        match.play(move)
    check_end(match, f"{fmt}, seed {seed!r}, end")
    check_views(match, rng, f"{fmt}, seed {seed!r}, end")
    return match


def check_moves(match: Match, rng: Random, moves: Sequence[str], place: str) -> None:
    """`legal_moves` and `is_legal` agree, and an illegal move changes nothing."""
    legal = match.legal_moves()
    _require(len(set(legal)) == len(legal), f"{place}: a move is listed twice")
    _require(len(legal) <= LISTED, f"{place}: more than {LISTED} moves are listed")
    for move in legal:
        _require(match.is_legal(move), f"{place}: {move} is listed but not legal")
        _require(move.isascii() and " " not in move, f"{place}: {move!r} is not one ASCII word")
    view_before = match.view(None)
    for move in [*moves, *_mutations(legal, rng)]:
        if move in legal or (match.truncated and match.is_legal(move)):
            continue
        _require(not match.is_legal(move), f"{place}: {move!r} is legal but not listed")
        try:
            match.play(move)
        except IllegalMove as error:
            _require(error.reason and str(error), f"{place}: {move!r} is refused without a reason")
        else:
            raise BrokenPromiseError(f"{place}: the illegal {move!r} was played")
    _require(match.view(None) == view_before, f"{place}: an illegal move changed something")


def _mutations(legal: Sequence[str], rng: Random) -> list[str]:
    """Texts similar to legal moves, most of them illegal."""
    texts = ["", "x", "nonsense", "💥", "[", "6C6C"]
    for move in rng.sample(list(legal), min(len(legal), 6)):
        index = rng.randrange(len(move))
        texts += [
            move + " ",
            move.lower(),
            move + rng.choice("=x>:,+C7"),
            move[:index] + move[index + 1 :],
            move[:index] + rng.choice("23AKXCDHS=x>:,+[]") + move[index + 1 :],
            move + "," + move,
            _CARD.sub(lambda _: TEXT[rng.randrange(52)], move, count=1),
            ",".join(reversed(move.split(","))),
        ]
    return texts


def check_views(match: Match, rng: Random, place: str) -> None:
    """Views are JSON, have the common keys, reveal nothing hidden, and can be played on."""
    spec, open_view = match.format.spec, match.view(None)
    pack = sorted(TEXT[card] for card in spec.pack(match.format))
    _require(sorted(spec.cards(open_view)) == pack, f"{place}: cards were lost or doubled")
    for seat in range(match.format.seats):
        view = match.view(seat)
        missing = [key for key in VIEW_KEYS if key not in view]
        _require(not missing, f"{place}: the view of seat {seat} lacks {missing}")
        _require(json.loads(json.dumps(view)) == view, f"{place}: the view is not plain JSON")
        _require(view["to_act"] == match.turn, f"{place}: to_act is not match.turn")
        _require(view["scores"] == match.scores, f"{place}: the view's scores are not the match's")
        _check_hidden(match, open_view, view, place)
        _check_sample(match, view, rng, place)
        worths = [spec.worth(view, side) for side in range(len(view["sides"]))]
        _require(
            all(map(isfinite, worths)),
            f"{place}: worth() must give a finite number for each side, not {worths}",
        )
    pictured = {card for group in spec.preview(open_view) for card in group.cards}
    _require(pictured <= set(pack), f"{place}: the preview shows cards that are not in the pack")
    for event in match.events(0):
        _require("hidden" not in event, f"{place}: event {event['type']} shows what is hidden")


def _check_hidden(
    match: Match, open_view: dict[str, Any], view: dict[str, Any], place: str
) -> None:
    seat = view["seat"]
    hidden = [
        card for other, hand in enumerate(open_view["hands"]) if other != seat for card in hand
    ]
    hidden += open_view["stock_cards"]
    open_cards = list(match.format.spec.cards(open_view))
    for card in hidden:
        open_cards.remove(card)
    must_hide = set(hidden) - set(open_cards) - set(match.format.spec.known(view))
    visible = set(_CARD.findall(" ".join(_strings(view))))
    _require(
        not must_hide & visible,
        f"{place}: seat {seat} sees the hidden {sorted(must_hide & visible)}",
    )


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, part in value.items() if key != "format" for text in _strings(part)]
    return [text for part in value for text in _strings(part)] if isinstance(value, list) else []


def _check_sample(match: Match, view: dict[str, Any], rng: Random, place: str) -> None:
    seat = view["seat"]
    sample = Match.from_view(json.loads(json.dumps(view)), rng)
    _require(sample.view(seat) == view, f"{place}: from_view looks different to seat {seat}")
    _require(sample.turn == match.turn, f"{place}: from_view has another seat to move")
    _require(
        sorted(match.format.spec.cards(sample.view(None)))
        == sorted(match.format.spec.cards(match.view(None))),
        f"{place}: from_view of seat {seat} has other cards",
    )
    if seat == match.turn:
        are_equal = sample.legal_moves() == match.legal_moves()
        _require(are_equal, f"{place}: from_view of seat {seat} has other legal moves")
    _play_randomly(sample, rng, 12, f"{place}, played on from the view of seat {seat}")


def _play_randomly(match: Match, rng: Random, max_moves: int, place: str) -> list[str]:
    """Play up to `max_moves` random moves; returns them."""
    moves: list[str] = []
    while match.turn is not None and len(moves) < max_moves:
        legal = match.legal_moves()
        _require(legal, f"{place}: a dead end, seat {match.turn} has no move")
        moves.append(rng.choice(legal))
        match.play(moves[-1])
    return moves


def check_copy(match: Match, rng: Random, place: str) -> None:
    """Moves on a copy do not affect the original, and equal moves give equal positions."""
    view, events, legal = match.view(None), match.events(None), match.legal_moves()
    first, other = match.copy(), match.copy()
    for move in _play_randomly(first, rng, 30, f"{place}, in a copy"):
        _require(other.is_legal(move), f"{place}: copies are changed by each other")
        other.play(move)
    _require(
        first.view(None) == other.view(None), f"{place}: the same moves gave different positions"
    )
    _require(
        first.events(None) == other.events(None), f"{place}: the same moves gave different logs"
    )
    untouched = (match.view(None), match.events(None), match.legal_moves())
    _require(untouched == (view, events, legal), f"{place}: playing a copy changed the original")


def check_codes(match: Match, rng: Random, place: str, by_move: dict[str, int]) -> None:
    """Check that codes name the listed moves, that playing by code gives the same position, and
    that a playout ends.

    `by_move`: each move's code at earlier positions of this format; this position's are added.
    """
    for move, code in zip(match.legal_moves(), match.codes(), strict=True):
        first_code = by_move.setdefault(move, code)
        _require(first_code == code, f"{place}: the code of {move} is not the one it had before")
    first, other = match.copy(), match.sketch()
    while other.codes() and len(first.moves) < len(match.moves) + 12:
        code = rng.choice(codes := other.codes())
        _require(len(codes) == len(first.legal_moves()) == len(set(codes)), f"{place}: wrong codes")
        first.play(other.spell(code))
        other.play_code(code)
    _require(
        first.view(None) == other.view(None),
        f"{place}: playing by code gave a different position",
    )
    _require(not other.moves and not other.events(None), f"{place}: a sketch writes something down")
    other = match.copy()
    ended = other.playout(rng) == other.scores and other.turn is None
    _require(ended and other.events(None) == match.events(None), f"{place}: a playout goes wrong")


def check_parts(match: Match, rng: Random, place: str) -> None:
    """The parts distinguish the legal moves, are in the view, and reveal nothing else."""
    seat = match.turn
    if seat is None:
        return
    decision = decide(match, seat)
    moves, legal = [offer.move for offer in decision.offers], match.legal_moves()
    is_whole = moves == legal and decision.more == match.truncated
    is_truncated = decision.more and moves == legal[: len(moves)]
    _require(is_whole or is_truncated, f"{place}: other moves are offered than are legal")
    _require(json.loads(json.dumps(decision.as_dict())), f"{place}: the decision is not JSON")
    _check_paths(decision, match.view(seat), place)
    by_parts: dict[tuple[str, ...], str] = {}
    for offer in decision.offers:
        first_move = by_parts.setdefault(tuple(sorted(offer.parts)), offer.move)
        _require(
            first_move == offer.move,
            f"{place}: {first_move} and {offer.move} have the same parts",
        )
        _check_offer(match, decision, offer, place)
    sample = match.sample(seat, rng)
    _require(
        decide(sample, seat) == decision,
        f"{place}: the parts reveal hidden cards to seat {seat}",
    )
    for watcher in range(match.format.seats):
        has_no_offer = watcher == seat or not decide(match, watcher).offers
        _require(has_no_offer, f"{place}: seat {watcher} is offered moves out of turn")
    _check_refusals(match, decision, rng, place)


def _check_paths(decision: MoveOptions, view: dict[str, Any], place: str) -> None:
    keys = [part.key for part in decision.parts]
    _require(len(set(keys)) == len(keys), f"{place}: two parts have the same key")
    for part in decision.parts:
        _require(part.words and part.kind, f"{place}: the part {part.key!r} has no name")
        for path in part.where:
            value: Any = view
            try:
                for key in path:
                    value = value[key]
            except (LookupError, TypeError) as error:
                raise BrokenPromiseError(
                    f"{place}: {part.key} lies at {path}, which is not in the view"
                ) from error


def _check_offer(match: Match, decision: MoveOptions, offer: OfferedMove, place: str) -> None:
    parts = {part.key: part for part in decision.parts}
    _require(offer.parts, f"{place}: {offer.move} has no parts")
    for key in set(offer.parts):
        _require(key in parts, f"{place}: {offer.move} has the unknown part {key}")
        max_count = len(parts[key].where) or 1
        _require(
            offer.parts.count(key) <= max_count, f"{place}: {offer.move} needs too many of {key}"
        )
    _require(offer.sentence.endswith("."), f"{place}: {offer.move} is not said in a sentence")
    _require(offer.effect in EFFECTS, f"{place}: {offer.effect!r} is no effect")
    steps = {step.key for step in decision.steps}
    _require(not steps or offer.step in steps, f"{place}: {offer.step!r} is no step of the turn")
    if offer.effect in (ENDS, OUT, MATCH):
        match_after = match.copy()
        match_after.step(offer.move)
        _require(match_after.turn is None, f"{place}: {offer.move} does not end the deal")
        match_after.proceed()
        has_ended = offer.effect != MATCH or match_after.result
        _require(has_ended, f"{place}: {offer.move} does not end the match")


def _check_refusals(match: Match, decision: MoveOptions, rng: Random, place: str) -> None:
    keys = [key for part in decision.parts for key in [part.key] * (len(part.where) or 1)]
    for _ in range(4):
        picked = rng.sample(keys, rng.randint(1, min(3, len(keys))))
        refusal = why_not(match, decision.seat, picked)
        if refusal is not None and refusal.move:
            unlisted = decision.more and match.is_legal(refusal.move)
            _require(
                unlisted,
                f"{place}: why_not calls {refusal.move} legal but unlisted, and it is not",
            )
            continue
        fits = bool(decision.with_parts(picked))
        _require(
            fits == (refusal is None),
            f"{place}: why_not and the offered moves disagree about {picked}",
        )
        if refusal is not None:
            _require(
                refusal.sentence.endswith("."),
                f"{place}: the refusal of {picked} is not a sentence",
            )


def check_encoding(match: Match, encoding: Encoding, place: str) -> None:
    """Views and moves have a number from -1 to 1 for each name, and reading them changes none."""
    legal = match.legal_moves()
    for seat in range(match.format.seats):
        view = match.view(seat)
        numbers = encoding.observe(view)
        _require(len(numbers) == len(encoding.names), f"{place}: a view has {len(numbers)} numbers")
        _require(
            min(numbers) >= -1 and max(numbers) <= 1, f"{place}: a view has too large a number"
        )
        if seat == match.turn:
            rows = encoding.describe(view, legal)
            width = len(encoding.move_names)
            _require(
                len(rows) == width * len(legal), f"{place}: a move does not have {width} numbers"
            )
            _require(min(rows) >= -1 and max(rows) <= 1, f"{place}: a move has too large a number")
        _require(view == match.view(seat), f"{place}: an encoding changed the view")


def check_end(match: Match, place: str) -> None:
    """The result has its shape, and no further move is possible."""
    result = match.result
    if result is None:
        raise BrokenPromiseError(f"{place}: nobody can move, but there is no result")
    _require(all(key in result for key in RESULT_KEYS), f"{place}: the result lacks a key")
    ranks = result["ranks"]
    is_ranking = all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    _require(
        is_ranking and len(ranks) == len(result["scores"]),
        f"{place}: {ranks} are not competition ranks such as 1, 1, 3, one for each side",
    )
    winners = [side for side, rank in enumerate(ranks) if rank == 1]
    _require(result["winners"] == winners, f"{place}: winners are not those of rank 1")
    _require(match.scores == result["scores"], f"{place}: the scores are not the result's")
    _require(match.legal_moves() == [], f"{place}: there are moves after the end")
    _require(match.deals, f"{place}: no deal was finished")
    try:
        match.play("6C")
    except IllegalMove:
        return
    raise BrokenPromiseError(f"{place}: a move was played after the end")


def check_repeat(match: Match) -> None:
    """Equal seeds and equal decks give equal matches; another seed gives another deal."""
    place = f"{match.format}, seed {match.seed!r}"
    repeated = Match(match.format, seed=match.seed)
    from_decks = Match(match.format, decks=[deal["deck"] for deal in match.deals])
    for move in match.moves:
        repeated.play(move)
        from_decks.play(move)
    _require(
        repeated.events(None) == match.events(None), f"{place}: repeating it gave another match"
    )
    _require(from_decks.result == match.result, f"{place}: its decks gave another result")
    pack = match.format.spec.pack(match.format)
    for deal in match.deals:
        order = [TEXT[card] for card in shuffled(pack, match.seed or "", deal["deal"])]
        _require(order == deal["deck"], f"{place}: deal {deal['deal']} is not the seed's shuffle")


def check_record(match: Match) -> None:
    """The record verifies, survives JSON and shows frames; a falsified one is refused."""
    place = f"{match.format}, seed {match.seed!r}"
    record = Record.from_json(Record.of(match).dumps())
    _require(record.verify().result == match.result, f"{place}: the record gives another result")
    frames = list(record.frames())
    numbers = [frame["n"] for frame in frames if frame["n"] is not None]
    _require(numbers == list(range(len(match.moves))), f"{place}: a move has no frame")
    for frame in frames:
        _require(frame["sentence"] and frame["clause"], f"{place}: frame {frame['n']} says nothing")
    _require(json.dumps(frames), f"{place}: frames are not JSON")
    _check_lines(match, frames, place)
    for index in {0, len(record.moves) // 2, len(record.moves) - 1}:
        falsified = Record.from_json(record.to_json())
        falsified.moves[index] = "nonsense"
        _require(_refused(falsified) == index, f"{place}: a falsified move {index} is not named")
    falsified = Record.from_json(record.to_json())
    falsified.result = {**(falsified.result or {}), "scores": [999 for _ in match.scores]}
    _require(_refused(falsified) is None, f"{place}: the error for falsified scores names a move")


def _check_lines(match: Match, frames: Sequence[dict[str, Any]], place: str) -> None:
    """All frames have the same lines, with points for each side; each line has its own key."""
    tallies = [match.format.spec.tally(match.format, frame["view"]) for frame in frames]
    line_heads = {tuple((line.key, line.clause, line.what) for line in tally) for tally in tallies}
    _require(len(line_heads) == 1, f"{place}: the tally has other lines in other frames")
    sides = {len(line.points) for tally in tallies for line in tally}
    _require(sides <= {len(match.scores)}, f"{place}: the points of the tally do not go by side")
    sheets = [[line.get("key", "") for line in deal["sheet"]["lines"]] for deal in match.deals]
    for keys in [[line.key for line in tallies[0]], *sheets]:
        _require(len(set(keys)) == len(keys), f"{place}: two lines have one key: {keys}")
        malformed_keys = [key for key in keys if not _KEY.fullmatch(key)]
        _require(
            not malformed_keys,
            f"{place}: keys of lines are lower case, digits and underscores: {malformed_keys}",
        )


def _refused(record: Record) -> int | None:
    try:
        record.verify()
    except RecordError as error:
        return error.number
    raise BrokenPromiseError(f"{record.format}, seed {record.seed!r}: a falsified record verifies")


def _require(promise: object, message: str) -> None:
    if not promise:
        raise BrokenPromiseError(message)
