"""Libraries for Python bots exist only in sandboxes of bots that need them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bots.sandbox import Program, Sandbox, SandboxUnavailable, image, interpreter, libraries
from tests.bots.sandbox.conftest import ask
from tests.bots.sandbox.test_forkserver import forked

pytestmark = pytest.mark.sandbox

NEEDS = ("numpy",)
# Sums a product of matrices; reports the number of threads and random numbers.
COUNTING = b"""
import json, os, random, sys
loaded = "numpy" in sys.modules
import numpy as np
early = np.random.random()
def choose(view, legal):
    matrix = np.ones((64, 64))
    facts = {
        "loaded": loaded,
        "sum": float((matrix @ matrix).sum()),
        "early": early,
        "drawn": [np.random.random(), random.random()],
        "threads": os.environ["OPENBLAS_NUM_THREADS"],
        "server": sorted(set(sys.modules) & {"socket", "select", "forkserver"}),
    }
    return json.dumps(facts)
"""
PROGRAM = Program({"bot.py": COUNTING}, needs=NEEDS)


@pytest.fixture(scope="module")
def numpy_sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def test_numpy_is_loaded_and_seeded_by_the_match(
    numpy_sandbox: Sandbox,
) -> None:
    seats = [numpy_sandbox.open(PROGRAM, name="bot") for _ in range(2)]
    one, other = (json.loads(ask(seat)) for seat in seats)
    assert all(map(forked, seats))
    assert one.pop("early") != other.pop("early")  # before the match begins, numbers are random
    assert one == other
    assert (one["loaded"], one["sum"], one["threads"]) == (True, 64.0**3, "1")
    assert one["server"] == []


def test_random_numbers_are_the_same_without_the_fork_server(numpy_sandbox: Sandbox) -> None:
    forked_one = json.loads(ask(numpy_sandbox.open(PROGRAM, name="bot")))
    numpy_sandbox._fork_failures = 3
    try:
        seat = numpy_sandbox.open(PROGRAM, name="bot")
    finally:
        numpy_sandbox._fork_failures = 0
    assert not forked(seat)
    alone = json.loads(ask(seat))
    assert not alone["loaded"]
    assert alone["drawn"] == forked_one["drawn"]


def test_trusted_bots_have_numpy() -> None:
    with Sandbox(trusted=True) as sandbox:
        assert json.loads(ask(sandbox.open(PROGRAM, name="bot")))["sum"] == 64.0**3


def test_bots_that_do_not_need_numpy_do_not_have_it(numpy_sandbox: Sandbox) -> None:
    source = b"""
import importlib.util, os
def choose(view, legal):
    return f'{importlib.util.find_spec("numpy")} {"numpy" in os.listdir("/cardroom")}'
"""
    seat = numpy_sandbox.open(Program({"bot.py": source}), name="bot")
    assert ask(seat) == "None False"
    python = interpreter.running()
    assert not list(image.ensure_image(python).glob("numpy*"))
    assert (image.ensure_image(python, NEEDS) / "numpy/__init__.py").is_file()


def test_numpy_testing_lacks_the_description_of_the_build(numpy_sandbox: Sandbox) -> None:
    """docs/02-bots.md states it."""
    source = b"""
def choose(view, legal):
    try:
        import numpy.testing
    except ModuleNotFoundError as error:
        return error.name
"""
    seat = numpy_sandbox.open(Program({"bot.py": source}, needs=NEEDS), name="bot")
    assert ask(seat).startswith("_sysconfigdata")


def test_a_machine_without_numpy_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDROOM_LIBRARIES", "")
    assert libraries.missing(NEEDS) == ["numpy"]
    assert "numpy" not in libraries.runtimes()
    with Sandbox(trusted=True) as sandbox, pytest.raises(SandboxUnavailable, match="no numpy"):
        sandbox.open(PROGRAM, name="bot")
    monkeypatch.setenv("CARDROOM_LIBRARIES", "numpy, other")
    assert libraries.missing(NEEDS) == []


def test_the_platform_does_not_import_numpy() -> None:
    code = (
        "import sys; from bots.sandbox import libraries, pool; print(libraries.runtimes()); "
        "libraries.files(('numpy',)); sys.exit('numpy' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert b"'numpy': '" in result.stdout
