"""Worlds that tests share are put back as they were made."""

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
def _never_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MAX_AGE_SECONDS", 1e9)


@contextmanager
def another_test() -> Iterator[None]:
    """What is written within is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_world_is_made_once_and_put_back_whole() -> None:
    made: list[Tournament] = []

    def world() -> Tournament:
        made.append(make.finish_all(make.tournament(2, start=True)))
        return made[-1]

    worlds = Snapshot(world)
    with another_test():
        first = worlds()
        rows = snapshots._rows()
        first.name = "Changed by a test"
        first.save()
        make.user("left by a test")
    with another_test():
        second = worlds()
        assert len(made) == 1
        assert snapshots._rows() == rows
        connection.check_constraints()
        assert (second.pk, second.state) == (first.pk, "finished")
        assert second.name != first.name


def test_it_is_made_anew_where_something_else_was_there() -> None:
    worlds = Snapshot(lambda: make.user().username)
    with another_test():
        first = worlds()
    make.user()
    assert worlds() != first


def test_it_is_made_anew_when_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = Snapshot(lambda: make.user().username)
    with another_test():
        first = worlds()
    with another_test():
        assert worlds() == first
    monkeypatch.setattr(snapshots, "MAX_AGE_SECONDS", -1)
    assert worlds() != first
