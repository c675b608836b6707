"""English phrases that the games' sentences share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from engine.cards import CODE, FIRST_JOKER, RANK_NAMES, RANK_PLURALS, name
from engine.declarations import PLACES, join_words
from engine.game import Format, Telling
from engine.move_parts import MovePart, Path

_NUMBERS: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
)
SUIT_SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_ENDINGS: Final = {  # by the reason of a result
    "target": "The target is reached",
    "count": "Several have reached the target, and the deal is counted again",
    "claim": "The claim is right",
    "false_claim": "The claim is wrong",
    "deals": "That was the last deal",
    "decks": "No deck is left",
    "position": "The position is played out",
}


def seat_name(seats: int, seat: int) -> str:
    """The name of a seat at a table of `seats`: ``South``."""
    return PLACES[seats][seat]


_SEAT: Final = re.compile(r"@(\d)('s)?")
_WORD: Final = re.compile(r"~(\w+)")
_SECOND: Final = {  # irregular second-person forms, by third-person form
    "has": "have",
    "is": "are",
    "does": "do",
    "goes": "go",
    "was": "were",
    "their": "your",
}


def make_telling(seats: int, marked: str, clause: str = "", marks: tuple[str, ...] = ()) -> Telling:
    """A `Telling` at a table of `seats`.

    `marked`: the sentence. ``@2`` stands for seat 2; ``~`` marks each verb, and each ``their``,
    that agrees with the first seat in the sentence.

    >>> make_telling(2, "@0 ~lays the six on ~their own ace and ~builds seven.").sentence
    'South lays the six on their own ace and builds seven.'
    """
    return Telling(_render(PLACES[seats], marked, None), clause, marks, marked)


def sentence_for(telling: Telling, seats: int, seat: int | None, names: Sequence[str] = ()) -> str:
    """The sentence for a reader. `seat`: the reader's own, called *you*; None for a spectator.

    `names`: the names of all seats, instead of South, West …

    >>> telling = make_telling(2, "@0 ~lays the six on ~their own ace and ~builds seven.")
    >>> sentence_for(telling, 2, 0)
    'You lay the six on your own ace and build seven.'
    """
    if not telling.marked:
        return telling.sentence
    return _render(names or PLACES[seats], telling.marked, seat)


def _render(names: Sequence[str], marked: str, seat: int | None) -> str:
    first = _SEAT.search(marked)
    is_addressed = first is not None and first[1] == str(seat)
    text = _WORD.sub(lambda word: _second_person(word[1]) if is_addressed else word[1], marked)
    text = _SEAT.sub(lambda seat_mark: _seat_text(names, seat_mark, seat), text)
    return capital(text)


def _seat_text(names: Sequence[str], seat_mark: re.Match[str], seat: int | None) -> str:
    """A seat in a sentence, including the possessive ending."""
    number, possessive = int(seat_mark[1]), seat_mark[2] or ""
    if number == seat:
        return "your" if possessive else "you"
    return names[number] + possessive


def _second_person(word: str) -> str:
    """The second-person form of a verb in the third person."""
    if word in _SECOND:
        return _SECOND[word]
    if re.search("(?:ss|sh|ch|x)es$", word):
        return word[:-2]
    return word[:-1]


def side_name(sides: Sequence[Sequence[int]], side: int) -> str:
    """The name of a side by its seats: ``South and North``."""
    seats = sum(map(len, sides))
    return join_words([seat_name(seats, seat) for seat in sides[side]])


def the_cards(cards: Sequence[int]) -> str:
    """``the two of hearts and the six of diamonds``."""
    return join_words([f"the {name(card)}" for card in cards])


def the_card(text: str) -> str:
    """A card by its text: ``the two of hearts``."""
    return f"the {name(CODE[text])}"


def card_sign(text: str) -> str:
    """A short form of a card, for places with little room.

    >>> card_sign("9C"), card_sign("TD"), card_sign("X"), card_sign("X15")
    ('9♣', '10♦', 'a joker', 'joker 15')
    """
    if text == "X":
        return "a joker"
    if CODE[text] >= FIRST_JOKER:
        return name(CODE[text])
    return ("10" if text[0] == "T" else text[0]) + SUIT_SIGNS[text[1]]


def card_signs(texts: Sequence[str]) -> str:
    """``2♦ and 7♥``."""
    return join_words([card_sign(text) for text in texts])


MOST_NAMED: Final = 4
"""Maximum number of cards that a button names; if there are more, it gives their number."""


def cards_label(cards: Sequence[str], separator: str = " ") -> str:
    """Cards on a button: ``3♠ 6♥ 9♠``; more than four as ``6 cards``."""
    if len(cards) > MOST_NAMED:
        return f"{len(cards)} cards"
    return separator.join([card_sign(card).removeprefix("a ") for card in cards])


def card_parts(cards: Sequence[str], kind: str = "hand") -> dict[str, MovePart]:
    """Parts for the cards of a list in the view, by card text; equal cards share a part.

    `kind`: the kind of the parts, and the key of the list in the view.
    """
    paths: dict[str, list[Path]] = {}
    for index, card in enumerate(cards):
        paths.setdefault(card, []).append((kind, index))
    return {
        card: MovePart(f"{kind}:{card}", card_sign(card), tuple(card_paths))
        for card, card_paths in paths.items()
    }


_GERUNDS: Final = {"put": "putting"}


def gerund_phrase(deed: str) -> str:
    """A deed as the subject of a sentence.

    >>> deeds = ("take 3♠ with 9♣", "put 4♣ on your first mast", "pass")
    >>> tuple(map(gerund_phrase, deeds))
    ('taking 3♠ with 9♣', 'putting 4♣ on your first mast', 'passing')
    """
    verb, space, object_text = deed.partition(" ")
    return (_GERUNDS.get(verb) or f"{verb.removesuffix('e')}ing") + space + object_text


def capital(sentence: str) -> str:
    """The sentence with its first letter capitalised."""
    return sentence[:1].upper() + sentence[1:]


def article(word: str) -> str:
    """``a nine``, ``an ace``."""
    return f"{'an' if word[0] in 'ae' else 'a'} {word}"


def number_word(number: int) -> str:
    """A small number as a word, a larger one in digits."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def rank_plural(rank: int) -> str:
    """``sixes``."""
    return RANK_PLURALS[rank]


