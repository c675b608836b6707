"""Small archives, made without a site by bots that play different legal moves."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from engine import Format, Record
from engine import Match as Play
from engine.shuffle import commitment
from tournaments import archive
from tournaments.archive.paired_groups import group_of
from tournaments.course.course import Division, begun_stages, course, standings
from tournaments.course.divisions import order_sides
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import group_seed, members, seatings
from tournaments.standings import cross_table

FORMAT = "cassino/standard/1v1?deals=1"


def head(count: int = 3, **changes: Any) -> archive.Head:
    """The head of a finished Swiss of two rounds between bots of different authors."""
    archive_head = archive.Head(
        slug="cup",
        format=FORMAT,
        partners="copies",
        seed="a seed",
        chosen_seed=True,
        state="finished",
        tie_breaks=("buchholz", "difference"),
        apart=False,
        stages=(StagePlan("swiss", {"rounds": 2}, groups=1),),
        entries=tuple(
            archive.ArchivedEntry(
                n, f"Bot {n}", False, (archive.ArchivedMember(f"bot-{n}", f"a{n}", 1, "ab"),)
            )
            for n in range(1, count + 1)
        ),
    )
    return replace(archive_head, **changes)


class ArchiveParts:
    """The parts of an archive, which tests change and pack."""

    def __init__(self, of: archive.Head) -> None:
        self.of = of
        self.deal_groups: list[archive.ArchivedGroup] = []
        self.records: dict[str, dict[str, Any]] = {}
        self._play()
        stages = begun_stages(course(of.conditions, self.groups))
        rows, names = standings(of.conditions, stages), of.tie_breaks
        cells = cross_table([row.entrant for row in rows], [g.matches for g in self.groups])
        self.files: dict[str, Any] = {
            "tournament.json": archive.head_as_json(of, {"name": "A cup"}),
            "standings.json": {
                "rows": [archive.row_as_json(row, names, of.version) for row in rows],
                "stages": [
                    {
                        "stage": part.stage,
                        "division": part.number,
                        "rows": [archive.row_as_json(row, names, of.version) for row in part.rows],
                    }
                    for stage in stages
                    for part in stage
                ],
            },
            "crosstable.json": {"cells": archive.cells_as_json(cells)},
            "ratings.json": {"ratings": []},
        }
        # The parts as JSON, which tests change.
        self.lines: list[dict[str, Any]] = [
            json.loads(json.dumps(asdict(f))) for f in self.deal_groups
        ]
        self.files = json.loads(json.dumps(self.files))

    @property
    def groups(self) -> list[Any]:
        return [group_of(deal_group) for deal_group in self.deal_groups]

    def packed(self) -> io.BytesIO:
        """The archive as a file."""
        file_object = io.BytesIO()
        with zipfile.ZipFile(file_object, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in {**self.files, **self.records}.items():
                file.writestr(name, json.dumps(content))
            file.writestr("fixtures.jsonl", "".join(json.dumps(line) + "\n" for line in self.lines))
        return file_object

    def _play(self) -> None:
        """Play a stage to its end."""
        while True:
            [division] = next(course(self.of.conditions, self.groups))
            pairings = division.upcoming()
            if not pairings:
                return
            for slot, pairing in pairings:
                self._add(*slot, _teams(division, pairing))

    def _add(self, round_: int, pairing: int, group: int, teams: list[Any]) -> None:
        number = 1 + len(self.deal_groups)
        sides = order_sides([team[0] if len(team) == 1 else team for team in teams], group)
        seed = group_seed(self.of.seed, round_, pairing, group)
        fmt = Format.parse(self.of.format)
        by_number = {entry.number: entry for entry in self.of.entries}
        seats = [
            [
                archive.ArchivedSeat(int(entry), member.bot, member.version, member.package)
                for entry in members(side)
                for member in by_number[int(entry)].members
            ]
            for side in sides
        ]
        matches = []
        for rotation, seated in enumerate(seatings(fmt.sides, seats, group - 1)):
            pk = 10 * number + rotation
            record = _record(self.of.format, seed, tuple(seat.bot for seat in seated))
            self.records[f"records/{pk}.json"] = record
            result = record["result"]
            matches.append(
                archive.ArchivedMatch(
                    pk,
                    rotation,
                    "finished",
                    seated,
                    tuple(result["scores"]),
                    tuple(result["ranks"]),
                    (),
                )
            )
        place = (1, 1, round_, pairing, group)
        promised = commitment(seed) if self.of.version > 1 else None
        deal_group = archive.ArchivedGroup(
            number, *place, promised, seed, False, sides, tuple(matches)
        )
        self.deal_groups.append(deal_group)


def _teams(division: Division, pairing: tuple[int, ...]) -> list[Any]:
    return [tuple(division.entrants[i] for i in team) for team in division.state.teams(pairing)]


@cache
def _played(fmt: str, seed: str, names: tuple[str, ...]) -> Play:
    play = Play(Format.parse(fmt), seed=seed)
    while play.turn is not None:
        legal = play.legal_moves()
        play.play(legal[sum(names[play.turn].encode()) * 7 % len(legal)])
    return play


def _record(fmt: str, seed: str, names: tuple[str, ...]) -> dict[str, Any]:
    players = [{"name": name, "package": "ab"} for name in names]
    return Record.of(_played(fmt, seed, names), players).to_json()
