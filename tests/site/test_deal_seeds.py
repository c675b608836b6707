"""Seeds: random for each deal group, or chosen for an unrated tournament."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from engine.shuffle import commitment
from seeds.demo import demo_tournaments, seed_house_bots
from tests import factories as make
from tests.pages.test_tournaments import FORM
from tournaments import actions
from tournaments.deal_groups import group_seed
from tournaments.exports import rows as export
from tournaments.models import DealGroup, Match, Tournament

pytestmark = pytest.mark.django_db

REFUSED = "A rated tournament cannot have a chosen seed, because it reveals all cards."
LADDER = [{"system": "ladder", "groups": 1, "settings": {"ahead": 4}}]


# --- random seeds -------------------------------------------------------------------------------


def test_each_deal_group_has_an_underivable_seed() -> None:
    cup = make.tournament(4, groups=3, seed=None, start=True)
    groups = list(cup.deal_groups.all())
    assert len({group.seed for group in groups}) == len(groups) == 18
    for group in groups:
        assert len(bytes.fromhex(group.seed)) * 8 >= 128
        assert group.commitment == commitment(group.seed)
        derived = group_seed(cup.seed, group.round, group.pairing, group.group)
        assert group.seed != derived


def test_public_data_do_not_reveal_the_cards_of_a_ladder() -> None:
    """Formerly the public seed gave every hand: 72 of 72."""
    cup = make.tournament(4, seed=None, start=True, stages=LADDER)
    tournament = Client().get(f"/api/v1/tournaments/{cup.slug}/").json()
    assert tournament["seed"] == cup.seed
    assert tournament["chosen_seed"] is False
    places = [(group.round, group.pairing, group.group) for group in cup.deal_groups.all()]
    guesses = {group_seed(tournament["seed"], *place) for place in places}
    assert not guesses & set(cup.deal_groups.values_list("seed", flat=True))


def test_each_match_has_its_own_secret() -> None:
    cup = make.tournament(3, seed=None, start=True)
    secrets = list(cup.matches.values_list("rng", flat=True))
    assert len(set(secrets)) == len(secrets) == 6
    assert not set(secrets) & set(cup.deal_groups.values_list("seed", flat=True))
    assert {len(secret) for secret in secrets} == {32}


def test_seeds_of_all_rounds_differ() -> None:
    stages = [{"system": "swiss", "settings": {"rounds": 2}, "groups": 1}]
    cup = make.tournament(4, seed=None, start=True, stages=stages)
    make.finish_all(cup)
    assert len(set(cup.deal_groups.values_list("seed", flat=True))) == cup.deal_groups.count()


# --- chosen seeds -------------------------------------------------------------------------------


def test_a_chosen_seed_gives_all_deals_and_all_randomness() -> None:
    cup = actions.create_tournament(
        None, name="Same again", format=make.FORMAT, rated=False, seed="mine"
    )
    assert (cup.seed, cup.chosen_seed) == ("mine", True)
    actions.open_(cup, None)
    for _ in range(2):
        actions.enter(cup, make.bot(), None)
    cup = actions.start(cup, None)
    for group in cup.deal_groups.all():
        derived = group_seed("mine", group.round, group.pairing, group.group)
        assert (group.seed, group.commitment) == (derived, commitment(derived))
    assert set(cup.matches.values_list("rng", flat=True)) == {""}


def test_an_empty_seed_becomes_random_and_replaces_a_chosen_one() -> None:
    draft = actions.create_tournament(None, name="A", format=make.FORMAT, rated=False, seed="")
    assert (len(draft.seed), draft.chosen_seed) == (32, False)
    draft = actions.update_tournament(draft, None, seed="mine")
    assert (draft.seed, draft.chosen_seed) == ("mine", True)
    draft = actions.update_tournament(draft, None, name="B")
    assert (draft.seed, draft.chosen_seed) == ("mine", True)
    draft = actions.update_tournament(draft, None, seed=" ", rated=True)
    assert (len(draft.seed), draft.chosen_seed, draft.rated) == (32, False, True)


def refusal_of_action(draft: Tournament, **fields: Any) -> str:
    with pytest.raises(actions.ActionError) as error:
        actions.update_tournament(draft, None, **fields)
    return str(error.value)


def refusal_of_rest(draft: Tournament, **fields: Any) -> str:
    client = APIClient()
    client.force_authenticate(draft.organizer)
    response = client.patch(f"/api/v1/tournaments/{draft.slug}/", fields, format="json")
    assert response.status_code == 400
    return str(response.json()["errors"]["seed"])


@pytest.mark.parametrize("refusal", [refusal_of_action, refusal_of_rest])
def test_action_and_rest_refuse_a_rated_chosen_seed(refusal: Callable[..., str]) -> None:
    common = {"format": make.FORMAT}
    by = make.user()
    unrated = actions.create_tournament(by, name="Free", rated=False, seed="mine", **common)
    rated = actions.create_tournament(by, name="Rated", **common)
    assert REFUSED in refusal(unrated, rated=True)
    assert REFUSED in refusal(rated, seed="mine")
    assert REFUSED in refusal(unrated, rated=True, seed="other")
    assert not Tournament.objects.filter(rated=True, chosen_seed=True).exists()


@pytest.mark.parametrize("stages", [[{}], LADDER])
def test_creating_a_rated_chosen_seed_is_refused(stages: list[dict[str, Any]]) -> None:
    fields = {"name": "Cup", "format": make.FORMAT, "seed": "mine", "stages": stages}
    with pytest.raises(actions.ActionError, match="cannot have a chosen seed"):
        actions.create_tournament(None, **fields)
    cache.clear()
    client = APIClient()
    client.force_authenticate(make.user())
    response = client.post("/api/v1/tournaments/", fields, format="json")
    assert (response.status_code, REFUSED in response.json()["detail"]) == (400, True)
    assert not Tournament.objects.exists()


def test_the_pages_take_no_seed(settings: Any) -> None:
    by, client = make.user(), Client()
    client.force_login(by)
    client.post("/tournaments/new/", FORM | {"seed": "mine"})
    cup = Tournament.objects.get()
    assert (cup.rated, cup.chosen_seed, cup.seed == "mine") == (True, False, False)
    unrated = actions.create_tournament(
        by, name="Free", format=make.FORMAT, rated=False, seed="mine"
    )
    response = client.post(f"/tournaments/{unrated.slug}/edit/", FORM)
    assert REFUSED in response.content.decode()
    unrated.refresh_from_db()
    assert not unrated.rated


def test_the_demo_is_rated_with_random_seeds() -> None:
    seed_house_bots()
    demo = demo_tournaments(groups=1)[0]
    assert (demo.rated, demo.chosen_seed) == (True, False)


# --- verification -------------------------------------------------------------------------------


def test_commitments_can_be_compared_with_seeds_later(django_assert_num_queries: Any) -> None:
    cup = make.tournament(3, groups=2, seed=None, start=True)
    address = f"/api/v1/tournaments/{cup.slug}/deal-groups/"
    with django_assert_num_queries(4):  # tournament, count, rows, matches
        groups = Client().get(address).json()
    assert groups["count"] == 6
    assert all(group["seed"] is None and not group["over"] for group in groups["results"])
    make.finish_all(cup)
    for before, after in zip(
        groups["results"], Client().get(address).json()["results"], strict=True
    ):
        assert before["commitment"] == after["commitment"] == commitment(after["seed"])
        assert after["over"]
        assert len(after["matches"]) == 2


def test_exported_results_have_seeds_of_finished_groups() -> None:
    cup = make.tournament(2, groups=2, seed=None, start=True)
    first, second, third, _ = cup.matches.order_by("pk")
    for match in (first, second, third):
        make.finish(match)
    rows = list(export.result_rows(cup))
    seeds = {row["match"]: row["seed"] for row in rows}
    assert seeds == {
        first.pk: first.deal_group.seed,
        second.pk: first.deal_group.seed,
        third.pk: None,
    }
    assert {row["commitment"] for row in rows} == {
        first.deal_group.commitment,
        third.deal_group.commitment,
    }


@pytest.mark.parametrize(
    ("corrupt", "words"),
    [
        (lambda: DealGroup.objects.update(commitment="0" * 64), "does not match the commitment"),
        (lambda: DealGroup.objects.update(seed="other"), "another format or seed"),
        (lambda: Match.objects.update(rng="other"), "another secret for the bots' randomness"),
    ],
)
def test_verify_matches_names_the_changed_value(corrupt: Callable[[], Any], words: str) -> None:
    make.finish_all(make.tournament(2, seed=None, start=True))
    call_command("verify_matches")
    corrupt()
    with pytest.raises(CommandError, match=words):
        call_command("verify_matches")
