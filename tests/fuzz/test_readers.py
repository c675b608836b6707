"""Parsers handle invalid input in time, and raise only their own errors."""

from __future__ import annotations

import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import strategies as st

from bots.cli import http_client, sources, submit
from bots.cli.common import UsageError
from bots.cli.site import SiteClient
from bots.limits import PackageError
from bots.package.manifest import Manifest, ManifestError
from bots.package.package import Package
from bots.package.syntax import check_source
from bots.referee import protocol
from cardroom_base.core.fields import FieldError
from engine import Format, Match, Record, RecordError, all_formats
from engine.json_text import JSONError, parse_json
from tests.engine.documents import blocks_of
from tests.tournaments.archive.build import ArchiveParts, head
from tournaments import archive
from tournaments.course.stages import check_stages, parse_stages
from tournaments.home import cli_options

from .fuzzing import changed_json, mangled_bytes, run_examples, run_in_time

pytestmark = pytest.mark.slow

JSON = (
    *(b"[" * 60_000, b'{"a":' * 40, b"9" * 5_000, b"[NaN]", b'"\\ud800"', b'{"a":1,"a":2}'),
    *('{"move":"6C"}'.encode(code) for code in ("utf-8", "utf-16", "utf-32-be", "utf-8-sig")),
    *(b'"' + b'\\"' * 30_000, b"[" + b"[]," * 20_000 + b"[]]", b'{"a":[1,2.5,-3e7,null]}'),
)
MANIFEST = b'name = "Magpie"\nformats = ["cassino/*/*"]\ncommand = ["./magpie", "--fast"]\n'
MANIFESTS = (
    *(MANIFEST, b"x = " + b"1" * 5_000, b".".join([b"a"] * 9_000) + b" = 1", b'"\\' * 4_000),
    *(b".".join([b"a"] * 3_000) + b" = 1", b'formats = ["' + b"a*" * 3_000 + b'"]'),
    *(b"[a.a]\nb = 1\n" * 500, b"runtime = 0x" + b"f" * 5_000, b'"""' + b'\\"' * 4_000),
)
FORMATS = [str(fmt) for fmt in all_formats()]
FORMAT_WITH_OPTIONS = "cassino/royal/2v2?target=11&sweeps=false"


def zip_archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def play_match(fmt: str, moves: int = 10_000) -> Match:
    """A match of random moves, or its beginning."""
    match, rng = Match(fmt, seed="fuzz"), random.Random(fmt)
    while match.turn is not None and len(match.moves) < moves:
        match.play(rng.choice(match.legal_moves()))
    return match


def test_json() -> None:
    for text in JSON:
        run_in_time(lambda text=text: parse_json(text, 65_536), JSONError)  # type: ignore[misc]

    @run_examples(mangled_bytes(JSON))
    def run(text: bytes) -> None:
        run_in_time(lambda: parse_json(text, 65_536), JSONError)


def test_manifests() -> None:
    for text in MANIFESTS:
        run_in_time(lambda text=text: Manifest.parse(text).claimed(), ManifestError)  # type: ignore[misc]

    @run_examples(mangled_bytes(MANIFESTS))
    def run(text: bytes) -> None:
        run_in_time(lambda: Manifest.parse(text).claimed(), ManifestError)


def test_packages() -> None:
    plain = zip_archive({"cardroom.toml": b'command = ["node"]', "data": bytes(3_000)})
    many = zip_archive({f".git/{number}": b"" for number in range(40_000)})
    bomb = zip_archive({"bot.js": bytes(13_000_000), "cardroom.toml": b'runtime = "node"'})
    for content in (many, bomb):
        run_in_time(lambda c=content: Package.load(c, "bot.zip"), PackageError)  # type: ignore[misc]

    @run_examples(mangled_bytes([plain]))
    def run(content: bytes) -> None:
        run_in_time(lambda: Package.load(content, "bot.zip"), PackageError)


def test_sources() -> None:
    odd = (b"(" * 100_000, b"x = " + b"9" * 100_000, b"-" * 500_000 + b"1", b"\0", b"\xff", b"if 1")
    for source in odd:
        run_in_time(lambda source=source: check_source("bot.py", source), PackageError)  # type: ignore[misc]


