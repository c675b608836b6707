"""Writes the settings of a service on an installed site (`manage.py env`).

systemd and `deploy/cardroom-as` read the files. This module reads no settings, because there may be
none yet.
"""

from __future__ import annotations

import grp
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote as quoted
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

from cardroom.programs import PROGRAMS

FOLDER: Final = Path("/etc/cardroom")
STATE: Final = Path("/var/lib/cardroom")
CACHE: Final = Path("/var/cache")
DATABASE: Final = "postgres://%2Frun%2Fpostgresql/cardroom"
"""PostgreSQL on this machine: its socket identifies the user, so there are no passwords."""
REDIS: Final = "redis://127.0.0.1:6379/0"
KEY_BYTES: Final = 50
"""Random bytes of a key: 67 characters in base64, of which Django requires 50."""
MODE: Final = 0o640


class EnvFileError(RuntimeError):
    """The file cannot be written; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class EnvFile:
    """The settings of one service."""

    service: str
    database: str = DATABASE
    """A URL. If it names no user, the service uses a role of its own."""
    redis: str = REDIS
    host: str = ""
    """The site's name, if a proxy on this machine serves it by HTTPS."""
    password: str = ""
    """The password of the service's role, if the database is on another machine; else empty."""

    @classmethod
    def new(cls, service: str, database: str, redis: str, host: str) -> EnvFile:
        """The settings, with a new password if the database needs one."""
        url = urlsplit(database)
        remote = url.hostname and not url.hostname.lower().startswith("%2f") and not url.username
        return cls(service, database, redis, host, secrets.token_urlsafe(24) if remote else "")

    @property
    def user(self) -> str:
        """The service's user, group and role in PostgreSQL."""
        return f"cardroom-{self.service}"

    @property
    def _database_url(self) -> str:
        url = urlsplit(self.database)
        if url.scheme.startswith("sqlite") or url.username:
            return self.database
        login = self.user + (f":{quote(self.password, safe='')}" if self.password else "")
        return urlunsplit(url._replace(netloc=f"{login}@{url.netloc}"))

    def variables(self) -> dict[str, str]:
        """The settings. Only the web server signs anything, so only it gets a key."""
        values = {
            "CARDROOM_VAR": str(STATE / self.service),
            "DATABASE_URL": self._database_url,
            "REDIS_URL": self.redis,
        }
        if self.service == "web":
            values["CARDROOM_SECRET_KEY"] = secrets.token_urlsafe(KEY_BYTES)
            values["CARDROOM_WORKERS_ELSEWHERE"] = "1"  # the web server's unit forbids sandboxes
            if self.host:
                values |= {
                    "CARDROOM_HOSTS": self.host,
                    "CARDROOM_HTTPS": "1",
                    "CARDROOM_TRUSTED_PROXIES": "127.0.0.1",
                }
        if self.service in {"web", "housekeeping"}:
            values["CARDROOM_DUMP_DIR"] = str(STATE / "dumps")
        if any(
            program.runs_bots and program.service == self.service for program in PROGRAMS.values()
        ):
            values["XDG_CACHE_HOME"] = str(CACHE / self.user)
        return values

    def write(self, folder: Path, group: str, *, force: bool) -> Path:
        """Write SERVICE.env, which its group may read; raises EnvFileError."""
        path = folder / f"{self.service}.env"
        lines = [f"# Settings of {self.user}: docs/04-operations.md lists all that there are."]
        lines += [f"{name}={quoted(value)}" for name, value in self.variables().items()]
        new = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            owner = grp.getgrnam(group).gr_gid
            if path.exists() and not force:
                raise EnvFileError(f"{path} exists; --force replaces it, with a new key.")
            new.touch(mode=0o600)
            new.write_text("\n".join(lines) + "\n")
            os.chown(new, 0, owner)
            new.chmod(MODE)
            new.rename(path)
        except KeyError:
            raise EnvFileError(
                f"There is no group {group}: copy deploy/sysusers.d/cardroom.conf to "
                "/etc/sysusers.d/, then run systemd-sysusers."
            ) from None
        except OSError as error:
            raise EnvFileError(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            new.unlink(missing_ok=True)
        return path

    def role_statements(self) -> Iterator[str]:
        """SQL that creates the service's role and sets its password."""
        url = urlsplit(self.database)
        if url.scheme.startswith("sqlite") or url.username:
            return
        yield (
            f'DO $$ BEGIN CREATE ROLE "{self.user}"; '
            "EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
        )
        password = f" PASSWORD '{self.password}'" if self.password else ""
        yield f'ALTER ROLE "{self.user}" LOGIN{password};'
