"""Checks the names of accounts, bots, teams and tournaments.

A name consists of words of letters, digits and ASCII signs, separated by single spaces. The words
are PRECIS identifiers (RFC 8264 and 8265), in one script or in a usual combination of scripts (UTS
39, "highly restrictive"). Names that look alike have the same `skeleton`, which is unique.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from cardroom_base.core.safe_text import cut_marks

MAX_SKELETON: Final = 400
"""Length limit of a skeleton: room for 48 characters that each look like 7 others (Hangul)."""
MAX_MARKS: Final = 3
"""Limit of marks on one letter, for Vietnamese and Hebrew; more would cover other lines."""
HOUSE: Final = "house:"
"""Prefix of house bots' names; no other name may begin with it or look as if it did."""
RANDOM: Final = HOUSE + "random"
"""The house bot that plays any legal move: the easiest opponent, and an anchor of ratings."""
RESERVED: Final = frozenset(
    {
        "admin",
        "administrator",
        "anonymous",
        "bot",
        "cardroom",
        "dealer",
        "everybody",
        "everyone",
        "former author",
        "guest",
        "house",
        "me",
        "mod",
        "moderator",
        "no one",
        "nobody",
        "null",
        "none",
        "official",
        "opponent",
        "organizer",
        "owner",
        "referee",
        "root",
        "security",
        "site",
        "somebody",
        "someone",
        "staff",
        "support",
        "sysop",
        "system",
        "the house",
        "undefined",
        "webmaster",
        "you",
        "yourself",
    }
)
"""Names that nobody may have or imitate: words for the site, for nobody and for the reader."""
HOUSE_BOTS: Final = frozenset(
    {
        "canasta",
        "cassino",
        "expert",
        "greedy",
        "paks",
        "random",
        "search",
        "spoon-eye",
        "zwicker",
    }
)
"""Names of house bots without `house:`; a level may follow."""
MAX_STROKES: Final = 3
"""Length limit of a name that consists only of strokes, such as ``III``."""
FORMER_AUTHOR: Final = "a former author"
"""Names of closed accounts consist of this and a number."""
SEAT_NAMES: Final = frozenset(
    {"north", "east", "south", "west", "north-east", "north-west", "south-east", "south-west"}
)
"""Names of seats in sentences at a table (`engine.english.seat_name`)."""
_IMITATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "a": "[a4@]",
        "b": "[b68]",
        "c": "[c(<]",
        "d": "(?:d|cl)",
        "e": "[e3]",
        "g": "[g69]",
        "h": "[h#]",
        "i": "[l!]",
        "l": "[l!]",
        "m": "(?:rn|nn)",
        "o": r"(?:o|\(\))",
        "s": "[s5$]",
        "t": "[t7+]",
        "u": "[uv]",
        "w": "(?:w|vv)",
        "z": "[z2]",
    }
)
"""Letters → the characters that can imitate them in a skeleton, where i, l and 1 are one sign, as
are o and 0."""
_AROUND_NAMES: Final = " .,:;'\"`"
_SEPARATOR: Final = r"[\W_]"
_ARTICLE: Final = rf"(?:(?:an?|the){_SEPARATOR}+)*"
_NUMBER: Final = "0123456789 -_.#"
_SCRIPT_MIXES: Final = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Sets of scripts that one name may mix (UTS 39, 5.2)."""
_SHARED_SCRIPTS: Final = frozenset({"COMMON", "INHERITED"})
_DIRECTION_CHARS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of text."""


class BadNameError(ValueError):
    """An invalid name; the message is the reason, as the end of "The name …"."""