def test_formats() -> None:
    for text in (
        "cassino/standard/1v1?target=1000000000",
        FORMAT_WITH_OPTIONS + "&x=" + "1" * 10**6,
        "/" * 10**6,
    ):
        run_in_time(lambda text=text: Format.parse(text), ValueError)  # type: ignore[misc]

    @run_examples(mangled_bytes([text.encode() for text in (*FORMATS, FORMAT_WITH_OPTIONS)]))
    def run(text: bytes) -> None:
        words = text.decode("utf-8", "surrogateescape")
        fmt = run_in_time(lambda: Format.parse(words), ValueError)
        assert fmt is None or Format.parse(str(fmt)) == fmt


RECORDS = [
    Record.of(play_match(fmt))
    for fmt in (FORMAT_WITH_OPTIONS, "zwicker/grupp/1v1", "paks/standard/2v2")
]


def test_records() -> None:
    texts = [record.dumps().encode() for record in RECORDS]
    hostile = (
        texts[0].replace(b'"notes":{}', b'"notes":{"0":' + b"[" * 60_000 + b"}"),
        texts[0].replace(b"target=11", b"target=1000000000"),
        texts[0].replace(b'"seed":"fuzz"', b'"seed":"' + b"f" * 1_000_000 + b'"'),
        b'{"cardroom":' + b"1" * 5_000 + b"}",
    )
    for text in hostile:
        assert run_in_time(lambda text=text: Record.from_json(text).verify(), RecordError) is None  # type: ignore[misc]

    @run_examples(mangled_bytes(texts))
    def run(text: bytes) -> None:
        run_in_time(lambda: Record.from_json(text).verify(), RecordError)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.format))
def test_fields_of_records(record: Record) -> None:
    @run_examples(changed_json(record.to_json()))
    def run(data: Any) -> None:
        run_in_time(lambda: Record.from_json(data).verify(), RecordError)
        run_in_time(lambda: list(Record.from_json(data).frames())[:1], RecordError)


@pytest.mark.parametrize("fmt", [text for text in FORMATS if text.endswith(("1v1", "2v2", "ffa4"))])
def test_views(fmt: str) -> None:
    match = play_match(fmt, 11)
    assert match.turn is not None
    view = match.view(match.turn)

    @run_examples(changed_json(view))
    def run(data: Any) -> None:
        run_in_time(lambda: Match.from_view(data, random.Random(1)), ValueError)


@pytest.mark.parametrize("game", ["cassino", "canasta", "spoon-eye", "zwicker", "paks"])
def test_positions(game: str) -> None:
    states = [
        (block["format"], block["state"] if "state" in block else _state(block))
        for block in blocks_of(f"{game}.md")
        if {"state", "hand"} & set(block)
    ]

    @run_examples(
        st.one_of([st.tuples(st.just(fmt), changed_json(state)) for fmt, state in states])
    )
    def run(pair: tuple[str, Any]) -> None:
        run_in_time(lambda: Match.from_position(*pair), ValueError)


def _state(example: dict[str, Any]) -> dict[str, Any]:
    """A position with the table and hand of an example, and usual values for the rest."""
    rest = {"turn": 0, "dealer": 1, "deal": 0, "stock": [], "scores": [0, 0], "captured": [[], []]}
    return {"table": example.get("table", []), "hands": [example["hand"]], "by": [], **rest}


def test_records_in_files() -> None:
    text = "\n".join(record.dumps() for record in RECORDS).encode()

    @run_examples(mangled_bytes([text, b"[" + b",".join(text.split(b"\n")) + b"]"]))
    def run(content: bytes) -> None:
        run_in_time(
            lambda: sources.records_in("a file", io.BytesIO(content)), UsageError, RecordError
        )


BUILT = ArchiveParts(head())


def test_archives() -> None:
    @run_examples(mangled_bytes([BUILT.packed().getvalue()]))
    def run(content: bytes) -> None:
        run_in_time(lambda: archive.verify(io.BytesIO(content)), archive.ArchiveError)


