"""Common properties of pairing systems."""

from __future__ import annotations

import pytest

from tournaments.pairing import SYSTEMS, get_system


def test_a_system_is_found_by_its_name() -> None:
    for name, system in SYSTEMS.items():
        assert get_system(name) is system
        assert system.name == name
    with pytest.raises(ValueError, match="no pairing system “swis”; there are: round-robin"):
        get_system("swis")


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: str(system.name))
def test_settings_are_validated_and_defaults_omitted(system: object) -> None:
    from tournaments.pairing import System

    assert isinstance(system, System)
    defaults = {setting.name: setting.default for setting in system.settings}
    assert system.checked(defaults) == {}
    for setting in system.settings:
        assert setting.low <= setting.default <= setting.high
        for value in (setting.low - 1, setting.high + 1, "1", True, 1.5):
            with pytest.raises(ValueError, match=setting.name):
                system.checked({setting.name: value})
    with pytest.raises(ValueError, match="no setting nonsense"):
        system.checked({"nonsense": 1})