def normalize(name: str, limit: int) -> str:
    """The normalised name, for storage; BadNameError if it is invalid or has more than `limit`
    characters."""
    words = name.split()
    if not words or len(name) > 4 * limit:
        raise BadNameError(f"has {len(name)} characters; it may have 1 to {limit}.")
    name = " ".join(map(_normalize_word, words))
    if len(name) > limit:
        raise BadNameError(f"has {len(name)} characters; it may have 1 to {limit}.")
    if not any(char.isalnum() for char in name):
        raise BadNameError("has no letter and no digit.")
    _check_marks(name)
    if not name.isascii():
        _check_scripts(name)
        _check_digits(name)
    strokes = skeleton(name)
    if len(strokes) > MAX_STROKES and not strokes.strip("l "):
        raise BadNameError("consists only of strokes (I, l, 1, |), which look alike.")
    return name


def looks_like_house(name: str) -> bool:
    """Whether a name seems to begin with `house:`."""
    return bool(_patterns().prefix.match(_plain_skeleton(name)))


BOT_ADDRESS: Final = rf"^(?:{HOUSE})?[-a-zA-Z0-9_]+\Z"
"""Pattern of a bot in a request: its address name, or `house:NAME` for a house bot."""


def slug_of(name: str) -> str:
    """The address name (slug) of a bot that a request names; `house:NAME` becomes
    `house-NAME`."""
    return name.replace(HOUSE, f"{HOUSE[:-1]}-", 1) if name.startswith(HOUSE) else name


LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        RANDOM: "Dabbler",
        HOUSE + "expert-1": "Novice",
        HOUSE + "expert-2": "Regular",
        HOUSE + "expert-3": "Old Hand",
        HOUSE + "expert-4": "Sharp",
        HOUSE + "expert-5": "Master",
        HOUSE + "expert": "The House",
    }
)
"""The opponent scale: house bots from easiest to hardest, with the names that people see."""


def display_name(name: str) -> str:
    """A bot's name as people see it at a table.

    >>> display_name("house:expert-3"), display_name("house:greedy"), display_name("Magpie")
    ('Old Hand', 'House Greedy', 'Magpie')
    """
    if name in LEVELS:
        return LEVELS[name]
    if not name.startswith(HOUSE):
        return name
    return " ".join(word.capitalize() for word in slug_of(name).split("-"))


def looks_like_display_name(name: str) -> bool:
    """Whether a name looks like the `display_name` of a house bot."""
    return any(_patterns().friendly.fullmatch(text) for text in _readings(name))


def is_reserved(name: str) -> bool:
    """Whether a name could pass for the site, for one of its bots, or for "you".

    This applies to accounts, bots, teams and guests. Digits and signs count as the letters that
    they imitate: ``4dmin``, ``hou$e``.
    """
    if looks_like_house(name) or looks_like_display_name(name):
        return True
    return bool(_patterns().reserved.fullmatch(_plain_skeleton(name))) or any(
        _patterns().numbered.fullmatch(text) for text in _readings(name)
    )


def is_seat_name(name: str) -> bool:
    """Whether a name reads like a seat of a table: ``North``, ``the s0uth-west``. Nobody at a table
    may have such a name, because sentences there name seats."""
    return any(_patterns().place.fullmatch(text) for text in _readings(name))


def skeleton(name: str) -> str:
    """A key that is equal for names that look alike (UTS 39, 4).

    Case makes no difference, nor do punctuation and quotes around a name, because a sentence may
    put them there. The letters i, l, I, 1 and | count as the same stroke, and vv counts as w.
    """
    return _looks(name).replace("vv", "w").strip(_AROUND_NAMES)[:MAX_SKELETON]


def _looks(name: str) -> str:
    """The characters that a name seems to have."""
    lookalikes = _lookalikes()
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name).casefold())
    visible = (char for char in folded if unicodedata.category(char) != "Cf")  # joiners
    replaced = "".join(lookalikes.get(char, char) for char in visible)
    return unicodedata.normalize("NFD", replaced.casefold()).replace("i", "l")


def digest(name: str) -> str:
    """A hash to store instead of a name; it is equal for names that look alike."""
    return hashlib.sha256(skeleton(name).encode()).hexdigest()


