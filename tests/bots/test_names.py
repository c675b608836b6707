"""Validation and normalization of names."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.referee import house
from cardroom_base.core import names
from cardroom_base.core.names import (
    BadNameError,
    check_text,
    is_reserved,
    is_seat_name,
    looks_like_house,
    normalize,
    skeleton,
)
from engine.declarations import PLACES

LIMIT = 48
anything = st.text(max_size=60)
wild = st.text(
    st.sampled_from("aаαoо0O 1lI|‐-\u0301\u0323\u200d\u202e\u2800\u3164Ａ凪さアー가ب١2:：")
)


def result_of(check: Any, *arguments: Any) -> tuple[str | None, str]:
    """The result of a check, or None, and its error message."""
    try:
        return check(*arguments), ""
    except BadNameError as error:
        return None, str(error)


@pytest.mark.parametrize(
    "name",
    [
        *("Magpie", "Magpie 2", "o'Neil & Söhne #1", "Müller-Lüdenscheidt", "Crème brûlée", "Łódź"),
        *(
            "凪 Nagi",
            "さくら",
            "カタ・カナ",
            "ラーメン",
            "春の bot",
            "한국어 봇",
            "中文 Bot",
            "ㄅㄆ bot",
        ),
        *("علي", "علي 2", "فارسی", "می‌خواهم", "שָׁלוֹם", "हिन्दी", "नमस्ते दुनिया", "ไทยแลนด์"),
        *("Việt Nam", "Ночь 2", "Ελλάδα", "ქართული", "հայերեն", "አማርኛ", "தமிழ்", "col·lecció"),
    ],
)
def test_names_of_many_languages_pass_as_they_are(name: str) -> None:
    assert normalize(name, LIMIT) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("  a \u3000 b\t", "a b"),
        ("Ｆｕｌｌ", "Full"),
        ("ｱｲ", "アイ"),
        ("Cafe\u0301", "Café"),
        ("house：x", "house:x"),
    ],
)
def test_spellings_are_normalized(name: str, normal: str) -> None:
    assert normalize(name, LIMIT) == normal


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r\u0430ndom", "U+0430 CYRILLIC SMALL LETTER A; write a instead"),
        ("honest\u2010a", "U+2010 HYPHEN; write - instead"),
        ("L\u2019Étoile", "U+2019 RIGHT SINGLE QUOTATION MARK; write ' instead"),
        ("\ufb01n", "U+FB01 LATIN SMALL LIGATURE FI; write fi instead"),
        ("Ⅷ", "write VIII instead"),
        ("\u3164", "U+3164 HANGUL FILLER, which cannot be seen"),
        ("\u2800", "U+2800 BRAILLE PATTERN BLANK"),
        ("a\u00adb", "U+00AD SOFT HYPHEN, which cannot be seen"),
        ("a\u200bb", "U+200B ZERO WIDTH SPACE, which cannot be seen"),
        ("a\u200db", "U+200D ZERO WIDTH JOINER"),
        ("a\u202eb", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("a\ufe0fb", "U+FE0F VARIATION SELECTOR-16"),
        ("a\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A"),
        ("a\u034fb", "U+034F COMBINING GRAPHEME JOINER"),
        ("a\x1b[31m", "U+001B"),
        ("a\ue000", "U+E000"),
        ("a\u0378", "U+0378, which is not a character yet"),
        ("a\ud800", "U+D800"),
        ("a\ufffe", "U+FFFE"),
        ("a" + "\u0301" * 40, "too many marks"),
        ("a" + "\u0301" * 2, "too many marks"),
        ("a\u0323\u0301\u0300\u0302", "too many marks"),
        (" \u0301a", "without a letter before it"),
        ("...", "no letter and no digit"),
        ("αlpha", "mixes Greek and Latin"),
        ("бот bot", "mixes Cyrillic and Latin"),
        ("한 さ", "mixes Hangul and Hiragana"),
        ("1 ٢", "direction"),
        ("२ 2 अ", "two kinds of digits"),
        ("", "1 to 48"),
        ("x" * 49, "has 49 characters"),
        ("x" * 10**6, "has 1000000 characters"),
    ],
)
def test_bad_characters_are_named_by_number_and_name(name: str, text: str) -> None:
    with pytest.raises(BadNameError) as error:
        normalize(name, LIMIT)
    assert text in str(error.value)
    assert str(error.value).isprintable()


@given(anything | wild)
def test_normalizing_is_idempotent(name: str) -> None:
    normal, error = result_of(normalize, name, LIMIT)
    assert error.isprintable()
    if normal is None:
        assert error.endswith(".")
        return
    assert normalize(normal, LIMIT) == normal
    assert 0 < len(normal) <= LIMIT
    assert normal.isprintable()
    assert "  " not in normal
    assert normal.strip() == normal
    assert not any(unicodedata.category(char) in {"Cc", "Cn", "Co", "Cs", "So"} for char in normal)


@given(anything | wild)
def test_all_spellings_have_one_skeleton(name: str) -> None:
    if any(unicodedata.category(char) == "Cs" for char in name):
        return
    expected = skeleton(name)
    for spelling in (name.upper().lower(), name.casefold()):
        assert skeleton(spelling.casefold()) == skeleton(spelling)
    assert skeleton(unicodedata.normalize("NFD", name)) == expected
    assert skeleton(unicodedata.normalize("NFC", name)) == expected


def test_a_skeleton_is_never_cut() -> None:
    """A cut skeleton would make different names look alike."""
    for code in range(0x110000):
        char = chr(code)
        if len(skeleton(char)) * LIMIT > names.MAX_SKELETON:
            with pytest.raises(BadNameError):
                normalize(char, LIMIT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Magpie", "MAGPIE"), ("random", "rаndom"), ("paypal", "раураl"), ("Bill", "BlLL")),
        *(("modern", "rnodern"), ("Cool", "C00l"), ("Straße", "STRASSE"), ("alpha", "ɑlpha")),
        *(("a-b", "a‐b"), ("エ", "工"), ("ニ", "二"), ("Ärger", "A\u0308rger"), ("x1", "xI")),
        *(("Wren", "VVren"), ("wren", "wren."), ("wren", "'wren'"), ("wren", "wren,")),
    ],
)
def test_confusable_names_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Magpie", "Magpies"), ("a-b", "ab"), ("Müller", "Muller"), ("さ", "き"), ("C", "C++")],
)
def test_different_names_have_different_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(
    "name",
    [
        "house:random",
        "HOUSE:x",
        "hоuse:x",
        "house：x",
        "house : x",
        "h0use:x",
        "houseːx",
        "һouse:x",
    ],
)
def test_the_prefix_house_is_reserved(name: str) -> None:
    assert looks_like_house(name)


def test_other_names_with_house_are_allowed() -> None:
    assert not any(map(looks_like_house, ("House", "housex", "my house: x", "greenhouse:x")))


@pytest.mark.parametrize(
    "name",
    [
        *("admin", "Staff", "r00t", "ѕite", "cardroorn", "house:x", "Ad-Min", "Cardroom!", "_bot_"),
        *("you", "Y0u", "guest", "the house", "The Admin", "a guest", "Everybody"),
        *("House Expert 3", "h\u043euse of Ann", "Expert", "expert-3", "Expert 12", "greedy"),
        *("Spoon Eye", "spooneye", "Random", "the random"),
        *(
            "A D M I N",
            "a dmin",
            "Admin 2",
            "moderators",
            "site admin",
            "the the house",
            "TheHouse",
        ),
        *("House-Greedy", "house_of_ann", "House, Greedy", "HouseGreedy", "HouseExpert3"),
        *("Old-Hand", "OldHand", "the Old Hand", "Old Hand.", "Master 2", "the sharp"),
        *("Cardroom Support", "cardroom-bot", "C\u0430rdroom 2", "No one", "guest 1", "Opponent"),
        *("4dmin", "4DM1N", "hou5e", "H0U53 of Ann", "house2 greedy", "$taff", "5t4ff 9", "@dm!n!"),
        *(
            "sy5tem",
            "6uest",
            "8ot",
            "80t",
            "n0b0dy",
            "c4rdr00m",
            "(ardroom 2",
            "M4st3r",
            "old h4nd",
        ),
        *(
            "r4ndom",
            "2wicker",
            "exper7-3",
            "vvebmaster",
            "clealer",
            "adnnin",
            "m0der4t0r5",
            "5ite ad-m1n",
        ),
        *(
            "\u00e1dmin",
            "h\u00f6use",
            "St\u00e4ff",
            "\u00d8wner",
            "h#use"[0:1] + "ou$e",
            "gue57",
            "gues+",
        ),
    ],
)
def test_names_of_the_site_are_reserved(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "staffer",
            "sitelink",
            "madmin",
            "wren",
            "Housemate",
            "Bot 7",
            "Bot 607",
            "Bot 8071",
            "Expertise",
            "Admiral",
        ),
        *("The Wren", "Random Walk", "Your Move", "Cassino Royale", "Greedy Magpie", "渚"),
        *(
            "Cardrooms United",
            "Masterly",
            "Old Hands On",
            "Themis",
            "A Mess",
            "Sitting 2",
            "Dealers Den",
        ),
        *("M3", "B52", "7even", "R2D2", "Got", "meme", "Mel", "Housel", "The Cardroom Inn"),
    ],
)
def test_similar_names_are_allowed(name: str) -> None:
    assert not is_reserved(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "North",
            "SOUTH",
            "the West",
            "n0rth",
            "5outh",
            "vvest",
            "e a s t",
            "N\u00f6rth",
            "South 2",
        ),
        *("North-East", "Northeast", "south_west", "the north west"),
    ],
)
def test_names_of_seats_are_reserved(name: str) -> None:
    assert is_seat_name(name)


def test_names_with_seat_words_are_allowed() -> None:
    names_of_people = ("Northern", "Easter", "Wester", "Southpaw", "Kanye West", "Nord", "Weston")
    assert not any(map(is_seat_name, names_of_people))


def test_every_seat_name_is_reserved() -> None:
    assert {place.lower() for places in PLACES.values() for place in places} == names.SEAT_NAMES


def test_every_reserved_word_is_otherwise_valid() -> None:
    words = names.RESERVED | names.HOUSE_BOTS
    assert all(normalize(word, LIMIT) == word for word in words)


def test_every_house_bot_is_reserved() -> None:
    assert {name.rstrip("-0123456789") for name in house.names()} == names.HOUSE_BOTS


@pytest.mark.parametrize("name", ["IIIlll", "l1l1", "||||", "IlI lIl", "Ⅲ I"])
def test_names_of_strokes_are_refused(name: str) -> None:
    assert result_of(normalize, name, LIMIT)[0] is None


@pytest.mark.parametrize("name", ["I", "III", "Ill", "Lille", "1001"])
def test_names_with_some_strokes_are_allowed(name: str) -> None:
    assert normalize(name, LIMIT) == name


@given(anything)
def test_texts_are_kept_or_refused(text: str) -> None:
    text_kept, error = result_of(check_text, text)
    assert error.isprintable()
    if text_kept is not None:
        assert text_kept == text
        assert not set(text) & set("\0\x1b\x7f\x9b\u202a\u202d\u202e\u2066\u2067\u2069")


@pytest.mark.parametrize("mark", ["\u0301", "\u0e49", "\u20dd"])
def test_texts_have_no_stacks_of_marks(mark: str) -> None:
    assert check_text("o" + mark * 3) == "o" + mark * 3
    with pytest.raises(BadNameError, match="more than 3 marks on one letter"):
        check_text("o" + mark * 4)


def test_texts_may_have_lines_and_symbols() -> None:
    assert check_text("Zeile 1\n\tסטר 2 🂡 \u200f") == "Zeile 1\n\tסטר 2 🂡 \u200f"


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("house:greedy", "House Greedy"),
        ("house:spoon-eye", "House Spoon Eye"),
        ("house:expert-3", "Old Hand"),
        ("Magpie", "Magpie"),
        ("house-martin", "house-martin"),
    ],
)
def test_house_bots_may_be_written_as_words(name: str, read: str) -> None:
    assert names.display_name(name) == read


def test_names_of_house_bots_are_reserved() -> None:
    assert names.looks_like_display_name("House Greedy")
    assert names.looks_like_display_name("h\u043euse of Ann")  # a Cyrillic o
    assert not names.looks_like_display_name("Housemate")