def rank_name(rank: int) -> str:
    """``six``."""
    return RANK_NAMES[rank]


def count_of(number: int, singular: str, plural: str = "") -> str:
    """``1 point``, ``3 points``."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def seats_marked(seats: Sequence[int]) -> str:
    """Seats for `make_telling`: ``@0 and @2``."""
    return join_words([f"@{seat}" for seat in seats])


def last_cards(fmt: Format, seats: Sequence[int], cards: Sequence[str], clause: str) -> Telling:
    """The sentence about the last cards on the table, which go to `seats`."""
    subject = "card goes" if len(cards) == 1 else f"{number_word(len(cards))} cards go"
    sentence = f"The last {subject} to {seats_marked(seats)}, who captured last."
    return make_telling(fmt.seats, sentence, clause, tuple(cards))


def points_of(fmt: Format, points: Sequence[int]) -> str:
    """Points by side, marked for `make_telling`: ``@0 3 points and @1 1 point``."""
    sides = zip(fmt.sides, points, strict=False)
    return join_words(
        [f"{seats_marked(seats)} {count_of(number, 'point')}" for seats, number in sides]
    )


def ending(fmt: Format, winners: Sequence[int], reason: str, clauses: Mapping[str, str]) -> Telling:
    """The sentence about the end of a match.

    `winners`: the sides that won. `reason`: that of the result. `clauses`: by reason, the clause.
    """
    names = join_words([seats_marked(fmt.sides[side]) for side in winners])
    if len(winners) > 1:
        outcome = f"a draw between {names}"
    else:
        outcome = f"{names} {'win' if len(fmt.sides[winners[0]]) > 1 else '~wins'}"
    return make_telling(fmt.seats, f"{_ENDINGS[reason]}: {outcome}.", clauses[reason])
