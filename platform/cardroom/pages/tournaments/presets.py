"""Presets of tournaments, each of which fills in the whole form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset."""

    name: str
    """The name in the address: `?preset=ladder`."""
    title: str
    sentence: str
    size: str
    """The number of entries for which it is suitable, as text."""
    lines: str
    """The path of its drawing in a box of 120 × 64."""
    dots: tuple[tuple[int, int], ...]
    """The dots of its drawing; the last one is the winner."""
    values: Mapping[str, Any]
    """The values of the form's fields."""
    stages: tuple[Mapping[str, Any], ...] = field(default=({},))
    """The values of each stage's fields."""

    def fits(self, values: Mapping[str, Any], stages: Sequence[Mapping[str, Any]]) -> bool:
        """Whether its name and description fit these values: the same partners, and the same
        systems with the preset's numbers. Numbers may be text, as in forms."""
        if values.get("partners", "copies") != self.values.get("partners", "copies"):
            return False
        return len(stages) == len(self.stages) and all(
            str(stage.get(key)) == str(value)
            for stage, own_stage in zip(stages, self.stages, strict=True)
            for key, value in own_stage.items()
            if key != "groups"
        )

    @property
    def other_dots(self) -> tuple[tuple[int, int], ...]:
        """All dots except the winner's."""
        return self.dots[:-1]

    @property
    def winner(self) -> tuple[int, int]:
        """The winner's dot."""
        return self.dots[-1]


PRESETS: Final = (
    Preset(
        "partners-evening",
        "Partners evening",
        "Canasta in pairs. Teams of two bots; losers are out.",
        "4 to 16 teams",
        "M6 8H40V24H6M6 40H40V56H6M40 16H74M40 48H74M74 16V48M74 32H104",
        ((108, 32),),
        {
            "name": "Partners evening",
            "description": "A knock-out for teams of two. Bring a partner, or ask somebody’s bot.",
            "format": "canasta/classic/2v2?deals=4",
            "partners": "fixed",
            "seeding": "rating",
        },
        ({"system": "knock-out", "groups": 4, "knock-out.third": 1},),
    ),
    Preset(
        "weekend-swiss",
        "Weekend Swiss with finals",
        "Everybody plays every round, and winners meet winners. The best four play for the cup.",
        "6 to 200 bots",
        "M8 14H30L52 24H74L96 14H112M8 32H30L52 14H74L96 32H112M8 50H112",
        ((8, 14), (8, 32), (8, 50), (112, 14)),
        {
            "name": "Weekend Swiss",
            "description": "Five rounds, then a knock-out of the top four.",
            "format": "cassino/standard/1v1",
            "seeding": "rating",
            "tie_break_1": "buchholz",
            "tie_break_2": "difference",
        },
        (
            {"system": "swiss", "groups": 4, "swiss.rounds": 5},
            {"system": "knock-out", "groups": 8, "take": 4, "divisions": 1},
        ),
    ),
    Preset(
        "quick-round-robin",
        "Quick round robin",
        "Everybody meets everybody once.",
        "3 to 8 bots",
        "M60 10 92 26 84 54 36 54 28 26ZM60 10 84 54M60 10 36 54M92 26 36 54M28 26H92M84 54 28 26",
        ((92, 26), (84, 54), (36, 54), (28, 26), (60, 10)),
        {
            "name": "Quick round robin",
            "description": "Everybody meets everybody.",
            "format": "cassino/standard/1v1",
        },
        ({"system": "round-robin", "groups": 2},),
    ),
    Preset(
        "ladder",
        "Ladder",
        "Runs until you end it. Bots join at any time and climb by rating.",
        "any number of bots",
        "M44 4V60M76 4V60M44 14H76M44 26H76M44 38H76M44 50H76",
        ((60, 50), (60, 38), (60, 14)),
        {
            "name": "Ladder",
            "description": "Open to all, day and night.",
            "format": "cassino/standard/1v1",
            "rated": True,
        },
        ({"system": "ladder", "groups": 1},),
    ),
)
"""All presets, in the order of the page."""
DEFAULT_PRESET: Final = "quick-round-robin"
"""The preset that fills in a form without `?preset=`."""


def outdated(values: Mapping[str, Any], stages: Sequence[Mapping[str, Any]]) -> tuple[bool, bool]:
    """(name, description): whether each is the text of a preset that does not fit the
    tournament."""
    names = []
    for key in ("name", "description"):
        presets = [preset for preset in PRESETS if preset.values[key] == values.get(key)]
        names.append(
            bool(presets) and not any(candidate.fits(values, stages) for candidate in presets)
        )
    return names[0], names[1]


def preset(name: str) -> Preset | None:
    """The preset with this name; None if there is none."""
    return next((preset for preset in PRESETS if preset.name == name), None)
