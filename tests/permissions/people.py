"""Creates the people of the matrix, their bots and tables, and tournaments in all states."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

from django.conf import settings
from django.contrib.auth.models import User

from bots.actions import quarantine, set_active_version
from bots.models import Bot
from cardroom.actions.moderation import (
    change_bot,
    change_tournament,
    hide_tournament,
    suspend_account,
)
from cardroom.actions.tokens import make_token
from cardroom.actions.webhooks import change_webhook, create_webhook
from cardroom_tables import finished_tables, reading
from cardroom_tables.guests import invitation
from engine import Record
from engine.move_options import decide
from tests import factories as make
from tests.play import hall
from tournaments import actions, projections
from tournaments.exports.dump import dump
from tournaments.models import Match, Tournament

PEOPLE = ("nobody", "stranger", "owner", "partner", "organizer", "staff")
"""`owner` owns Magpie, Rook and Finch and sits at all tables. `partner` owns Jay, which `owner`
asked into a team. `organizer` created the tournaments. `stranger` owns Wren and is not involved."""


@dataclass
class MatrixWorld:
    """The objects to which the rows of the matrix refer."""

    people: dict[str, User | None]
    values: dict[str, str] = field(default_factory=dict)
    """Values of the names in braces in the rows."""
    sessions: dict[int, str] = field(default_factory=dict)
    """Keys of the sessions of logged-in users, by user id."""


def create_world() -> MatrixWorld:
    """Create the world with the site's actions."""
    people: dict[str, User | None] = {"nobody": None}
    for name in PEOPLE[1:]:
        people[name] = make.user(name, staff=name == "staff")
    owner, organizer = people["owner"], people["organizer"]
    assert owner is not None
    assert organizer is not None
    bots = [make.bot(owner, name) for name in ("Magpie", "Rook", "Finch")]
    bots.append(make.bot(people["partner"], "Jay"))
    make.bot(people["stranger"], "Wren")
    quarantined = make.bot(people["stranger"], "Dodo")
    quarantine(quarantined, None)
    change_bot(quarantined, "description", "Polite", None, "x")  # which locks its texts
    suspend_account(make.user("suspended"), None, "x")
    make.house_bot("house:random")
    make.worker("worker@here")
    world = MatrixWorld(people, {"quarantined": quarantined.slug})
    _create_tournaments(world, organizer, bots)
    _create_team(world, organizer, owner, bots)
    _create_trial(world, owner, bots[0], bots[1])
    _create_challenges(world, owner, bots[0], bots[3])
    _create_tables(world, owner)
    make.version(bots[2])
    set_active_version(bots[2], 2, owner)  # so that it can be undone
    token, _ = make_token(owner, "an owner's", ["read"], 9)
    world.values["token"] = str(token.pk)
    address, kinds = "https://hook.example/", ["checked"]
    hook = create_webhook(owner, address, kinds, "standard", "https://cards.example")
    off = create_webhook(owner, address, kinds, "standard", "https://cards.example")
    change_webhook(off, on=False)
    world.values |= {"webhook": str(hook.pk), "webhook-off": str(off.pk)}
    world.values["dump"] = dump(settings.DUMP_DIR, keep=1, parquet=False)[0].name
    return world


def _create_challenges(world: MatrixWorld, owner: User, bot: Bot, other: Bot) -> None:
    """Create a challenge against another owner's bot, and one between two versions."""
    first, second = (bot.versions.get(number=number) for number in (1, 2))
    opponent = other.versions.get(number=1)
    open_ = actions.start_challenge(first, opponent, owner, groups=1)
    own = actions.start_challenge(second, first, owner, groups=1)
    rook = Bot.objects.get(slug="rook").versions.get(number=1)
    world.values |= {
        "challenge": str(open_.pk),
        "own-challenge": str(own.pk),
        "own-challenge-cup": own.tournament.slug,
        "own-challenge-match": str(own.tournament.matches.earliest("pk").pk),
        "rook-first": str(rook.pk),
        "jay-first": str(opponent.pk),
    }


def _create_tables(world: MatrixWorld, owner: User) -> None:
    """Create tables of `owner` with people and bots."""
    pairs = "cassino/standard/2v2?deals=1"
    in_play = hall.new_table(person=hall.account(owner))
    decision = reading.state_for(in_play, reading.seats_of(in_play), 0)["decision"]
    waiting = hall.new_table(pairs, hall.account(owner), friends=1)
    finished = hall.finished_table(hall.account(owner))
    world.values |= {
        "table": in_play.key,
        "legal-move": decision["moves"][0]["move"],
        "part": decision["parts"][0]["key"],
        "waiting-table": waiting.key,
        "invitation": invitation(waiting, 1),
        "closed-table": hall.new_table(person=hall.account(owner), watched=False).key,
        "finished-table": finished.key,
        **_move_and_part(finished_tables.record_of(finished), "tried-at-table", "part-at-table"),
    }


