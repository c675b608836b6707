"""What is agreed about a stage, in words."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.models import Stage
from tournaments.pairing import get_system


@dataclass(frozen=True, slots=True)
class StageFacts:
    """A stage as the conditions show it."""

    number: int
    title: str
    summary: str
    facts: list[tuple[str, str]]


def stage_facts(stage: Stage) -> StageFacts:
    """Who plays it, and its system's numbers, those too that were left as they are."""
    system = get_system(stage.system)
    facts = [("Who plays", f"the best {stage.take} of stage {stage.number - 1}")]
    if not stage.take:
        facts = [("Who plays", "all" if stage.number == 1 else "all of the stage before")]
    if stage.divisions > 1:
        facts.append(("Divisions", str(stage.divisions)))
    facts.append(("Deal groups per pairing", str(stage.groups)))
    facts += [
        (setting.title, str(stage.settings.get(setting.name, setting.default)))
        for setting in system.settings
    ]
    return StageFacts(
        stage.number, system.title[0].upper() + system.title[1:], system.summary, facts
    )
