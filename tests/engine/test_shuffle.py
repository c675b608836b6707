import hashlib
from collections import Counter

from engine.cards import pack, texts
from engine.shuffle import commitment, deal_key, shuffled, stream_words


def test_a_commitment_is_the_labelled_hash_of_the_document() -> None:
    # By hand: printf 'cardroom-commitment-1\0\0\0\0\0\0\0\4demo' | sha256sum
    assert (
        commitment("demo")
        == hashlib.sha256(b"cardroom-commitment-1\0\0\0\0\0\0\0\4demo").hexdigest()
    )
    assert commitment("ü") != commitment("u") != commitment("")


def test_the_shuffle_equals_the_documents_example() -> None:
    assert stream_words(deal_key("demo", 0), 0)[0] == 3061654023
    expected = ["5C", "6H", "9D", "4S", "AS", "5D", "JS", "KD", "7C", "4H", "8H", "JH", "9S"]
    assert texts(shuffled(pack(), "demo", 0))[:13] == expected
    assert texts(shuffled(pack(), "demo", 1))[:5] == ["QD", "TS", "8D", "AD", "QS"]


def test_a_shuffle_keeps_all_cards_and_does_not_change_its_deck() -> None:
    deck = pack(["X", "X"]) * 2
    original = list(deck)
    assert sorted(shuffled(deck, "ünïcode ♠", 3)) == sorted(deck)
    assert deck == original
    assert shuffled([], "s", 0) == []


def test_every_place_is_about_equally_likely() -> None:
    tops = Counter(shuffled(range(4), f"seed {n}", n)[0] for n in range(2000))
    assert all(400 < tops[card] < 600 for card in range(4))
