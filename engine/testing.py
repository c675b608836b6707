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
    _need(
        unique,
        f"{spec.name}: figure names must be distinct keys, and none is 'time': {names}",
    )
    return [Format(spec.name, v.name, table) for v in spec.variants for table in v.tables]


def check_match(fmt: Format, seed: str, *, every: int = 7) -> Match:
    """Play one match at random and check promises on the way; returns the finished match."""
    _need(Format.parse(str(fmt)) == fmt, f"{fmt}: parse(str(format)) is another format")
    rng = Random(f"{fmt} {seed}")
    match = Match(fmt, seed=seed)
    moves: list[str] = []
    codes: dict[str, int] = {}
    encoding = encoding_of(fmt)
    while match.turn is not None:
        number = len(match.moves)
        where = f"{fmt}, seed {seed!r}, move {number}"
        _need(number < _LONG, f"{where}: the match does not end")
        listed = match.legal_moves()
        _need(listed, f"{where}: a dead end, seat {match.turn} has no move")
        if number % every == 0:
            check_moves(match, rng, moves, where)
            check_views(match, rng, where)
            check_copy(match, rng, where)
            check_codes(match, rng, where, codes)
            check_parts(match, rng, where)
            check_encoding(match, encoding, where)
        move = rng.choice(listed)
        moves = [*moves[-40:], move]
        match.play(move)
    check_end(match, f"{fmt}, seed {seed!r}, end")
    check_views(match, rng, f"{fmt}, seed {seed!r}, end")
    return match


def check_moves(match: Match, rng: Random, moves: Sequence[str], where: str) -> None:
    """`legal_moves` and `is_legal` agree, and an illegal move changes nothing."""
    listed = match.legal_moves()
    _need(len(set(listed)) == len(listed), f"{where}: a move is listed twice")
    _need(len(listed) <= LISTED, f"{where}: more than {LISTED} moves are listed")
    for move in listed:
        _need(match.is_legal(move), f"{where}: {move} is listed but not legal")
        _need(move.isascii() and " " not in move, f"{where}: {move!r} is not one ASCII word")
    before = match.view(None)
    for move in [*moves, *_mutations(listed, rng)]:
        if move in listed or (match.truncated and match.is_legal(move)):
            continue
        _need(not match.is_legal(move), f"{where}: {move!r} is legal but not listed")
        try:
            match.play(move)
        except IllegalMove as error:
            _need(error.reason and str(error), f"{where}: {move!r} is refused without a reason")
        else:
            raise BrokenPromiseError(f"{where}: the illegal {move!r} was played")
    _need(match.view(None) == before, f"{where}: an illegal move changed something")


def _mutations(listed: Sequence[str], rng: Random) -> list[str]:
    """Texts similar to legal moves, most of them illegal."""
    texts = ["", "x", "nonsense", "💥", "[", "6C6C"]
    for move in rng.sample(list(listed), min(len(listed), 6)):
        at = rng.randrange(len(move))
        texts += [
            move + " ",
            move.lower(),
            move + rng.choice("=x>:,+C7"),
            move[:at] + move[at + 1 :],
            move[:at] + rng.choice("23AKXCDHS=x>:,+[]") + move[at + 1 :],
            move + "," + move,
            _CARD.sub(lambda _: TEXT[rng.randrange(52)], move, count=1),
            ",".join(reversed(move.split(","))),
        ]
    return texts


def check_views(match: Match, rng: Random, where: str) -> None:
    """Views are JSON, have the common keys, reveal nothing hidden, and can be played on."""
    spec, open_view = match.format.spec, match.view(None)
    pack = sorted(TEXT[card] for card in spec.pack(match.format))
    _need(sorted(spec.cards(open_view)) == pack, f"{where}: cards were lost or doubled")
    for seat in range(match.format.seats):
        view = match.view(seat)
        missing = [key for key in VIEW_KEYS if key not in view]
        _need(not missing, f"{where}: the view of seat {seat} lacks {missing}")
        _need(json.loads(json.dumps(view)) == view, f"{where}: the view is not plain JSON")
        _need(view["to_act"] == match.turn, f"{where}: to_act is not match.turn")
        _need(view["scores"] == match.scores, f"{where}: the view's scores are not the match's")
        _check_hidden(match, open_view, view, where)
        _check_sample(match, view, rng, where)
        worths = [spec.worth(view, side) for side in range(len(view["sides"]))]
        _need(
            all(map(isfinite, worths)),
            f"{where}: worth() must give a finite number for each side, not {worths}",
        )
    pictured = {card for group in spec.preview(open_view) for card in group.cards}
    _need(pictured <= set(pack), f"{where}: the preview shows cards that are not in the pack")
    for event in match.events(0):
        _need("hidden" not in event, f"{where}: event {event['type']} shows what is hidden")


def _check_hidden(
    match: Match, open_view: dict[str, Any], view: dict[str, Any], where: str
) -> None:
    seat = view["seat"]
    hidden = [
        card for other, hand in enumerate(open_view["hands"]) if other != seat for card in hand
    ]
    hidden += open_view["stock_cards"]
    open_cards = list(match.format.spec.cards(open_view))
    for card in hidden:
        open_cards.remove(card)
    never = set(hidden) - set(open_cards) - set(match.format.spec.known(view))
    visible = set(_CARD.findall(" ".join(_strings(view))))
    _need(not never & visible, f"{where}: seat {seat} sees the hidden {sorted(never & visible)}")


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, part in value.items() if key != "format" for text in _strings(part)]
    return [text for part in value for text in _strings(part)] if isinstance(value, list) else []


def _check_sample(match: Match, view: dict[str, Any], rng: Random, where: str) -> None:
    seat = view["seat"]
    other = Match.from_view(json.loads(json.dumps(view)), rng)
    _need(other.view(seat) == view, f"{where}: from_view looks different to seat {seat}")
    _need(other.turn == match.turn, f"{where}: from_view has another seat to move")
    _need(
        sorted(match.format.spec.cards(other.view(None)))
        == sorted(match.format.spec.cards(match.view(None))),
        f"{where}: from_view of seat {seat} has other cards",
    )
    if seat == match.turn:
        same = other.legal_moves() == match.legal_moves()
        _need(same, f"{where}: from_view of seat {seat} has other legal moves")
    _wander(other, rng, 12, f"{where}, played on from the view of seat {seat}")


def _wander(match: Match, rng: Random, most: int, where: str) -> list[str]:
    """Play up to `most` random moves; returns them."""
    moves: list[str] = []
    while match.turn is not None and len(moves) < most:
        listed = match.legal_moves()
        _need(listed, f"{where}: a dead end, seat {match.turn} has no move")
        moves.append(rng.choice(listed))
        match.play(moves[-1])
    return moves


def check_copy(match: Match, rng: Random, where: str) -> None:
    """Moves on a copy do not affect the original, and equal moves give equal positions."""
    before, events, listed = match.view(None), match.events(None), match.legal_moves()
    one, other = match.copy(), match.copy()
    for move in _wander(one, rng, 30, f"{where}, in a copy"):
        _need(other.is_legal(move), f"{where}: copies are changed by each other")
        other.play(move)
    _need(one.view(None) == other.view(None), f"{where}: the same moves gave different positions")
    _need(one.events(None) == other.events(None), f"{where}: the same moves gave different logs")
    untouched = (match.view(None), match.events(None), match.legal_moves())
    _need(untouched == (before, events, listed), f"{where}: playing a copy changed the original")


def check_codes(match: Match, rng: Random, where: str, by_move: dict[str, int]) -> None:
    """Codes name the listed moves; playing by code gives the same position; a playout ends.

    `by_move`: each move's code at earlier positions of this format; this position's are added.
    """
    for move, code in zip(match.legal_moves(), match.codes(), strict=True):
        same = by_move.setdefault(move, code)
        _need(same == code, f"{where}: the code of {move} is not the one it had before")
    one, other = match.copy(), match.sketch()
    while other.codes() and len(one.moves) < len(match.moves) + 12:
        code = rng.choice(codes := other.codes())
        _need(len(codes) == len(one.legal_moves()) == len(set(codes)), f"{where}: wrong codes")
        one.play(other.spell(code))
        other.play_code(code)
    _need(one.view(None) == other.view(None), f"{where}: playing by code gave a different position")
    _need(not other.moves and not other.events(None), f"{where}: a sketch writes something down")
    other = match.copy()
    ended = other.playout(rng) == other.scores and other.turn is None
    _need(ended and other.events(None) == match.events(None), f"{where}: a playout goes wrong")


