"""What the supervisor says of services that die. Whole sites are in test_up.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardroom.supervisor import PAUSES, STEADY_SECONDS, Service, Supervisor


@pytest.mark.parametrize(("lived", "given_up"), [(0.1, True), (STEADY_SECONDS + 1, False)])
def test_a_service_that_dies_at_once_is_named_with_its_log(
    lived: float, given_up: bool, tmp_path: Path
) -> None:
    told: list[str] = []
    worker = Service("worker", ["false"])
    overseer = Supervisor([worker, Service("web", ["true"])], tmp_path, told.append)
    overseer.log_of(worker).write_text("Traceback\nModuleNotFoundError: No module named 'x'\n")
    assert overseer.hopeless() == ""
    for _ in PAUSES:
        overseer._plan_again(worker, 1, worker.started + lived)
    assert len(told) == len(PAUSES)
    trouble = overseer.hopeless()
    assert bool(trouble) == given_up
    if given_up:
        assert trouble.startswith(f"worker ended {len(PAUSES)} times in a row.")
        assert trouble.endswith("No module named 'x'")
