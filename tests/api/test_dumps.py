"""The dumps are listed and sent, by REST and on their page."""

from __future__ import annotations

import hashlib
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


def test_files_are_listed_and_sent_as_they_are(folder: Path, tmp_path: Path) -> None:
    factories.finish_all(factories.tournament(2, groups=2, start=True))
    made, rows = dump.dump(folder, keep=1, licence="CC0-1.0")
    client = APIClient()
    [listed] = client.get("/api/v1/dumps/").json()
    assert (listed["day"], listed["licence"], listed["rows"]) == (made.name, "CC0-1.0", rows)
    assert listed["columns"] == dump.TABLES
    names = {file["name"] for file in listed["files"]}
    assert names == {path.name for path in made.iterdir()} - {"about.json"}
    for file in listed["files"]:
        answer: Any = client.get(file["url"])
        content = b"".join(answer.streaming_content)
        assert len(content) == file["size"] == int(answer["Content-Length"])
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert answer["ETag"] == f'"{file["sha256"]}"'
        assert client.get(file["url"], headers={"If-None-Match": answer["ETag"]}).status_code == 304
        (tmp_path / file["name"]).write_bytes(content)
    stored = StoredRecord.objects.values_list("moves", flat=True)
    assert len(list(decisions(tmp_path))) == sum(stored) > 0


def test_only_files_of_complete_dumps_are_sent(folder: Path) -> None:
    client = APIClient()
    assert client.get("/api/v1/dumps/").json() == []
    made, _ = dump.dump(folder, keep=1)
    (made / "private").write_text("x")
    (folder / "2020-01-01").mkdir()  # of an interrupted deletion
    (folder / "2020-01-02").mkdir()
    (folder / "2020-01-02" / "about.json").write_text('{"made": "", "rows": {}, "columns": {}}')
    assert [listed["day"] for listed in client.get("/api/v1/dumps/").json()] == [made.name]
    (made / "moves.jsonl.gz").unlink()
    for path in (
        f"{made.name}/private",
        f"{made.name}/..%2f..%2fsecret-key",
        f"{made.name}/moves.jsonl.gz",
        "2020-01-01/about.json",
        "nothing/about.json",
    ):
        assert client.get(f"/api/v1/dumps/{path}/").status_code == 404, path


def test_the_page_has_files_and_columns(
    folder: Path, client: Client, django_assert_num_queries: Any
) -> None:
    assert "There is no dump yet" in client.get("/data/").content.decode()
    first, _ = dump.dump(folder, keep=2)
    first.rename(folder / "2020-01-01")
    made, _ = dump.dump(folder, keep=2, licence="CC BY 4.0")
    with django_assert_num_queries(0):
        text = client.get("/data/").content.decode()
    assert f"/api/v1/dumps/{made.name}/results.jsonl.gz/" in text
    assert "/api/v1/dumps/2020-01-01/moves.jsonl.gz/" in text
    assert dump.complete_dumps(folder)[0].files[0].sha256 in text
    assert "CC BY 4.0" in text
    assert ", ".join(dump.TABLES["moves"]) in text
