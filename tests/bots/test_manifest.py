"""Manifests: valid content, and errors for invalid content."""

from __future__ import annotations

import re

import pytest

from bots.package.manifest import Manifest, ManifestError, covers, matching_formats
from engine import Format, all_formats


def test_every_key_may_be_left_out() -> None:
    manifest = Manifest.parse("")
    assert manifest == Manifest()
    assert manifest.runtime == "python"
    assert manifest.main_file == "bot.py"
    assert manifest.claimed() == all_formats()


def test_a_full_manifest_is_read() -> None:
    manifest = Manifest.parse(
        'name = " Magpie "\n'
        'formats = ["cassino/royal/*", "cassino/*/2v2"]\n'
        'command = "./magpie -f 1"'
    )
    assert manifest.name == "Magpie"
    assert manifest.command == ("./magpie", "-f", "1")
    assert manifest.runtime == ""
    assert manifest.main_file == "magpie"
    patterns = manifest.claimed()
    assert Format.parse("cassino/royal/ffa3") in patterns
    assert Format.parse("cassino/standard/2v2") in patterns
    assert Format.parse("cassino/standard/1v1") not in patterns
    assert manifest.claims(Format.parse("cassino/royal/1v1?target=11"))


def test_a_command_on_the_machine_needs_no_file() -> None:
    assert Manifest.parse('command = ["node", "main.js"]').main_file is None
    assert Manifest.parse('runtime = "node"').main_file == "bot.js"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name =", "not TOML"),
        ("[" * 60, "not TOML"),
        ("runtime = ['''x'''', {" + "a." * 3500 + "a = 1}]", "more than 64 dots"),
        ('runtime = ["""x""""", {' + "a." * 3500 + "a = 1}]", "more than 64 dots"),
        ("[" * 5000, "more than 64 brackets"),
        (".".join("a" * 4000) + " = 1", "more than 64 dots"),
        ("a = 1\n" * 65, "more than 64 keys"),
        ("x = " + "{a = " * 65, "more than 64"),
        ("x = " + "1" * 5000, "a number of more than 64 characters"),
        ("runtime = 0x" + "f" * 5000, "a number of more than 64 characters"),
        ("x" * 100 + " = 1", "a key or a number of more than 64"),
        ('"\\' * 4000, "not TOML"),
        ("#" * 9000, "longer than 8 KiB"),
        ('name = "\\ud800"', "not TOML"),
        ('formats = ["' + "a*" * 40 + '/*/*"]', "at most 64 characters"),
        ('format = ["cassino/*/*"]', "unknown key 'format': did you mean 'formats'"),
        ('zzz = "1"', "use one of name, formats, runtime, command"),
        ("name = 7", "name must be a text"),
        ('name = ""', "name must be a text"),
        (f'name = "{"x" * 49}"', "may have 1 to 48"),
        ('name = "a\\u0007b"', "holds U.0007"),
        ('name = "house:random"', "reserved for the site's own bots"),
        ('name = "house\uff1ax"', "reserved for the site's own bots"),
        ('name = "\u3164"', "U.3164 HANGUL FILLER"),
        ('name = "r\u0430ndom"', "U.0430 CYRILLIC SMALL LETTER A"),
        ("formats = []", "list of 1 to 50"),
        ("formats = 3", "list of 1 to 50"),
        (f"formats = {['*/*/*'] * 51}", "list of 1 to 50"),
        ("formats = [1]", "not a format pattern"),
        ('formats = ["cassino"]', "write game/variant/table"),
        ('formats = ["cassino/royal/2v2?target=11"]', "without options"),
        ('formats = ["casino/*/*"]', "covers no format. Did you mean cassino"),
        ('formats = ["cassino/royal/2v3"]', "The nearest is cassino/royal/2v2"),
        ('runtime = "pyton"', "did you mean 'python'"),
        ("runtime = 3", "unknown runtime"),
        ('runtime = "python"\ncommand = "./x"', "remove one of them"),
        ('needs = "numpy"', "list of libraries"),
        ("needs = [1]", "list of libraries"),
        ('needs = ["nunpy"]', "unknown library 'nunpy': did you mean 'numpy'"),
        ('needs = ["numpy"]\nruntime = "node"', "needs is for Python bots"),
        ('needs = ["numpy"]\ncommand = "./x"', "needs is for Python bots"),
        ("command = []", "1 to 20"),
        ('command = ""', "1 to 20"),
        ("command = [1]", "must be a list of words"),
        ('command = "./x \'y"', "cannot be read"),
        ('command = ["a\\u0000b"]', "plain words"),
    ],
)
def test_errors_name_the_correct_form(text: str, message: str) -> None:
    with pytest.raises(ManifestError, match=message):
        Manifest.parse(text)


def test_patterns_ignore_options_and_match_part_by_part() -> None:
    fmt = Format.parse("cassino/royal/2v2?target=11")
    assert covers("cassino/*/2v?", fmt)
    assert not covers("*", fmt)
    assert not covers("*/2v2", fmt)
    assert matching_formats(["cassino/royal/*", "cassino/*/2v2"]) == [
        fmt
        for fmt in all_formats()
        if fmt.game == "cassino" and (fmt.variant == "royal" or fmt.table == "2v2")
    ]


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("poker/*/*", "The games are cassino, "),
        ("canasta/clasic/2v2", "The nearest is canasta/classic/2v2."),
        ("cassino/*/9v9", "The nearest is cassino/"),
        ("*/*/9v9", "The nearest is "),
    ],
)
def test_a_pattern_without_formats_suggests_similar_ones(pattern: str, hint: str) -> None:
    with pytest.raises(ManifestError, match=f"{re.escape(repr(pattern))} covers no format. {hint}"):
        Manifest.parse(f'formats = ["{pattern}"]')