def check_parts(match: Match, rng: Random, where: str) -> None:
    """The parts distinguish the legal moves, are in the view, and reveal nothing else."""
    seat = match.turn
    if seat is None:
        return
    decision = decide(match, seat)
    moves, listed = [offer.move for offer in decision.offers], match.legal_moves()
    whole = moves == listed and decision.more == match.truncated
    cut = decision.more and moves == listed[: len(moves)]
    _need(whole or cut, f"{where}: other moves are offered than are legal")
    _need(json.loads(json.dumps(decision.as_dict())), f"{where}: the decision is not JSON")
    _check_things(decision, match.view(seat), where)
    by_parts: dict[tuple[str, ...], str] = {}
    for offer in decision.offers:
        same = by_parts.setdefault(tuple(sorted(offer.parts)), offer.move)
        _need(same == offer.move, f"{where}: {same} and {offer.move} have the same parts")
        _check_offer(match, decision, offer, where)
    other = match.sample(seat, rng)
    _need(
        decide(other, seat) == decision,
        f"{where}: the parts reveal hidden cards to seat {seat}",
    )
    for watcher in range(match.format.seats):
        idle = watcher == seat or not decide(match, watcher).offers
        _need(idle, f"{where}: seat {watcher} is offered moves out of turn")
    _check_refusals(match, decision, rng, where)


def _check_things(decision: MoveOptions, view: dict[str, Any], where: str) -> None:
    keys = [part.key for part in decision.parts]
    _need(len(set(keys)) == len(keys), f"{where}: two parts have the same key")
    for part in decision.parts:
        _need(part.words and part.kind, f"{where}: the part {part.key!r} has no name")
        for path in part.where:
            thing: Any = view
            try:
                for key in path:
                    thing = thing[key]
            except (LookupError, TypeError) as error:
                raise BrokenPromiseError(
                    f"{where}: {part.key} lies at {path}, which is not in the view"
                ) from error


def _check_offer(match: Match, decision: MoveOptions, offer: OfferedMove, where: str) -> None:
    parts = {part.key: part for part in decision.parts}
    _need(offer.parts, f"{where}: {offer.move} has no parts")
    for key in set(offer.parts):
        _need(key in parts, f"{where}: {offer.move} has the unknown part {key}")
        room = len(parts[key].where) or 1
        _need(offer.parts.count(key) <= room, f"{where}: {offer.move} needs too many of {key}")
    _need(offer.sentence.endswith("."), f"{where}: {offer.move} is not said in a sentence")
    _need(offer.effect in EFFECTS, f"{where}: {offer.effect!r} is no effect")
    steps = {step.key for step in decision.steps}
    _need(not steps or offer.step in steps, f"{where}: {offer.step!r} is no step of the turn")
    if offer.effect in (ENDS, OUT, MATCH):
        after = match.copy()
        after.step(offer.move)
        _need(after.turn is None, f"{where}: {offer.move} does not end the deal")
        after.proceed()
        ended = offer.effect != MATCH or after.result
        _need(ended, f"{where}: {offer.move} does not end the match")


def _check_refusals(match: Match, decision: MoveOptions, rng: Random, where: str) -> None:
    keys = [key for part in decision.parts for key in [part.key] * (len(part.where) or 1)]
    for _ in range(4):
        picked = rng.sample(keys, rng.randint(1, min(3, len(keys))))
        refusal = why_not(match, decision.seat, picked)
        if refusal is not None and refusal.move:
            unlisted = decision.more and match.is_legal(refusal.move)
            _need(
                unlisted,
                f"{where}: why_not says that {refusal.move} is legal but unlisted, which is not so",
            )
            continue
        fits = bool(decision.with_parts(picked))
        _need(
            fits == (refusal is None),
            f"{where}: why_not and the offered moves disagree about {picked}",
        )
        if refusal is not None:
            _need(
                refusal.sentence.endswith("."),
                f"{where}: the refusal of {picked} is not a sentence",
            )


def check_encoding(match: Match, encoding: Encoding, where: str) -> None:
    """Views and moves have a number from -1 to 1 for each name, and reading them changes none."""
    legal = match.legal_moves()
    for seat in range(match.format.seats):
        view = match.view(seat)
        numbers = encoding.observe(view)
        _need(len(numbers) == len(encoding.names), f"{where}: a view has {len(numbers)} numbers")
        _need(min(numbers) >= -1 and max(numbers) <= 1, f"{where}: a view has too large a number")
        if seat == match.turn:
            rows = encoding.describe(view, legal)
            width = len(encoding.move_names)
            _need(len(rows) == width * len(legal), f"{where}: a move does not have {width} numbers")
            _need(min(rows) >= -1 and max(rows) <= 1, f"{where}: a move has too large a number")
        _need(view == match.view(seat), f"{where}: an encoding changed the view")


