"""The shuffle that anyone can recompute: SHA-256 as a stream, Fisher-Yates over it.

Described in docs/rules/README.md, "Deck and shuffle".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import unpack

_WORDS = 1 << 32


def key(seed: str, number: int) -> bytes:
    """The key of deal `number` (from 0) of the match with this seed."""
    return sha256(
        b"cardroom-shuffle-1\0" + seed.encode() + b"\0" + number.to_bytes(8, "big")
    ).digest()


def words(key_: bytes) -> Iterator[int]:
    """The endless stream of 32-bit words that belongs to a key."""
    block = 0
    while True:
        yield from unpack(">8I", sha256(key_ + block.to_bytes(8, "big")).digest())
        block += 1


def shuffled(deck: Sequence[int], seed: str, number: int) -> list[int]:
    """`deck` in the order of deal `number` (from 0); index 0 is the top."""
    cards = list(deck)
    stream = words(key(seed, number))
    for i in range(len(cards) - 1, 0, -1):
        limit = _WORDS - _WORDS % (i + 1)
        word = next(stream)
        while word >= limit:
            word = next(stream)
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards
