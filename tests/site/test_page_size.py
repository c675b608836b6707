"""The size of pages: compression, scripts of the viewer, names of static files."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.test import Client

from cardroom.display.script_modules import modules_of, renderer_of
from cardroom.static_files import Storage
from engine.registry import BUILT_IN

STATIC = Path(__file__).parents[2] / "platform" / "cardroom" / "static"
MAX_VIEWER = 63_000
"""The compressed size in bytes of Cardroom's modules on a page with a table."""


@pytest.mark.parametrize("page", ["replay/main", "replay/live", "play/main", "play/compare"])
@pytest.mark.parametrize("game", [*BUILT_IN, "whist"])
def test_a_table_loads_few_modules(game: str, page: str) -> None:
    entries = (f"cardroom/{page}.js", renderer_of(game))
    modules = {*entries, *modules_of(*entries)}
    sizes = {name: len(gzip.compress((STATIC / name).read_bytes())) for name in modules}
    assert sum(sizes.values()) < MAX_VIEWER, sizes
    assert {"cardroom/board/games.js", "cardroom/board/dom.js"} < modules
    others = {f"cardroom/board/games/{other}.js" for other in BUILT_IN} - set(entries)
    assert not modules & others


def test_tables_and_replays_share_only_the_board() -> None:
    for path in STATIC.rglob("*.js"):
        folders = re.findall(r"""(?:from|import\() ?'\.\./(\w+)/""", path.read_text())
        assert set(folders) <= {"board"}, path.name
        assert path.parent.name != "board" or not folders, path.name


def test_the_lobby_loads_no_table() -> None:
    modules = modules_of("cardroom/play/choose.js")
    assert "cardroom/board/dom.js" in modules
    assert "cardroom/replay/table.js" not in modules
    assert len(modules) <= 5


@pytest.mark.django_db
def test_pages_and_data_are_compressed_on_request(client: Client) -> None:
    for address in ("/games/cassino/rules/", "/api/v1/formats/"):
        plain = client.get(address)
        compressed = client.get(address, headers={"accept-encoding": "gzip"})
        assert "Content-Encoding" not in plain.headers
        assert compressed.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in compressed["Vary"]
        assert len(compressed.content) < len(plain.content) / 2
        assert gzip.decompress(compressed.content)


@pytest.mark.django_db
def test_a_page_with_an_invitation_is_not_compressed(client: Client) -> None:
    form = {"format": "cassino/standard/1v1?deals=1", "you": "0", "seat-1": "friend"}
    table = client.post("/play/", form).headers["Location"]
    for address in (table, f"{table}state/"):
        response = client.get(address, headers={"accept-encoding": "gzip"})
        assert b"?invitation=" in response.content
        assert "Content-Encoding" not in response.headers


@pytest.mark.django_db
def test_an_answer_to_a_post_is_not_compressed(client: Client) -> None:
    response = client.post("/login/", {"login": "x" * 90}, headers={"accept-encoding": "gzip"})
    assert len(response.content) > 200
    assert "Content-Encoding" not in response.headers


def test_modules_import_each_other_by_hashed_names(tmp_path: Path, settings: Any) -> None:
    settings.STATIC_ROOT = str(tmp_path)
    settings.DEBUG = False
    source = FileSystemStorage(STATIC)
    files = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))
    storage = Storage(location=str(tmp_path))
    for name in files:
        with source.open(name) as file:
            storage.save(name, file)
    stored = {}
    for name, hashed, result in storage.post_process({name: (storage, name) for name in files}):
        if isinstance(result, Exception):
            raise result
        if name in files and hashed.endswith(".js"):
            stored[name] = hashed
    assert set(stored) == set(files)
    imports = re.compile(
        r"""(?m)^(?:import|export)\b[^'"]*\bfrom ['"]([^'"]+)|(?<!\{)import\('([^']+)'\)"""
    )
    for name, hashed in stored.items():
        addresses = imports.findall((tmp_path / hashed).read_text())
        assert len(addresses) == len(imports.findall((STATIC / name).read_text()))
        for address in map("".join, addresses):
            other = (tmp_path / hashed).parent / address
            assert re.search(r"\.[0-9a-f]{12}\.js$", address), (name, address)
            assert other.resolve().is_file(), (name, address)