def check_end(match: Match, where: str) -> None:
    """The result has its shape, and no further move is possible."""
    result = match.result
    if result is None:
        raise BrokenPromiseError(f"{where}: nobody can move, but there is no result")
    _need(all(key in result for key in RESULT_KEYS), f"{where}: the result lacks a key")
    ranks = result["ranks"]
    fair = all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    _need(
        fair and len(ranks) == len(result["scores"]),
        f"{where}: {ranks} are not competition ranks such as 1, 1, 3, one for each side",
    )
    winners = [side for side, rank in enumerate(ranks) if rank == 1]
    _need(result["winners"] == winners, f"{where}: winners are not those of rank 1")
    _need(match.scores == result["scores"], f"{where}: the scores are not the result's")
    _need(match.legal_moves() == [], f"{where}: there are moves after the end")
    _need(match.deals, f"{where}: no deal was finished")
    try:
        match.play("6C")
    except IllegalMove:
        return
    raise BrokenPromiseError(f"{where}: a move was played after the end")


def check_repeat(match: Match) -> None:
    """Equal seeds and equal decks give equal matches; another seed gives another deal."""
    where = f"{match.format}, seed {match.seed!r}"
    again = Match(match.format, seed=match.seed)
    from_decks = Match(match.format, decks=[deal["deck"] for deal in match.deals])
    for move in match.moves:
        again.play(move)
        from_decks.play(move)
    _need(again.events(None) == match.events(None), f"{where}: repeating it gave another match")
    _need(from_decks.result == match.result, f"{where}: its decks gave another result")
    pack = match.format.spec.pack(match.format)
    for deal in match.deals:
        order = [TEXT[card] for card in shuffled(pack, match.seed or "", deal["deal"])]
        _need(order == deal["deck"], f"{where}: deal {deal['deal']} is not the seed's shuffle")


def check_record(match: Match) -> None:
    """The record verifies, survives JSON and shows frames; a falsified one is refused."""
    where = f"{match.format}, seed {match.seed!r}"
    record = Record.from_json(Record.of(match).dumps())
    _need(record.verify().result == match.result, f"{where}: the record gives another result")
    frames = list(record.frames())
    numbers = [frame["n"] for frame in frames if frame["n"] is not None]
    _need(numbers == list(range(len(match.moves))), f"{where}: a move has no frame")
    for frame in frames:
        _need(frame["sentence"] and frame["clause"], f"{where}: frame {frame['n']} says nothing")
    _need(json.dumps(frames), f"{where}: frames are not JSON")
    _check_lines(match, frames, where)
    for at in {0, len(record.moves) // 2, len(record.moves) - 1}:
        false = Record.from_json(record.to_json())
        false.moves[at] = "nonsense"
        _need(_refused(false) == at, f"{where}: a falsified move {at} is not named")
    false = Record.from_json(record.to_json())
    false.result = {**(false.result or {}), "scores": [999 for _ in match.scores]}
    _need(_refused(false) is None, f"{where}: the error for falsified scores names a move")


def _check_lines(match: Match, frames: Sequence[dict[str, Any]], where: str) -> None:
    """All frames have the same lines, with points for each side; each line has its own key."""
    tallies = [match.format.spec.tally(match.format, frame["view"]) for frame in frames]
    heads = {tuple(line[:3] for line in tally) for tally in tallies}
    _need(len(heads) == 1, f"{where}: the tally has other lines in other frames")
    sides = {len(line.points) for tally in tallies for line in tally}
    _need(sides <= {len(match.scores)}, f"{where}: the points of the tally do not go by side")
    sheets = [[line.get("key", "") for line in deal["sheet"]["lines"]] for deal in match.deals]
    for keys in [[line.key for line in tallies[0]], *sheets]:
        _need(len(set(keys)) == len(keys), f"{where}: two lines have one key: {keys}")
        wrong = [key for key in keys if not _KEY.fullmatch(key)]
        _need(not wrong, f"{where}: keys of lines are lower case, digits and underscores: {wrong}")


def _refused(record: Record) -> int | None:
    try:
        record.verify()
    except RecordError as error:
        return error.number
    raise BrokenPromiseError(f"{record.format}, seed {record.seed!r}: a falsified record verifies")


def _need(promise: object, message: str) -> None:
    if not promise:
        raise BrokenPromiseError(message)
