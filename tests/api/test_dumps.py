"""Dumps by REST and on their page."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from cardroom.data import decisions
from tests import factories
from tournaments.exports import dump
from tournaments.models import StoredRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.DUMP_DIR = tmp_path / "dumps"
    return tmp_path / "dumps"


def test_files_are_listed_and_sent_unchanged(folder: Path, tmp_path: Path) -> None:
    factories.finish_all(factories.tournament(2, groups=2, start=True))
    stored_dump, rows = dump.dump(folder, keep=1, licence="CC0-1.0")
    client = APIClient()
    [row] = client.get("/api/v1/dumps/").json()
    assert (row["day"], row["licence"], row["rows"]) == (stored_dump.name, "CC0-1.0", rows)
    assert row["columns"] == dump.TABLES
    names = {file["name"] for file in row["files"]}
    assert names == {path.name for path in stored_dump.iterdir()} - {"about.json"}
    for file in row["files"]:
        response: Any = client.get(file["url"])
        content = b"".join(response.streaming_content)
        assert len(content) == file["size"] == int(response["Content-Length"])
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert response["ETag"] == f'"{file["sha256"]}"'
        assert (
            client.get(file["url"], headers={"If-None-Match": response["ETag"]}).status_code == 304
        )
        # Browsers store it under this name.
        [download] = re.findall(r'filename="(.*)"', response["Content-Disposition"])
        assert download == f"cardroom-{stored_dump.name}-{file['name']}"
        (tmp_path / download).write_bytes(content)
    counts = StoredRecord.objects.values_list("moves", flat=True)
    assert len(list(decisions(tmp_path))) == sum(counts) > 0


def test_only_files_of_complete_dumps_are_sent(folder: Path) -> None:
    client = APIClient()
    assert client.get("/api/v1/dumps/").json() == []
    stored_dump, _ = dump.dump(folder, keep=1)
    (stored_dump / "private").write_text("x")
    (folder / "2020-01-01").mkdir()  # a remnant of an interrupted deletion
    (folder / "2020-01-02").mkdir()
    (folder / "2020-01-02" / "about.json").write_text('{"made": "", "rows": {}, "columns": {}}')
    assert [row["day"] for row in client.get("/api/v1/dumps/").json()] == [stored_dump.name]
    (stored_dump / "moves.jsonl.gz").unlink()
    for path in (
        f"{stored_dump.name}/private",
        f"{stored_dump.name}/..%2f..%2fsecret-key",
        f"{stored_dump.name}/moves.jsonl.gz",
        "2020-01-01/about.json",
        "nothing/about.json",
    ):
        assert client.get(f"/api/v1/dumps/{path}/").status_code == 404, path


def test_the_page_lists_files_and_columns(
    folder: Path, client: Client, django_assert_num_queries: Any
) -> None:
    assert "There is no dump yet" in client.get("/data/").content.decode()
    first, _ = dump.dump(folder, keep=2)
    first.rename(folder / "2020-01-01")
    stored_dump, _ = dump.dump(folder, keep=2, licence="CC BY 4.0")
    with django_assert_num_queries(0):
        text = client.get("/data/").content.decode()
    assert f"/api/v1/dumps/{stored_dump.name}/results.jsonl.gz/" in text
    assert "/api/v1/dumps/2020-01-01/moves.jsonl.gz/" in text
    assert dump.complete_dumps(folder)[0].files[0].sha256 in text
    assert "CC BY 4.0" in text
    assert ", ".join(dump.TABLES["moves"]) in text
