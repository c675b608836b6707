"""The options of the database connection."""

from __future__ import annotations

import dj_database_url

from cardroom.database_options import LIMITS, SQLITE_OPTIONS, with_limits


def test_postgresql_limits_sessions() -> None:
    options = with_limits(dj_database_url.parse("postgres://u:p@host/cards"))["OPTIONS"]
    for name, value in LIMITS.items():
        assert f"-c {name}={value}" in options["options"]
    assert "-c tcp_keepalives_idle=" in options["options"]
    assert {"connect_timeout", "keepalives_idle", "tcp_user_timeout"} <= set(options)


def test_the_url_overrides_our_limits() -> None:
    url = (
        "postgres://u@host/cards?connect_timeout=30&sslmode=require&options=-c%20lock_timeout%3D1s"
    )
    options = with_limits(dj_database_url.parse(url))["OPTIONS"]
    assert (options["connect_timeout"], options["sslmode"]) == (30, "require")
    assert options["options"].endswith(" -c lock_timeout=1s")  # the server takes the last one


def test_sqlite_has_options_of_its_own() -> None:
    config = with_limits(dj_database_url.parse("sqlite:////tmp/x.sqlite3"))
    assert config["OPTIONS"] == SQLITE_OPTIONS