@pytest.mark.filterwarnings("ignore:Duplicate name")  # examples repeat files on purpose
def test_fields_of_archives() -> None:
    parts = {"files": BUILT.files, "lines": BUILT.lines, "records": BUILT.records}

    @run_examples(changed_json(parts))
    def run(data: Any) -> None:
        content = _pack(data)
        run_in_time(lambda: archive.verify(content), archive.ArchiveError)


def _pack(parts: Any) -> io.BytesIO:
    """An archive with all parts that can be packed."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for key in ("files", "records"):
            contents = parts.get(key) if isinstance(parts, dict) else None
            for name, value in (contents if isinstance(contents, dict) else {}).items():
                if name.isprintable() and name:
                    file.writestr(name, json.dumps(value))
        lines = parts.get("lines") if isinstance(parts, dict) else None
        text = "".join(json.dumps(line) + "\n" for line in lines) if isinstance(lines, list) else ""
        file.writestr("fixtures.jsonl", text)
    return content


def test_answers_of_bots() -> None:
    answers = (
        b'{"move":"6C"}',
        b'{"move":"6CxAH,5C","note":"keeps TD"}',
        b'{"type":"ready"}',
        *JSON,
    )

    @run_examples(mangled_bytes(answers))
    def run(line: bytes) -> None:
        run_in_time(lambda: protocol.parse_answer(line))
        run_in_time(lambda: protocol.is_ready(line))
        run_in_time(lambda: protocol.received_text(line))


def test_stages() -> None:
    stages = [
        {"system": "swiss", "settings": {"rounds": 5}, "groups": 2, "divisions": 2},
        {"system": "knock-out", "settings": {"third": 1}, "take": 4},
    ]

    @run_examples(changed_json(stages))
    def run(value: Any) -> None:
        plans = run_in_time(lambda: parse_stages(value), ValueError)
        run_in_time(lambda: check_stages(plans or [], 2), ValueError)


def test_files_of_stages(tmp_path: Path) -> None:
    file = tmp_path / "stages.json"

    @run_examples(mangled_bytes([b'[{"system":"swiss","settings":{"rounds":5}}]', *JSON]))
    def run(content: bytes) -> None:
        file.write_bytes(content)
        run_in_time(
            lambda: cli_options.plans_of("swiss", (), 1, None, file), UsageError, FieldError
        )


def test_lists_of_tie_breaks_and_settings() -> None:
    @run_examples(mangled_bytes([b"buchholz,difference,wins", b"rounds=5"]))
    def run(text: bytes) -> None:
        words = text.decode("utf-8", "surrogateescape")
        run_in_time(lambda: cli_options.tie_breaks_of(words), FieldError)
        run_in_time(
            lambda: cli_options.plans_of("swiss", [words], 1, None, None), UsageError, FieldError
        )


def test_answers_of_sites(monkeypatch: pytest.MonkeyPatch) -> None:
    step = {"name": "start", "title": "Start", "status": "failed", "text": "", "detail": "No."}
    answers = (
        {"results": [{"slug": "magpie", "name": "Magpie"}]},
        {"bot": "magpie", "number": 3, "status": "queued"},
        {"status": "ready", "summary": "Fine.", "log": "hello", "steps": [step]},
    )
    site = SiteClient("https://cards.example.org/api/v1/", "secret")
    package = Package.load(zip_archive({"cardroom.toml": b'command = ["node"]'}), "Magpie.zip")
    version: submit.VersionJSON = {"bot": "magpie", "number": 3, "status": "queued", "digest": ""}
    body: list[bytes] = []
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=httpx.ByteStream(body[0])))
    monkeypatch.setattr(
        http_client, "client", lambda: httpx.Client(transport=transport, trust_env=False)
    )

    def upload() -> None:
        submit._own_bot_slug(site, "Magpie")
        submit._upload(site, package, "magpie", {"notes": ""}, reuse=True)

    def await_check() -> None:
        submit._show(submit._await_check(site, version, 0.0, quiet=False))

    def check(content: bytes) -> None:
        body[:] = [content]
        run_in_time(upload, UsageError)
        run_in_time(await_check, UsageError)

    texts = [json.dumps(answer).encode() for answer in answers]
    run_examples(mangled_bytes([*texts, *JSON]))(check)
    for answer in answers:
        run_examples(changed_json(answer))(lambda value: check(json.dumps(value).encode()))
