"""Snapshots restore the data that tests share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from tests import factories as make
from tests import snapshots
from tests.snapshots import Snapshot
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAX_AGE_SECONDS", 1e9)


@contextmanager
def another_test() -> Iterator[None]:
    """Undo all changes at the end of the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_snapshot_is_made_once_and_restored() -> None:
    cups: list[Tournament] = []

    def make_cup() -> Tournament:
        cups.append(make.finish_all(make.tournament(2, start=True)))
        return cups[-1]

    snapshot = Snapshot(make_cup)
    with another_test():
        first = snapshot()
        rows = snapshots._rows()
        first.name = "Changed by a test"
        first.save()
        make.user("made by a test")
    with another_test():
        second = snapshot()
        assert len(cups) == 1
        assert snapshots._rows() == rows
        connection.check_constraints()
        assert (second.pk, second.state) == (first.pk, "finished")
        assert second.name != first.name


def test_a_snapshot_is_made_again_if_other_data_exist() -> None:
    snapshot = Snapshot(lambda: make.user().username)
    with another_test():
        first = snapshot()
    make.user()
    assert snapshot() != first


def test_an_old_snapshot_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = Snapshot(lambda: make.user().username)
    with another_test():
        first = snapshot()
    with another_test():
        assert snapshot() == first
    monkeypatch.setattr(snapshots, "MAX_AGE_SECONDS", -1)
    assert snapshot() != first