def _create_tournaments(world: MatrixWorld, organizer: User, bots: list[Bot]) -> None:
    magpie, rook, _, jay = bots
    both = [magpie, jay]
    for name, rated in (("Rated", True), ("Casual", False)):
        cup = make.finish_all(
            make.tournament(both, name=f"{name} Cup", by=organizer, rated=rated, start=True)
        )
        match = cup.matches.order_by("pk")[0]
        if name == "Rated":
            world.values |= _move_and_part(_record_of(match), "tried-move", "tried-part")
        world.values[f"{name.lower()}-match"] = str(match.pk)
        seat = match.seats.get(version__bot=magpie)
        world.values[f"{name.lower()}-seat"] = str(seat.index)
    analysed = Match.objects.get(pk=world.values["casual-match"])
    actions.request_analysis(analysed, magpie.owner)  # it waits, so that a request can stop it
    world.values["analysed-match"] = str(analysed.pk)
    projections.refresh()
    make.tournament(both, name="Open Cup", by=organizer)
    # It needs another entry, so that a request can enter a bot.
    make.tournament([rook], name="Waiting Cup", by=organizer)
    cup = make.tournament(both, name="Running Cup", by=organizer, rated=False, start=True)
    announcement = actions.post_announcement(cup, organizer, "Pizza at *eight*.")
    world.values["announcement"] = str(announcement.pk)
    ladder = [{"system": "ladder", "groups": 1, "settings": {"ahead": 3, "first": 1}}]
    make.tournament(both, name="Ladder", by=organizer, stages=ladder, start=True)
    stages = [{"system": "knock-out", "groups": 1}]
    make.tournament(both, name="Bracket Cup", by=organizer, stages=stages, start=True)
    # They seem to have started under another edition, so that a request can carry them over.
    pinned = Tournament.objects.filter(name__in=("Running Cup", "Bracket Cup"))
    pinned.update(rules="7 of-long-ago")
    actions.create_tournament(organizer, name="Draft Cup", format=make.FORMAT)
    cup = hide_tournament(make.tournament(both, name="Hidden Cup", by=organizer), None, "x")
    change_tournament(cup, "description", "Polite", None, "x")
    world.values["hidden-cup"] = cup.slug
    frozen = make.tournament(both, name="Frozen Cup", by=organizer, rated=False, start=True)
    actions.freeze(frozen, organizer)
    offered = make.tournament(name="Offered Cup", by=organizer)
    actions.change_organizers(offered, organizer, ["owner"])
    actions.hand_over(offered, organizer, "owner")
    coded = make.tournament(name="Coded Cup", by=organizer, rated=False, visibility="code")
    world.values["code"] = coded.key


def _record_of(match: Match) -> Record:
    return Record.from_json(zlib.decompress(bytes(match.record.content)))


def _move_and_part(record: Record, move: str, part: str) -> dict[str, str]:
    """A move after the second one of a record, and a part of it, under these names."""
    match = record.after(2)
    assert match.turn is not None
    offer = decide(match, match.turn).offers[0]
    return {move: offer.move, part: offer.parts[0]}


def _create_team(world: MatrixWorld, organizer: User, owner: User, bots: list[Bot]) -> None:
    pairs = "cassino/standard/2v2?deals=1"
    cup = make.tournament(
        name="Team Cup", by=organizer, format=pairs, partners="fixed", categories=["students"]
    )
    make.user("helper")
    actions.change_organizers(cup, organizer, ["helper"])
    entry = actions.enter_team(cup, [bots[0], bots[3]], owner, "Two birds")
    world.values["team"] = str(entry.number)


def _create_trial(world: MatrixWorld, owner: User, trial_bot: Bot, other_bot: Bot) -> None:
    for bot in (trial_bot, other_bot):
        first = bot.active_version
        version = make.version(bot)
        assert first is not None
        assert version.number == 2
    trial = actions.start_trial(trial_bot.versions.get(number=2), owner, format_text=make.FORMAT)
    trials = Tournament.objects.filter(pk=trial.tournament_id)
    world.values["trial"] = trials.get().slug
    world.values["trial-match"] = str(trials.get().matches.order_by("pk")[0].pk)
