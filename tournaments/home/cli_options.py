"""Options of `cardroom` commands that describe a tournament, and their conversion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from bots.cli.common import UsageError
from bots.limits import MAX_SETTINGS
from bots.package.files import read_limited
from engine import Format
from engine.json_text import parse_json
from tournaments.course import field_rules
from tournaments.course.field_rules import PARTNERS
from tournaments.course.stages import StagePlan, parse_stages
from tournaments.standings import DEFAULT, TIE_BREAKS

DEFAULT_TIE_BREAKS = ",".join(DEFAULT)
"""The default tie-breaks, separated by commas."""

System = Annotated[str, typer.Option(metavar="NAME", help="The pairing system, such as swiss.")]
Groups = Annotated[int, typer.Option(help="Deal groups of each pairing.")]
Meetings = Annotated[
    int | None, typer.Option(help="Short for --set meetings=N, for a round robin.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=N", help="A setting of the system, such as rounds=5."),
]
Stages = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Several stages, instead of --system, --set and --groups: a JSON list of objects "
        "with system, settings, groups, take, divisions.",
    ),
]
PartnersOption = Annotated[
    str,
    typer.Option(
        metavar="|".join(PARTNERS),
        help="How the seats of a side are filled: copies of one bot, fixed teams (each BOT is then "
        "a team such as a.py+b.py), or single bots whose partners rotate.",
    ),
]
TieBreaks = Annotated[
    str,
    typer.Option(metavar="NAME,…", help=f"Tie-breaks in order of use: {', '.join(TIE_BREAKS)}."),
]
Forecasts = Annotated[
    bool,
    typer.Option(
        "--forecast",
        help="Play nothing: estimate the size of the tournament and the chance that the best bot "
        "wins, with random strengths.",
    ),
]
Rounds = Annotated[
    int, typer.Option(min=1, max=10_000, help="Rounds to play if the system has no end.")
]
Seed = Annotated[
    str | None,
    typer.Option(help="Any text; determines pairings and shuffles; default: random."),
]
Records = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write every match's record here.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue where a run with this --seed stopped.")
]


def plans_of(
    system: str, settings: Sequence[str], groups: int, meetings: int | None, stages: Path | None
) -> tuple[StagePlan, ...]:
    """The stages that the options describe; UsageError or FieldError for invalid options."""
    if stages is not None:
        if settings or meetings is not None:
            raise UsageError("With --stages, put the settings in the file.")
        return tuple(parse_stages(_read_json(stages)))
    values = dict(map(_parse_setting, settings))
    if meetings is not None:
        values["meetings"] = meetings
    return (field_rules.parse_only_stage({"system": system, "settings": values, "groups": groups}),)


def tie_breaks_of(text: str) -> tuple[str, ...]:
    """The tie-breaks of a comma-separated list; FieldError for an unknown one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return tuple(field_rules.clean_field("tie_breaks", names))


def team_size(fmt: Format, partners: str) -> int:
    """Number of bots of an entry; FieldError for an unknown value of `partners`."""
    return (
        max(map(len, fmt.sides)) if field_rules.clean_field("partners", partners) == "fixed" else 1
    )


def _parse_setting(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value)
    except ValueError:
        raise UsageError(f"--set takes NAME=N with a whole number, not {text}.") from None


def _read_json(path: Path) -> object:
    try:
        return parse_json(read_limited(path, MAX_SETTINGS), MAX_SETTINGS)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from None
