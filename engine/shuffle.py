"""The shuffle, which anyone can recompute: Fisher-Yates with a stream of SHA-256 hashes.

Source: docs/rules/README.md, "Deck and shuffle".

>>> shuffled(range(10), "any text", 0)
[3, 7, 9, 2, 4, 6, 8, 0, 1, 5]
>>> commitment("any text")
'4f2ce67a39ff6e415af5f115a4966e5ca3b1101f64639692054a0606ba4fb558'
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from struct import unpack
from typing import TYPE_CHECKING, Final

from engine import cards

if TYPE_CHECKING:
    from engine.game import Format

MAX_SEED: Final = 200
"""Maximum length, in characters, of a seed: each deal's shuffle hashes the whole seed."""
_WORDS: Final = 1 << 32


def check_seed(seed: str) -> None:
    """Raise ValueError unless `seed` is text that UTF-8 can encode."""
    if not isinstance(seed, str):
        raise ValueError(f"A seed is text, not {seed!r:.80}.")  # noqa: TRY004 - bad input is a ValueError by contract
    if len(seed) > MAX_SEED:
        raise ValueError(f"A seed has at most {MAX_SEED} characters; this has {len(seed):,}.")
    try:
        seed.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"A seed must be valid UTF-8; character {error.start} is half a surrogate pair: "
            f"{seed[error.start]!r}."
        ) from None


def commitment(seed: str) -> str:
    """A commitment to a seed, for publication before play: 64 hexadecimal digits of SHA-256.

    Nobody can find another seed with the same commitment. It reveals nothing about the seed if that
    was drawn from a large range, such as 2^128 values.
    """
    text = seed.encode()
    return sha256(b"cardroom-commitment-1" + len(text).to_bytes(8, "big") + text).hexdigest()


def deal_key(seed: str, number: int) -> bytes:
    """The key of deal `number` (from 0) of the match with this seed."""
    return sha256(
        b"cardroom-shuffle-1\0" + seed.encode() + b"\0" + number.to_bytes(8, "big")
    ).digest()


def stream_words(key_: bytes, block: int) -> tuple[int, ...]:
    """The eight 32-bit words of one block of the stream of a key."""
    return unpack(">8I", sha256(key_ + block.to_bytes(8, "big")).digest())


def shuffled(deck: Sequence[int], seed: str, number: int) -> list[int]:
    """`deck` in the order of deal `number` (from 0); index 0 is the top."""
    cards = list(deck)
    stream_key = deal_key(seed, number)
    block = stream_words(stream_key, 0)
    words_read = 0  # words taken from the stream so far
    for i in range(len(cards) - 1, 0, -1):
        limit = _WORDS - _WORDS % (i + 1)
        word = limit
        while word >= limit:
            word = block[words_read & 7]
            words_read += 1
            if words_read & 7 == 0:
                block = stream_words(stream_key, words_read >> 3)
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def read_decks(fmt: Format, decks: Sequence[Sequence[str]]) -> list[list[int]]:
    """Explicit decks as cards; ValueError names a deck that is not the format's pack."""
    if not isinstance(decks, Sequence) or isinstance(decks, str):
        raise ValueError(f"decks is a list with one list of cards per deal, not {decks!r:.80}.")  # noqa: TRY004 - bad input is a ValueError by contract
    fresh_deck = sorted(fmt.spec.pack(fmt))
    result = []
    for number, texts in enumerate(decks):
        deck = cards.parse_cards(texts)
        if sorted(deck) != fresh_deck:
            missing, extra = list(fresh_deck), []
            for card in deck:
                if card in missing:
                    missing.remove(card)
                else:
                    extra.append(card)
            raise ValueError(
                f"Deck {number} is not a whole deck of {fmt}: "
                f"missing {' '.join(cards.texts(missing)) or 'nothing'}, "
                f"too many {' '.join(cards.texts(extra)) or 'none'}."
            )
        result.append(deck)
    return result
