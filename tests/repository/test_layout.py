"""The habits of this repository that no tool of others checks."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]
STDLIB = Path(sysconfig.get_path("stdlib")).resolve()


def tracked_files() -> list[Path]:
    """What git tracks; every file of an unpacked archive."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        made = {".venv", "node_modules"}
        return [path for path in ROOT.rglob("*") if path.is_file() and not made & {*path.parts}]
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def test_properties_hold_at_any_speed() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check


def test_platform_is_the_standard_librarys() -> None:
    assert platform.__file__ is not None
    assert Path(platform.__file__).resolve().parent == STDLIB
    assert not (ROOT / "platform" / "__init__.py").exists()


@pytest.mark.parametrize("first", ["", "platform"])
def test_platform_is_the_standard_librarys_with_the_checkout_first(first: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT / first)!r}); import platform; platform.node"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_requirements_are_hashed_and_name_no_address() -> None:
    files = list((ROOT / "requirements").glob("*.txt"))
    names = {"site", "test", "bench", "audit", "mutants", "install", "uv"}
    assert {file.stem for file in files} == names
    for file in files:
        text = file.read_text()
        pins = re.findall(r"^[A-Za-z0-9_.-]+==[^\n]*?\\\n    --hash=sha256:", text, re.MULTILINE)
        assert len(pins) == len(re.findall(r"^[A-Za-z0-9_.-]+(?:\[[^]]*\])?==", text, re.MULTILINE))
        assert "://" not in text
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for name, package in locked.items():
        assert not name or package["integrity"]
        assert "resolved" not in package


def test_every_declared_dependency_is_pinned() -> None:
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = declared["project"], declared["dependency-groups"]
    pinned = (ROOT / "requirements" / "test.txt").read_text()
    names = [
        re.split(r"[\[><=!~ ]", requirement)[0]
        for requirement in [
            *project["dependencies"],
            *project["optional-dependencies"]["server"],
            *project["optional-dependencies"]["embedded"],
            *(item for item in groups["test"] if isinstance(item, str)),
        ]
    ]
    missing = [name for name in names if not re.search(rf"^{name}(\[.*\])?==", pinned, re.M)]
    assert missing == []


def test_every_module_without_django_is_held_to_it() -> None:
    """The import contract lists modules one by one; a new one must not be forgotten."""
    import tomllib

    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    held = set(contracts[-1]["source_modules"])
    django = {"access", "actions", "admin", "api", "apps", "migrations", "models", "quotas"}
    django |= {"isolation_summary", "package_store", "tasks", "workers"}
    django |= {"analysing", "exports", "lease_renewal", "projections", "queue", "reading", "worker"}
    django |= {"visibility", "organizing"}
    for package in ("bots", "tournaments"):
        names = {path.stem for path in (ROOT / package).iterdir() if path.suffix == ".py"}
        names |= {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        free = {f"{package}.{name}" for name in names - django - {"__init__"}}
        assert free == {name for name in held if name.startswith(package)}


def test_commands_in_the_makefile_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for script in re.findall(r"scripts/[a-z_]+\.(?:sh|py)", makefile):
        assert (ROOT / script).is_file(), script


def test_lines_of_pages_are_short() -> None:
    """What the formatters of templates, CSS and JavaScript cannot break: strings, long tags."""
    site = ROOT / "platform" / "cardroom"
    long = [
        f"{path.relative_to(site)}:{number}"
        for folder, kinds in (("templates", {".html", ".txt"}), ("static", {".css", ".js"}))
        for path in (site / folder).rglob("*")
        if path.suffix in kinds
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []


def test_parts_of_pages_begin_with_an_underscore() -> None:
    """A template is a page, which extends another, or a part, which a page includes or swaps.

    django-allauth chooses the names in folders of its own.
    """
    templates = ROOT / "platform" / "cardroom" / "templates"
    allauth = {"account", "allauth", "mfa", "socialaccount", "usersessions"}
    wrong = [
        str(path.relative_to(templates))
        for path in templates.rglob("*.*")
        if path.relative_to(templates).parts[0] not in allauth
        if path.name.startswith("_") == path.read_text().startswith("{% extends")
    ]
    # Pages by themselves: the board for other sites has no menu, Swagger draws the API's.
    assert sorted(wrong) == ["api/docs.html", "base.html", "match/embedded.html"]


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in tracked_files()
        if page.suffix == ".md"
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text())
        if not target.startswith("/") and not (page.parent / target).exists()
    ]
    assert broken == []


def test_no_file_names_a_home_folder() -> None:
    """A path of the machine it was written on is of use to nobody else."""
    home = re.compile(rb"/(?:home|Users)/[a-z]+/")
    named = []
    for path in tracked_files():
        if path.suffix in {".png", ".webp", ".ico", ".woff2"} or path == Path(__file__).resolve():
            continue
        if path.is_file() and home.search(path.read_bytes()):
            named.append(str(path.relative_to(ROOT)))
    assert named == []


@pytest.mark.parametrize("page", ["docs/11-code-map.md", "docs/12-extending.md", "CONTRIBUTING.md"])
def test_who_looks_for_code_is_told_of_what_is_there(page: str) -> None:
    """Files in backticks exist; the names after a file stand in it."""
    wrong = []
    text = (ROOT / page).read_text()
    for name, after in re.findall(r"`([a-z_]+/[^`\s]+)`((?: `[A-Za-z_]\w*`)*)", text):
        if re.search(r"[A-Z]{4}|tournaments/\{", name):  # NOUN, GAME, an address
            continue
        path = ROOT / name
        if not path.exists():
            wrong.append(name)
            continue
        missing = [each for each in re.findall(r"\w+", after) if each not in path.read_text()]
        wrong += [f"{name} {each}" for each in missing]
    assert wrong == []


def test_documents_name_files_that_exist() -> None:
    """A file may be named from any folder on, such as `referee/clock.py`."""
    files = [f"/{path.relative_to(ROOT)}" for path in tracked_files()]
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    wrong = [
        f"{page.name}: {name}"
        for page in pages
        for name in re.findall(r"`([a-z_]+/[a-z_/]+\.(?:py|js|css|sh))`", page.read_text())
        if not any(file.endswith(f"/{name}") for file in files)
    ]
    assert wrong == []


def test_the_glossary_names_modules_that_are_there() -> None:
    text = (ROOT / "docs" / "10-glossary.md").read_text()
    for name in re.findall(r"`(engine\.[a-z_.]+)(?:\.[A-Z]\w*)?`", text):
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or path.is_dir(), name