def check_text(text: str) -> str:
    """Return the text; BadNameError if it contains control characters, characters that change the
    direction of text, or stacks of marks."""
    for char in text:
        is_control = unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t\r"
        if is_control or char in _DIRECTION_CHARS:
            raise BadNameError(f"holds {character_text(char)}, which is not text.")
    if cut_marks(text) != text:
        raise BadNameError(f"has more than {MAX_MARKS} marks on one letter.")
    return text


def character_text(char: str) -> str:
    """A character's number and name, because its appearance may deceive."""
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()


# --- words --------------------------------------------------------------------------------------


def _normalize_word(word: str) -> str:
    from precis_i18n import get_profile

    try:
        return str(get_profile("UsernameCasePreserved").enforce(word))
    except UnicodeEncodeError as error:
        raise BadNameError(_reason(str(error.object), error.start, error.reason)) from None


def _reason(word: str, index: int, reason: str) -> str:
    kind = reason.partition("/")[2]
    if kind == "bidi_rule":
        return (
            "has a word that mixes reading from the left and from the right; "
            "begin it with a letter, and put a space where the direction changes."
        )
    if kind in {"empty", "not_idempotent"}:
        return "can be written in several ways; use other characters."
    char = word[index]
    return f"holds {character_text(char)}{_REASONS.get(kind, '')}; {_replacement_hint(char)}"


_REASONS: Final = {
    "unassigned": ", which is not a character yet",
    "precis_ignorable_properties": ", which cannot be seen",
    "controls": ", which cannot be seen",
}


def _replacement_hint(char: str) -> str:
    """A remark on how to replace a character."""
    for plain in (unicodedata.normalize("NFKC", char), _lookalikes().get(char, "")):
        if plain.isascii() and plain.isprintable() and plain.strip():
            return f"write {plain} instead."
    return "use letters, digits, spaces and ASCII signs."


def _check_marks(name: str) -> None:
    """Refuse marks without a letter, too many marks on one letter, and repeated marks."""
    marks: list[str] = []
    letter = " "
    for char in unicodedata.normalize("NFD", name):
        if not unicodedata.category(char).startswith("M"):
            marks, letter = [], char
            continue
        if not letter.isalnum():
            raise BadNameError(f"holds {character_text(char)} without a letter before it.")
        if char in marks or len(marks) == MAX_MARKS:
            raise BadNameError(
                f"has too many marks on one letter: {character_text(char)} is one too many."
            )
        marks.append(char)


def _check_digits(name: str) -> None:
    zeros = {ord(char) - unicodedata.decimal(char) for char in name if char.isdecimal()}
    if len(zeros) > 1:
        foreign = next(char for char in name if char.isdecimal() and not char.isascii())
        raise BadNameError(
            f"mixes two kinds of digits: {character_text(foreign)} is not like the others."
        )


def _check_scripts(name: str) -> None:
    first_chars: dict[str, str] = {}
    for char in name:
        first_chars.setdefault(_script(char), char)
    scripts = first_chars.keys() - _SHARED_SCRIPTS
    if len(scripts) < 2 or any(scripts <= mix for mix in _SCRIPT_MIXES):
        return
    foreign = next(
        (first_chars[script] for script in first_chars if script in scripts - {"LATIN"}), name[0]
    )
    words = " and ".join(script.replace("_", " ").title() for script in sorted(scripts))
    raise BadNameError(
        f"mixes {words} letters: it holds {character_text(foreign)}; {_one_script(foreign)}"
    )


def _one_script(char: str) -> str:
    plain = _lookalikes().get(char.casefold(), "")
    if plain.isascii() and plain:
        return f"write {plain} instead, or the whole name in one script."
    return "write it in one script."


# --- data ---------------------------------------------------------------------------------------


def _script(char: str) -> str:
    from confusable_homoglyphs.categories import alias

    return str(alias(char)).upper()


