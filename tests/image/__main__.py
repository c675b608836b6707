"""`make image-test`: builds the image, starts compose.yaml under Podman, and plays there.

If the registry of the servers' images is unreachable, stand-ins from Debian's packages replace them
(`standins/`). At the end all containers and volumes are removed; the images stay.
"""

from __future__ import annotations

import argparse
import os
import shutil
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
import yaml

from cardroom.programs import PROGRAMS
from tests.hostile.settings import from_line
from tests.install.machine import BUNDLE, taken_port

ROOT: Final = Path(__file__).resolve().parents[2]
STANDINS: Final = Path(__file__).with_name("standins")
BASE: Final = "docker.io/library/debian:bookworm-slim"
PROJECT: Final = "cardroom-test"
"""Compose names containers, volumes and networks after the folder."""
ADDRESS: Final = "https://localhost/"
SECRETS: Final = {
    "SITE": "localhost",
    "CARDROOM_SECRET_KEY": "a secret key for a test, which is long enough for Django",
    "WEB_PASSWORD": "web",
    "WORKER_PASSWORD": "worker",
    "TABLES_PASSWORD": "tables",
    "HOUSEKEEPING_PASSWORD": "housekeeping",
}
ROLES: Final = ("worker", "tables", "housekeeping")
FIRST_STEPS: Final = (["migrate"], ["adopt_rules"], ["collectstatic", "--no-input"], ["seed"])
CADDY_ROOT: Final = "/data/caddy/pki/authorities/local/root.crt"
GROUPS: Final = 400
MAX_WAIT_S: Final = 300.0
START_TOURNAMENT: Final = f"""
from bots.models import Bot
from tournaments import actions
staff = User.objects.get(username="staff")
form = "cassino/standard/1v1?deals=1"
cup = actions.create_tournament(staff, name="Long cup", format=form, groups={GROUPS})
cup = actions.open_(cup, staff)
for name in ("house:greedy", "house:random"):
    actions.enter(cup, Bot.objects.get(name=name), staff)
actions.start(cup, staff)
"""


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.image", description=__doc__)
    parser.add_argument("--built", action="store_true", help="test the existing image")
    options = parser.parse_args()
    if reason := missing():
        print(f"image-test is skipped: {reason}.")
        return
    start = time.monotonic()
    for service, image in images().items():
        provide(service, image)
    if not options.built:
        run("podman", "build", "--tag", "cardroom", str(ROOT))
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        start_containers(Path(folder)) as site,
    ):
        site.first_steps()
        site.check_play()
        site.check_rights()
        site.check_hostile()
        site.check_https()
        site.check_stopping()
        site.check_backup()
    print(f"\nThe image works: {(time.monotonic() - start) / 60:.0f} minutes.")


def missing() -> str:
    """The reason why this machine cannot run the test; empty if it can."""
    if os.geteuid() != 0:
        return "it needs root"
    for program in ("podman", "podman-compose", "mmdebstrap"):
        if shutil.which(program) is None:
            return f"{program} is missing: apt-get install podman podman-compose mmdebstrap"
    return taken_port((80, 443))


def run(*command: str, cwd: Path = ROOT, typed: str | None = None) -> str:
    """Run a command and return its output. Exits if the command fails."""
    print("$", *command, flush=True)
    process = subprocess.run(
        command, cwd=cwd, input=typed, stdout=subprocess.PIPE, text=True, check=False
    )
    if process.returncode:
        raise SystemExit(f"It fails (status {process.returncode}):\n{process.stdout}")
    return process.stdout


