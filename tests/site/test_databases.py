"""What Django is told of the database."""

from __future__ import annotations

from cardroom.databases import BOUNDS, SQLITE_OPTIONS, database


def test_postgresql_is_told_who_may_hold_it_for_how_long() -> None:
    options = database("postgres://u:p@host/cards", {})["OPTIONS"]
    for bound in BOUNDS:
        assert f"-c {bound.setting}={bound.seconds}s" in options["options"]
    assert "-c tcp_keepalives_idle=" in options["options"]
    assert {"connect_timeout", "keepalives_idle", "tcp_user_timeout"} <= set(options)


def test_an_operator_may_choose_otherwise() -> None:
    chosen = {"CARDROOM_DB_IDLE": "300", "CARDROOM_DB_LOCK": ""}
    url = (
        "postgres://u@host/cards?connect_timeout=30&sslmode=require&options=-c%20lock_timeout%3D1s"
    )
    options = database(url, chosen)["OPTIONS"]
    assert (options["connect_timeout"], options["sslmode"]) == (30, "require")
    assert "-c idle_in_transaction_session_timeout=300s" in options["options"]
    assert "-c lock_timeout=10s" in options["options"]
    assert options["options"].endswith(" -c lock_timeout=1s")  # the last one counts


def test_sqlite_has_bounds_of_its_own() -> None:
    assert database("sqlite:////tmp/x.sqlite3", {})["OPTIONS"] == SQLITE_OPTIONS