class _Patterns(NamedTuple):
    """Patterns of refused names, to match against `_plain_skeleton` and `_readings`."""

    prefix: re.Pattern[str]
    friendly: re.Pattern[str]
    reserved: re.Pattern[str]
    numbered: re.Pattern[str]
    """Names that are refused with any number at the end; ``Bot 7`` is allowed."""
    place: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    house, cardroom = _lookalike_pattern(HOUSE[:-1]), _lookalike_pattern("cardroom")
    words = (
        f"(?:{_any_of(RESERVED - {'bot'})}{_lookalike_pattern('s')}?|{_lookalike_pattern('bot')})"
    )
    row = rf"{words}\d*(?:{_SEPARATOR}+{words}\d*)+"
    return _Patterns(
        prefix=_compile(f"{house}{_SEPARATOR}*:"),
        friendly=_compile(
            rf"{house}\d*(?:{_SEPARATOR}.*)?|{_ARTICLE}(?:{_any_of(LEVELS.values())}|{house})"
        ),
        reserved=_compile(rf"{_ARTICLE}{words}|{cardroom}\d*(?:{_SEPARATOR}.*)?"),
        numbered=_compile(
            f"{_ARTICLE}(?:{_any_of(RESERVED - {'bot'})}{_lookalike_pattern('s')}?|{row}"
            f"|(?:{house}{_SEPARATOR}*)?{_any_of(HOUSE_BOTS)})"
        ),
        place=_compile(f"{_ARTICLE}{_any_of(SEAT_NAMES)}"),
    )


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(f"{_SEPARATOR}*(?:{pattern}){_SEPARATOR}*", re.DOTALL)


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(_lookalike_pattern, sorted(words)))})"


def _lookalike_pattern(word: str) -> str:
    """A pattern that finds imitations of a word in a `_plain_skeleton`, with optional separators
    between letters."""
    imitations = _IMITATIONS if len(word) > 2 else {}  # ``M3`` is not ``me``
    letters = filter(str.isalnum, word.casefold())
    return f"{_SEPARATOR}*".join(imitations.get(letter, skeleton(letter)) for letter in letters)


def _plain_skeleton(name: str) -> str:
    """The skeleton without marks on letters, which readers easily overlook."""
    return "".join(char for char in _looks(name) if not unicodedata.category(char).startswith("M"))


def _readings(name: str) -> list[str]:
    """Plain skeletons of a name, and of the name without some or all digits at its end.

    A whole number is not read as letters: ``Bot 607`` does not match *bot bot*.
    """
    end = len(name.rstrip(_NUMBER))
    if name[end : end + 1].strip("0123456789"):
        return [_plain_skeleton(name[:end])]
    shortened = [name[:length] for length in range(len(name) - 1, max(end, 1) - 1, -1)]
    return [_plain_skeleton(text) for text in (name, *shortened)]


@cache
def _lookalikes() -> dict[str, str]:
    """Characters → the look-alikes that replace them in skeletons.

    The library lists look-alikes in both directions. If a character has several
    look-alikes, they all map to it. In a pair, a character maps to a text of several characters;
    otherwise the second of the two in Unicode's order maps to the first.
    """
    from confusable_homoglyphs.confusables import confusables_data

    lookalikes = {
        _without_marks(char): [_without_marks(entry["c"]) for entry in targets]
        for char, targets in confusables_data.items()
    }
    return {
        char: unicodedata.normalize("NFD", targets[0])
        for char, targets in lookalikes.items()
        if len(char) == 1
        and len(targets) == 1
        and _maps_to(char, targets[0], lookalikes.get(targets[0], []))
    }


def _without_marks(text: str) -> str:
    """The text without the marks that the library puts around right-to-left characters."""
    return text.replace("\u200e", "") or text


def _maps_to(char: str, target: str, reverse: Iterable[str]) -> bool:
    """Whether `target` replaces `char`, not the reverse. `reverse`: the look-alikes of `target`."""
    if len(target) > 1 or len(set(reverse)) > 1:
        return True
    return target < char
