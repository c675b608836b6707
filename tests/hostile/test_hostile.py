"""A sample of the programs, as root and as an ordinary user; `make hostile` plays all of them."""

from __future__ import annotations

import pytest

from bots.sandbox import detect
from tests.hostile.collection import WALLS, HostileProgram, all_variants, sample
from tests.hostile.harness import Verdict
from tests.hostile.settings import WorkerSetup, available, run

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here"),
]


def variants_in(setting: WorkerSetup, *, full_size: bool) -> list[HostileProgram]:
    """A sixth of the variants in the first setting, and a twelfth in each other."""
    step = 6 if setting == available()[0] else 12
    return sample(1 if full_size else step, all_variants())


@pytest.fixture(scope="module", params=available(), ids=lambda setting: setting.name)
def setting(request: pytest.FixtureRequest) -> WorkerSetup:
    assert isinstance(request.param, WorkerSetup)
    return request.param


@pytest.fixture(scope="module")
def verdicts(setting: WorkerSetup, *, full_size: bool) -> dict[str, Verdict]:
    """The verdicts of the sample, by name."""
    names = [variant.name for variant in variants_in(setting, full_size=full_size)]
    return {verdict.name: verdict for verdict in run(setting, names)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({variant.kind for variant in all_variants()}))
def test_nothing_gets_through(
    kind: str, setting: WorkerSetup, verdicts: dict[str, Verdict], *, full_size: bool
) -> None:
    variants = [
        variant for variant in variants_in(setting, full_size=full_size) if variant.kind == kind
    ]
    assert variants
    assert {variant.name: verdicts[variant.name].complaints for variant in variants} == {
        variant.name: () for variant in variants
    }


def test_at_least_120_programs_attack_every_wall() -> None:
    variants = all_variants()
    assert len({variant.path for variant in variants}) >= 120
    assert {wall for variant in variants for wall in variant.walls} == set(WALLS)
    assert len({variant.name for variant in variants}) == len(variants)


@pytest.mark.parametrize("step", [6, 12])
def test_samples_cover_every_kind_and_are_repeatable(step: int) -> None:
    variants = all_variants()
    selection = sample(step, variants)
    assert {variant.kind for variant in selection} == {variant.kind for variant in variants}
    assert len(selection) <= len(variants) / step + len({variant.kind for variant in variants})
    assert selection == sample(step, all_variants())