def images() -> dict[str, str]:
    """The third-party images by service, beginning with the base of the stand-ins."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    own = set(PROGRAMS)
    return {"": BASE} | {
        name: service["image"] for name, service in services.items() if name not in own
    }


def provide(service: str, image: str) -> None:
    """Pull an image or build its stand-in, unless it exists."""
    if _succeeds("podman", "image", "exists", image) or _succeeds("podman", "pull", "-q", image):
        return
    print(f"{image} cannot be pulled; a stand-in is built. `podman rmi {image}` removes it again.")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        if service:
            run("podman", "build", "--quiet", "--tag", image, str(STANDINS / service))
            return
        shutil.copy(BUNDLE, folder)
        archive = Path(folder, "debian.tar")
        options = ("--quiet", "--variant=minbase", "--include=ca-certificates")
        run("mmdebstrap", *options, "bookworm", str(archive))
        run("podman", "import", "--quiet", str(archive), image)
        archive.unlink()
        file = str(STANDINS / "base.Containerfile")
        run("podman", "build", "--quiet", "--tag", image, "--file", file, folder)


def _succeeds(*command: str) -> bool:
    return not subprocess.run(command, capture_output=True, check=False).returncode


def _exec(service: str) -> tuple[str, ...]:
    """The beginning of a command in a service's container.

    podman-compose 1.0, Debian's, would replace no variables in the container's environment, and
    hide the command's exit status.
    """
    return "podman", "exec", "--interactive", f"{PROJECT}_{service}_1"


class Containers:
    """The containers of a compose file in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "deploy").mkdir(parents=True)
        shutil.copy(ROOT / "compose.yaml", folder)
        shutil.copy(ROOT / "deploy" / "seccomp.json", folder / "deploy")
        lines = (f"{name}={value}\n" for name, value in SECRETS.items())
        (folder / ".env").write_text("".join(lines))

    def compose(self, *words: str) -> None:
        run("podman-compose", *words, cwd=self.folder)

    def execute(self, service: str, *words: str, typed: str | None = None) -> str:
        """Run a command in a container."""
        return run(*_exec(service), *words, typed=typed)

    def manage(self, *words: str, typed: str | None = None) -> str:
        """Run a command of `manage.py` in the container of the web server."""
        python = "/opt/cardroom/.venv/bin/python"
        return self.execute("web", python, "-P", "-m", "cardroom", *words, typed=typed)

    def sql(self, text: str) -> str:
        options = ("-v", "ON_ERROR_STOP=1", "-qAt", "-U", "cardroom-web", "cardroom")
        return self.execute("database", "psql", *options, typed=text)

    def first_steps(self) -> None:
        """The commands of docs/21-install.md."""
        wait(lambda: _succeeds(*_exec("database"), "pg_isready"), "the database is ready")
        for role in ROLES:
            password = SECRETS[f"{role.upper()}_PASSWORD"]
            self.sql(f"CREATE ROLE \"cardroom-{role}\" LOGIN PASSWORD '{password}'")
        for step in FIRST_STEPS:
            self.manage(*step)
        self.sql(self.manage("grants"))
        account = ("--username=staff", "--email=staff@example.org")
        self.manage("createsuperuser", "--no-input", *account)
        words = "staff = User.objects.get(username='staff')\n"
        words += "staff.set_password('a long password for a test')\nstaff.save()\n"
        self.manage("shell", "--verbosity=0", typed=words)
        services = [name for name in PROGRAMS if name != "web"]
        self.compose("restart", *services)  # they stopped because the tables did not exist

    def check_play(self) -> None:
        """A rated tournament is played, and a bot moves at a table."""
        check = (ROOT / "tests" / "install" / "check_site.py").read_text()
        output = self.manage("shell", "--verbosity=0", typed=check)
        print(output)
        # The shell may succeed without reading anything, so its last line is required.
        assert "a bot's answer there" in output, "the check did not run to its end"

    def check_rights(self) -> None:
        """All processes of the site run as an ordinary user without capabilities."""
        for service in PROGRAMS:
            lines = self.execute(service, "cat", "/proc/1/status").splitlines()
            status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            assert status["Uid"].split() == ["999"] * 4, (service, status["Uid"])
            assert {int(status[f"Cap{kind}"], 16) for kind in ("Eff", "Prm", "Bnd")} == {0}, service
            assert status["NoNewPrivs"] == "1", service
        print("no process has special rights")

    def check_hostile(self) -> None:
        """A third of the hostile programs in Python is stopped in the worker's container."""
        archive = subprocess.run(
            ["tar", "--create", "tests/hostile"], cwd=ROOT, stdout=subprocess.PIPE, check=True
        ).stdout
        unpack = (*_exec("worker"), "tar", "--extract", "--directory=/tmp")
        subprocess.run(unpack, input=archive, check=True)
        python = "cd /tmp && /opt/cardroom/.venv/bin/python"
        judge = f"{python} -m tests.hostile --here --every 3 .py"
        lines = self.execute("worker", "sh", "-c", judge).splitlines()
        verdicts = [from_line(line) for line in lines]
        complaints = {
            verdict.name: verdict.complaints for verdict in verdicts if verdict.complaints
        }
        assert len(verdicts) > 50, verdicts
        assert not complaints, complaints
        print(f"{len(verdicts)} hostile programs stopped")

    def check_https(self) -> None:
        """The proxy serves the site with a certificate from its own authority."""
        authority = self.execute("proxy", "cat", CADDY_ROOT)
        trust = ssl.create_default_context(cadata=authority)
        status = httpx.get(f"{ADDRESS}api/v1/status/", verify=trust).json()
        assert [row["level"] for row in status["sandboxes"]] == ["full"], status
        assert status["broker_trouble"] == "", status
        print("HTTPS")

    def check_stopping(self) -> None:
        """No match is lost if workers stop in the middle of a tournament."""
        self.manage("shell", "--verbosity=0", typed=START_TOURNAMENT)
        tables = "tournaments_match m JOIN tournaments_tournament t ON t.id = m.tournament_id"
        count = f"SELECT count(*) FROM {tables} WHERE t.slug = 'long-cup' AND m.state = 'finished'"
        wait(lambda: int(self.sql(count)) > GROUPS // 10, "a tournament is in play")
        start = time.monotonic()
        self.compose("stop", "worker")
        print(f"The worker stops in {time.monotonic() - start:.1f} s.")
        assert 0 < int(self.sql(count)) < 2 * GROUPS
        self.compose("start", "worker")
        wait(lambda: int(self.sql(count)) == 2 * GROUPS, "all its matches are finished")
        lost = "SELECT count(*) FROM tournaments_attempt WHERE outcome IN ('lost', 'late')"
        assert self.sql(lost).strip() == "0"

    def check_backup(self) -> None:
        """The image's `pg_dump` can dump the database."""
        folder = "/var/lib/cardroom/backups"
        self.manage("backup", "--to", folder)
        files = self.execute("web", "sh", "-c", f"ls {folder}/*/").split()
        assert {"about.json", "database.dump"} <= set(files), files
        print("a backup")


def wait(condition: Callable[[], bool], state: str) -> None:
    """Wait until a condition is true, and print this state."""
    until = time.monotonic() + MAX_WAIT_S
    while not condition():
        if time.monotonic() > until:
            raise SystemExit(f"It takes too long until {state}.")
        time.sleep(2)
    print(state)


@contextmanager
def start_containers(folder: Path) -> Iterator[Containers]:
    """Start the site's containers; remove them with all volumes and networks afterwards."""
    site = Containers(folder / PROJECT)
    try:
        site.compose("up", "-d")
        yield site
    finally:
        subprocess.run(["podman-compose", "down", "--volumes"], cwd=site.folder, check=False)
        networks = [f"{PROJECT}_{name}" for name in ("default", "proxy")]
        subprocess.run(["podman", "network", "rm", "--force", *networks], check=False)


if __name__ == "__main__":
    main()
