"""Rules of this repository that no other tool checks."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from pkgutil import resolve_name

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]
STDLIB = Path(sysconfig.get_path("stdlib")).resolve()


def tracked_files() -> list[Path]:
    """The files that git tracks; in an unpacked archive all files."""
    process = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if process.returncode:
        ignored = {".venv", "node_modules"}
        return [path for path in ROOT.rglob("*") if path.is_file() and not ignored & {*path.parts}]
    return [ROOT / name for name in process.stdout.decode().split("\0") if name]


def test_property_tests_have_no_deadline() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check


def test_platform_is_the_module_of_the_standard_library() -> None:
    assert platform.__file__ is not None
    assert Path(platform.__file__).resolve().parent == STDLIB
    assert not (ROOT / "platform" / "__init__.py").exists()


@pytest.mark.parametrize("first", ["", "platform"])
def test_a_checkout_first_on_the_path_does_not_hide_platform(first: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT / first)!r}); import platform; platform.node"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_requirements_have_hashes_and_no_addresses() -> None:
    files = list((ROOT / "requirements").glob("*.txt"))
    names = {"site", "test", "bench", "audit", "mutants", "install", "uv"}
    assert {file.stem for file in files} == names
    for file in files:
        text = file.read_text()
        pins = re.findall(r"^[A-Za-z0-9_.-]+==[^\n]*?\\\n    --hash=sha256:", text, re.MULTILINE)
        assert len(pins) == len(re.findall(r"^[A-Za-z0-9_.-]+(?:\[[^]]*\])?==", text, re.MULTILINE))
        assert "://" not in text
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        assert not name or package["integrity"]
        assert "resolved" not in package


def test_every_declared_dependency_is_pinned() -> None:
    import tomllib

    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    requirements = (ROOT / "requirements" / "test.txt").read_text()
    names = [
        re.split(r"[\[><=!~ ]", requirement)[0]
        for requirement in [
            *project["dependencies"],
            *project["optional-dependencies"]["server"],
            *project["optional-dependencies"]["embedded"],
            *(item for item in groups["test"] if isinstance(item, str)),
        ]
    ]
    missing = [name for name in names if not re.search(rf"^{name}(\[.*\])?==", requirements, re.M)]
    assert missing == []


def test_the_import_contract_lists_all_modules_without_django() -> None:
    """The contract lists modules one by one, so a new one could be missing."""
    import tomllib

    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    listed_modules = set(contracts[-1]["source_modules"])
    django = {"access", "actions", "admin", "api", "apps", "migrations", "models", "quotas"}
    django |= {"isolation_summary", "package_store", "tasks", "workers"}
    django |= {"analysing", "exports", "lease_renewal", "projections", "queue", "reading", "worker"}
    django |= {"visibility", "organizing"}
    for package in ("bots", "tournaments"):
        names = {path.stem for path in (ROOT / package).iterdir() if path.suffix == ".py"}
        names |= {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        modules = {f"{package}.{name}" for name in names - django - {"__init__"}}
        assert modules == {name for name in listed_modules if name.startswith(package)}


def test_commands_in_the_makefile_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for script in re.findall(r"scripts/[a-z_]+\.(?:sh|py)", makefile):
        assert (ROOT / script).is_file(), script


def test_lines_of_pages_are_short() -> None:
    """Formatters of templates, CSS and JavaScript cannot break strings and long tags."""
    site = ROOT / "platform" / "cardroom"
    long_lines = [
        f"{path.relative_to(site)}:{number}"
        for folder, kinds in (("templates", {".html", ".txt"}), ("static", {".css", ".js"}))
        for path in (site / folder).rglob("*")
        if path.suffix in kinds
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 120
    ]
    assert long_lines == []


def test_names_of_partial_templates_begin_with_an_underscore() -> None:
    """A template is a page, which extends another, or a part, which a page includes or swaps.

    django-allauth determines the names in its own folders.
    """
    templates = ROOT / "platform" / "cardroom" / "templates"
    allauth = {"account", "allauth", "mfa", "socialaccount", "usersessions"}
    wrong = [
        str(path.relative_to(templates))
        for path in templates.rglob("*.*")
        if path.relative_to(templates).parts[0] not in allauth
        if path.name.startswith("_") == path.read_text().startswith("{% extends")
    ]
    # These pages extend none: the embedded board has no menu, and Swagger draws the API's page.
    assert sorted(wrong) == ["api/docs.html", "base.html", "match/embedded.html"]


def test_links_between_documents_have_targets() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in tracked_files()
        if page.suffix == ".md"
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text())
        if not target.startswith("/") and not (page.parent / target).exists()
    ]
    assert broken == []


def test_no_file_names_a_home_folder() -> None:
    """The path of an author's machine is useless to others."""
    home = re.compile(rb"/(?:home|Users)/[a-z]+/")
    matching_files = []
    for path in tracked_files():
        if path.suffix in {".png", ".webp", ".ico", ".woff2"} or path == Path(__file__).resolve():
            continue
        if path.is_file() and home.search(path.read_bytes()):
            matching_files.append(str(path.relative_to(ROOT)))
    assert matching_files == []


@pytest.mark.parametrize("page", ["docs/11-code-map.md", "docs/12-extending.md", "CONTRIBUTING.md"])
def test_documents_name_existing_files_and_names(page: str) -> None:
    """Files in backticks exist, and they contain the names after them."""
    wrong = []
    text = (ROOT / page).read_text()
    for name, after in re.findall(r"`([a-z_]+/[^`\s]+)`((?: `[A-Za-z_]\w*`)*)", text):
        if re.search(r"[A-Z]{4}|tournaments/\{", name):  # NOUN, GAME, an address
            continue
        path = ROOT / name
        if not path.exists():
            wrong.append(name)
            continue
        missing = [word for word in re.findall(r"\w+", after) if word not in path.read_text()]
        wrong += [f"{name} {word}" for word in missing]
    assert wrong == []


def test_documents_name_files_that_exist() -> None:
    """A path may begin at any folder, such as `referee/clock.py`."""
    files = [f"/{path.relative_to(ROOT)}" for path in tracked_files()]
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    wrong = [
        f"{page.name}: {name}"
        for page in pages
        for name in re.findall(r"`([a-z_]+/[a-z_/]+\.(?:py|js|css|sh))`", page.read_text())
        if not any(file.endswith(f"/{name}") for file in files)
    ]
    assert wrong == []


def test_documents_name_what_a_file_defines() -> None:
    """Such as `LEASE_SECONDS` in `platform/cardroom/settings.py`."""
    files = {path: path.read_text() for path in tracked_files() if path.suffix in {".py", ".js"}}
    wrong = [
        f"{page.name}: {name} in {file}"
        for page in (ROOT / "docs").rglob("*.md")
        for names, file in re.findall(
            r"((?:`\w+`, )*`\w+`) in `([a-z_]+/[a-z_/]+\.(?:py|js))`", page.read_text()
        )
        for name in re.findall(r"\w+", names)
        if not any(
            re.search(rf"\b{name}\b", text)
            for path, text in files.items()
            if path.as_posix().endswith(f"/{file}")
        )
    ]
    assert wrong == []


def test_the_glossary_names_code_that_exists() -> None:
    """A name begins at a package, or at a module of `tournaments`."""
    text = (ROOT / "docs" / "10-glossary.md").read_text()
    names = re.findall(r"`([a-z_]+(?:\.[A-Za-z_]\w*)+)(?<!\.py)(?<!\.toml)`", text)
    assert [name for name in names if not (_exists(name) or _exists(f"tournaments.{name}"))] == []


def _exists(name: str) -> bool:
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True
