"""tournaments.actions.teams: entering, agreement, withdrawal, start."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bots.models import Bot
from cardroom_base.core.errors import ActionError
from tests import factories as make
from tournaments import actions
from tournaments.models import Decision, Tournament

pytestmark = pytest.mark.django_db

PAIRS: dict[str, Any] = {"format": "cassino/standard/2v2?deals=1", "partners": "fixed"}


@pytest.fixture
def cup() -> Tournament:
    return make.tournament(by=make.user("organizer"), **PAIRS)


def owner(bot: Bot) -> User:
    assert bot.owner is not None
    return bot.owner


def test_a_team_of_two_authors_waits_until_both_agree(cup: Tournament) -> None:
    own_bot, other = make.bot(name="Mine"), make.bot(name="Other")
    entry = actions.enter_team(cup, [other, own_bot], owner(own_bot), " The  pair ")
    assert entry.title == "The pair"
    assert [bot for bot, _ in entry.members()] == [
        own_bot,
        other,
    ]  # the author's own bot comes first
    assert [mate.agreed for mate in entry.mates.all()] == [False]
    with pytest.raises(ActionError, match="is not waiting for a bot of yours"):
        actions.agree(entry, owner(own_bot))
    actions.agree(entry, owner(other))
    assert [mate.agreed for mate in entry.mates.all()] == [True]
    with pytest.raises(ActionError, match="is not waiting"):
        actions.agree(entry, owner(other))


def test_one_author_may_enter_a_whole_team(cup: Tournament) -> None:
    author = make.user()
    entry = actions.enter_team(cup, [make.bot(author, "A"), make.bot(author, "B")], author)
    assert entry.title == "A & B"
    assert entry.mates.get().agreed


def test_a_bot_is_in_one_team_only(cup: Tournament) -> None:
    a, b, c, d = (make.bot() for _ in range(4))
    first = actions.enter_team(cup, [a, b], owner(a))
    second = actions.enter_team(cup, [c, b], owner(c))  # a second invitation
    with pytest.raises(ActionError, match="has already entered") as error:
        actions.enter_team(cup, [d, a], owner(d))
    assert error.value.field == "bots"
    actions.agree(second, owner(b))
    with pytest.raises(ActionError, match="has already entered"):
        actions.agree(first, owner(b))
    with pytest.raises(ActionError, match="has already entered"):
        actions.enter_team(cup, [b, d], owner(b))


def test_refused_teams(cup: Tournament) -> None:
    a, b, c = (make.bot() for _ in range(3))
    zwicker = make.bot(formats=["zwicker/*/*"])
    house = make.house_bot("house:one")
    by = owner(a)
    cases: list[tuple[list[Bot], User, str]] = [
        ([a], by, "2 different bots"),
        ([a, a], by, "2 different bots"),
        ([a, b, c], by, "2 different bots"),
        ([b, c], by, "with a bot of your own"),
        ([a, zwicker], by, "does not play"),
        ([a, house], by, "Only organizers and staff can enter house bots"),
    ]
    for bots, user, words in cases:
        with pytest.raises(ActionError, match=words):
            actions.enter_team(cup, bots, user)
    with pytest.raises(ActionError, match="1 to 80"):
        actions.enter_team(cup, [a, b], by, "n" * 81)
    for name in ("Cardroom", "the house", "Expert 3", "Adm1n"):
        with pytest.raises(ActionError, match="could be mistaken for the site itself"):
            actions.enter_team(cup, [a, b], by, name)
    actions.enter_team(cup, [a, b], by, "Name")
    with pytest.raises(ActionError, match="A team is already called Name, which looks like name"):
        actions.enter_team(cup, [c, b], owner(c), "name")
    with pytest.raises(ActionError, match="takes teams of 2 bots"):
        actions.enter(cup, c, owner(c))
    with pytest.raises(ActionError, match="accepts single bots, not teams"):
        actions.enter_team(make.tournament(), [a, b], by)


def test_the_organizer_enters_house_bots_in_teams(cup: Tournament) -> None:
    organizer = User.objects.get(username="organizer")
    stranger = make.bot(name="Stranger")
    entry = actions.enter_team(cup, [stranger, make.house_bot("house:one")], organizer)
    assert entry.title == "house:one & Stranger"
    assert not entry.mates.get().agreed  # its owner must agree


def test_any_owner_withdraws_a_team(cup: Tournament) -> None:
    a, b = make.bot(), make.bot()
    entry = actions.enter_team(cup, [a, b], owner(a))
    with pytest.raises(ActionError, match="not yours to withdraw"):
        actions.withdraw_team(entry, make.user())
    actions.withdraw_team(entry, owner(b))
    entry = actions.enter_team(cup, [a, b], None)
    actions.withdraw_team(entry, User.objects.get(username="organizer"))
    assert not cup.entries.exists()


def test_the_start_pins_versions_and_drops_waiting_teams(cup: Tournament) -> None:
    def versions() -> list[Any]:
        return [version for entry in cup.entries.all() for _, version in entry.members()]

    bots = [make.bot() for _ in range(6)]
    for a, b in zip(bots[:4:2], bots[1:4:2], strict=True):
        actions.enter_team(cup, [a, b], None)
    late = actions.enter_team(cup, bots[4:], owner(bots[4]), "Late")
    newer = [make.version(bot, make.package(f"new {bot.pk}")) for bot in bots[:4]]
    for version in newer:
        type(version.bot).objects.filter(pk=version.bot_id).update(active_version=version)
    actions.start(cup, None)
    assert versions() == newer
    assert not cup.entries.filter(pk=late.pk).exists()
    decision = cup.decisions.get()
    assert (decision.kind, decision.what) == (Decision.Kind.WITHDRAWN, "the team Late")
    assert bots[5].name in decision.reason
    with pytest.raises(ActionError, match="needs all entries until the end"):
        actions.withdraw_team(cup.entries.earliest("number"), None)


@pytest.mark.parametrize("seeding", Tournament.Seeding.values)
def test_the_start_reads_teams_in_a_constant_number_of_queries(seeding: str) -> None:
    def query_count(teams: int) -> int:
        cup = make.tournament(seeding=seeding, **PAIRS)
        for _ in range(teams):
            actions.enter_team(cup, [make.bot(), make.bot()], None)
        with CaptureQueriesContext(connection) as queries:
            actions.start(cup, None)
        table = 'FROM "tournaments_mate"'
        return sum(table in query["sql"] for query in queries.captured_queries)

    assert query_count(2) == query_count(6)


def test_a_team_leaves_a_running_swiss() -> None:
    cup = make.tournament(stages=[{"system": "swiss", "groups": 1}], **PAIRS)
    bots = [make.bot() for _ in range(8)]
    teams = [actions.enter_team(cup, bots[i : i + 2], None) for i in range(0, 8, 2)]
    actions.start(cup, None)
    actions.withdraw_team(teams[0], owner(bots[1]))
    teams[0].refresh_from_db()
    assert teams[0].withdrawn
    assert cup.decisions.get().reason == "Its author withdrew it."


@pytest.fixture
def ladder() -> Tournament:
    """A running ladder of two teams."""
    stages = [{"system": "ladder", "groups": 1, "settings": {"ahead": 4, "first": 1}}]
    cup = make.tournament(by=make.user("organizer"), stages=stages, **PAIRS)
    for _ in range(2):
        actions.enter_team(cup, [make.bot(), make.bot()], None)
    return actions.start(cup, None)


def gets_paired(entry: Any) -> bool:
    """Whether the entry is paired within the next few matches."""
    before = entry.deal_group_sides.count()
    for _ in range(3):
        for attempt in actions.claim("w/1", 2):
            assert actions.store_result(attempt.pk, make.outcome(attempt.match))
        actions.advance(entry.tournament_id)
    return bool(entry.deal_group_sides.count() > before)


def test_a_team_joins_a_running_ladder_when_all_agree(ladder: Tournament) -> None:
    own_bot, other = make.bot(), make.bot()
    entry = actions.enter_team(ladder, [own_bot, other], owner(own_bot), "Late")
    assert (entry.number, entry.seeding) == (3, 3)
    assert not gets_paired(entry)
    actions.agree(entry, owner(other))
    assert gets_paired(entry)
    assert not entry.mates.filter(agreed=False).exists()
    with pytest.raises(ActionError, match="has already entered"):
        actions.enter_team(ladder, [own_bot, make.bot()], owner(own_bot))


def test_a_declined_team_leaves_no_trace_on_a_ladder(ladder: Tournament) -> None:
    own_bot, other = make.bot(), make.bot()
    entry = actions.enter_team(ladder, [own_bot, other], owner(own_bot))
    actions.withdraw_team(entry, owner(other))
    assert not ladder.entries.filter(pk=entry.pk).exists()
    assert not ladder.decisions.exists()


def test_a_team_leaves_a_ladder_and_returns(ladder: Tournament) -> None:
    a, b, c = make.bot(), make.bot(), make.bot()
    entry = actions.enter_team(ladder, [a, b], None)
    assert gets_paired(entry)
    actions.withdraw_team(entry, owner(b))
    entry.refresh_from_db()
    assert entry.withdrawn
    assert not gets_paired(entry)
    with pytest.raises(ActionError, match="entered with another team earlier"):
        actions.enter_team(ladder, [a, c], owner(a))
    same = actions.enter_team(ladder, [a, b], owner(a))
    assert same.pk == entry.pk
    assert not gets_paired(entry)  # the other owner must agree again
    actions.agree(entry, owner(b))
    assert gets_paired(entry)
    actions.withdraw_team(entry, owner(a))
    other = actions.enter_team(ladder, [b, a], owner(b))  # in the other order it is another team
    assert other.pk != entry.pk
    assert other.bot == b
    actions.agree(other, owner(a))
    assert gets_paired(other)
