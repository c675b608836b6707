"""The part of `cardroom doctor` that needs a service's settings; prints findings as JSON.

Usage: python -m cardroom.doctor_probe SERVICE; an empty name examines all services together.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

import django
from django.conf import settings
from django.core import checks
from django.db import Error, connection

from cardroom.doctor import Finding, Severity

HTTPS_CHECKS: Final = {f"security.{name}" for name in ("W004", "W008", "W012", "W016")}
HTTPS_FIX: Final = (
    "CARDROOM_HTTPS=1 CARDROOM_HOSTS=cards.example.org CARDROOM_TRUSTED_PROXIES=127.0.0.1 behind "
    "a proxy (docs/04, proxy and logins)"
)
_OTHERS: Final = 0o007
"""The bits of a folder's mode for users who neither own it nor are in its group."""
MAX_BACKUP_AGE: Final = timedelta(hours=26)


def findings(service: str) -> Iterator[Finding]:
    """The problems of this service."""
    manage = f"cardroom-as {service}" if service else "manage.py"

    def finding(level: Severity, what: str, fix: str) -> Finding:
        return Finding(level, service, what, fix)

    folder = settings.VAR_DIR
    if Path(folder).stat().st_mode & _OTHERS:
        yield finding(
            *(Severity.ENDANGERS, f"All users of this machine may read {folder}, CARDROOM_VAR."),
            f"chmod o= {folder}",
        )
    if service in {"", "worker", "tables"}:
        from bots.sandbox import detect

        isolation = detect()
        if isolation.level == "none":
            fix = "See the reason, and docs/04, the sandbox"
            yield finding(Severity.STOPS, isolation.reason, fix)
    if not settings.EMBEDDED_BROKER:
        from cardroom.reachable import broker

        if trouble := broker.trouble():
            yield finding(
                *(Severity.STOPS, f"The broker of REDIS_URL: {trouble}"),
                "systemctl enable --now redis-server",
            )
    try:
        connection.ensure_connection()
    except Error as error:
        yield finding(
            *(Severity.STOPS, f"The database cannot be used: {str(error).strip()[:300]}"),
            "systemctl enable --now postgresql; cardroom manage env creates roles",
        )
        return
    pending = _count_pending()
    if pending:
        yield finding(
            Severity.STOPS, f"The database lacks {pending} migrations.", f"{manage} migrate"
        )
    elif service in {"", "web"}:
        yield from _site_findings(service, manage)
    if service in {"worker", "tables", "housekeeping"} and connection.vendor == "postgresql":
        yield from _privilege_findings(service)
    if service in {"", "web"}:
        yield from _check_findings(service)


def _count_pending() -> int:
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _site_findings(service: str, manage: str) -> Iterator[Finding]:
    from django.contrib.auth.models import User

    from cardroom import last_runs
    from cardroom_base.db.db_time import ahead_ms, clock_remark, now
    from engine import rules
    from tournaments.actions.rules import edition_in_force

    for game, edition in rules.editions().items():
        if edition_in_force(game) != edition:
            what = f"The rules of {game} that are in force differ from this program's."
            yield Finding(Severity.STOPS, service, what, f"{manage} adopt_rules")
    if not settings.DEBUG and not Path(settings.STATIC_ROOT).with_suffix(".json").exists():
        what = "Style sheets and scripts are missing."
        yield Finding(Severity.STOPS, service, what, f"{manage} collectstatic --no-input")
    if service and not settings.WORKERS_ELSEWHERE:
        what = "The web server refuses uploads, because its unit allows no sandbox."
        fix = "echo CARDROOM_WORKERS_ELSEWHERE=1 >>/etc/cardroom/web.env"
        yield Finding(Severity.STOPS, service, what, f"{fix}; systemctl restart cardroom-web")
    if not User.objects.filter(is_superuser=True, is_active=True).exists():
        what = "Nobody can administer the site."
        yield Finding(Severity.STOPS, service, what, f"{manage} createsuperuser")
    last = last_runs.last_successes().get(last_runs.BACKUP)
    if last is None or now() - last > MAX_BACKUP_AGE:
        what = "There is no backup." if last is None else f"The last backup is from {last:%F %R}."
        fix = "systemctl enable --now cardroom-backup.timer; systemctl start cardroom-backup"
        yield Finding(
            Severity.ENDANGERS, service, what, fix if service else f"{manage} backup --keep"
        )
    if remark := clock_remark(ahead_ms()):
        what = f"This machine: {remark}"
        yield Finding(Severity.WEAKENS, service, what, "apt-get install systemd-timesyncd")


def _privilege_findings(service: str) -> Iterator[Finding]:
    from cardroom.grants import ROLES, missing_privileges

    missing = missing_privileges(service)
    fix = "cardroom-as web grants | runuser -u cardroom-web -- psql --set ON_ERROR_STOP=1 cardroom"
    if missing:
        names = ", ".join(missing[:3])
        what = f"Its role lacks privileges ({len(missing)} in all), such as {names}."
        yield Finding(Severity.STOPS, service, what, fix)
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_column_privilege('auth_user', 'password', 'SELECT')")
        if cursor.fetchone()[0] and service in ROLES:
            what = "Its role can read password hashes."
            yield Finding(Severity.ENDANGERS, service, what, fix)


def _check_findings(service: str) -> Iterator[Finding]:
    """The problems that `manage.py check --deploy` reports. Without HTTPS, one finding replaces all
    problems that HTTPS would fix."""
    if not settings.HTTPS:
        what = "Passwords and sessions travel without encryption: the site does not use HTTPS."
        yield Finding(Severity.WEAKENS, service, what, HTTPS_FIX)
    for message in checks.run_checks(include_deployment_checks=True):
        if not (message.is_silenced() or (message.id in HTTPS_CHECKS and not settings.HTTPS)):
            level = Severity.STOPS if message.is_serious() else Severity.WEAKENS
            yield Finding(level, service, message.msg, message.hint or f"See {message.id}.")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")
    django.setup()
    print(json.dumps([finding.as_json() for finding in findings(sys.argv[1])]))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
