"""Tournaments, their entries, and the steps from draft to finished."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import Bot
from cardroom_base.rest.idempotency import PARAMETER, idempotent
from cardroom_base.rest.strict_body import NoBody, StrictSerializer
from tournaments import actions
from tournaments.actions.deal_groups import MAX_PRIORITY
from tournaments.actions.tournaments import set_priority
from tournaments.api.filters import TournamentFilter
from tournaments.api.permissions import EntersOrReads, Organizes, OrganizesOrReads
from tournaments.api.serializers import (
    EntryChangeSerializer,
    EntrySerializer,
    ManyEntriesSerializer,
    NewEntrySerializer,
    NewTournamentSerializer,
    RepeatSerializer,
    TournamentChangeSerializer,
    TournamentSerializer,
)
from tournaments.models import Entry, Tournament
from tournaments.organizing import organizes
from tournaments.queue.waits import tournament_wait
from tournaments.reading.queries import with_progress
from tournaments.visibility import viewer_of, visible_to


class TournamentList(ListAPIView[Tournament]):
    """Tournaments, newest first; drafts are shown only to their organizers."""

    serializer_class = TournamentSerializer
    filterset_class = TournamentFilter
    permission_classes = (EntersOrReads,)
    ordering_fields = ("name", "created", "started", "finished")
    problems = {"post": (409,)}

    def get_queryset(self) -> QuerySet[Tournament]:
        """The tournaments that the user may see."""
        visible = visible_to(viewer_of(self.request)).listed()
        return with_progress(visible).order_by("-created", "-pk")

    @extend_schema(
        operation_id="tournaments_create",
        parameters=[PARAMETER],
        request=NewTournamentSerializer,
        responses={201: TournamentSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Create a draft, of which you are the organizer."""
        body = NewTournamentSerializer.read(request)
        created = actions.create_tournament(_user(request), **body)
        address = reverse("api:tournament", args=(created.slug,))
        answer = self.get_serializer(self.get_queryset().get(pk=created.pk))
        return Response(
            answer.data,
            201,
            headers={"Location": request.build_absolute_uri(address)},
        )


class TournamentView(GenericAPIView[Any]):
    """Base of the views below `tournaments/{slug}/`."""

    def tournament(self) -> Tournament:
        """The tournament of the address; 404 if the user may not see it."""
        visible = visible_to(viewer_of(self.request))
        tournament = get_object_or_404(visible, slug=self.kwargs["slug"])
        self.check_object_permissions(self.request, tournament)
        return tournament


class TournamentDetail(TournamentView, RetrieveAPIView[Tournament]):
    """One tournament."""

    serializer_class = TournamentSerializer
    permission_classes = (OrganizesOrReads,)
    problems = {"patch": (409,)}

    def get_object(self) -> Tournament:
        """The tournament with the counts that the serializer shows."""
        return with_progress(Tournament.objects.filter(pk=self.tournament().pk)).get()

    @extend_schema(request=TournamentChangeSerializer, responses=TournamentSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change a draft (organizer).

        Later only `description` and times can change, because entrants rely on the rest.
        """
        tournament = self.tournament()
        body = TournamentChangeSerializer.read(request)
        actions.update_tournament(tournament, _user(request), **body)
        return Response(self.get_serializer(self.get_object()).data)


class TournamentChange(TournamentView):
    """An organizer's change of a tournament; the answer is the changed tournament."""

    serializer_class = TournamentSerializer
    permission_classes = (Organizes,)
    problems: dict[str, tuple[int, ...]] = {"post": (409,)}
    filter_backends = ()

    def current_answer(self, tournament: Tournament) -> Response:
        """The answer with the tournament's present state."""
        row = with_progress(Tournament.objects.filter(pk=tournament.pk)).get()
        return Response(self.get_serializer(row).data)


class StateChange(NoBody, TournamentChange):
    """A change of a tournament's state by a request without a body."""

    problems = {"post": (400, 409)}

    def apply(self, change: Callable[[Tournament, Any], Tournament]) -> Response:
        """Make the change and return the tournament."""
        return self.current_answer(change(self.tournament(), _user(self.request)))


class Open(StateChange):
    """draft → open."""

    @extend_schema(
        operation_id="tournaments_open", request=None, responses={200: TournamentSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Open a draft: everybody can see it, and bots may enter (organizer)."""
        return self.apply(actions.open_)


class Start(StateChange):
    """open → running."""

    @extend_schema(
        operation_id="tournaments_start", request=None, responses={200: TournamentSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start an open tournament: entries are fixed and matches created (organizer)."""
        return self.apply(actions.start)


class Cancel(StateChange):
    """→ cancelled."""

    @extend_schema(
        operation_id="tournaments_cancel", request=None, responses={200: TournamentSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Cancel a tournament: unfinished matches are void, results stay (organizer)."""
        return self.apply(actions.cancel)


class Finish(StateChange):
    """running → finished, for ladders."""

    @extend_schema(
        operation_id="tournaments_finish", request=None, responses={200: TournamentSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """End a ladder: unfinished matches are void, results stay (organizer)."""
        return self.apply(actions.finish)


class Repeat(TournamentChange):
    """A copy of a tournament with other times."""

    @extend_schema(
        operation_id="tournaments_repeat",
        parameters=[PARAMETER],
        request=RepeatSerializer,
        responses={201: TournamentSerializer},
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Create a draft with this tournament's conditions, without its entries (organizer)."""
        tournament = self.tournament()
        body = RepeatSerializer.read(request)
        copy = actions.repeat(tournament, _user(request), **body)
        address = request.build_absolute_uri(reverse("api:tournament", args=(copy.slug,)))
        return Response(self.current_answer(copy).data, 201, headers={"Location": address})


class Freeze(StateChange):
    """Freeze the standings."""

    @extend_schema(
        operation_id="tournaments_freeze", request=None, responses={200: TournamentSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Freeze the standings of a running, unrated tournament (organizer).

        Only you and staff see later results, until you reveal them.
        """
        return self.apply(actions.freeze)


class Reveal(StateChange):
    """Reveal frozen standings."""

    @extend_schema(
        operation_id="tournaments_reveal", request=None, responses={200: TournamentSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Show everybody the results since the standings were frozen (organizer)."""
        return self.apply(actions.reveal)


class EntryList(TournamentView, ListAPIView[Entry]):
    """The bots or teams of a tournament."""

    serializer_class = EntrySerializer
    permission_classes = (EntersOrReads,)
    ordering_fields = ("number", "created")
    problems = {"post": (409,)}

    def get_queryset(self) -> QuerySet[Entry]:
        """Entries in the order of entering."""
        if getattr(self, "swagger_fake_view", False):
            return Entry.objects.none()
        return _entries(self.tournament())

    @extend_schema(
        operation_id="tournaments_entries_create",
        request=NewEntrySerializer,
        responses={201: EntrySerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Enter a bot or a team.

        Only its owner may enter a bot; the organizer enters house bots. The owners of a team's
        other bots must agree.
        """
        tournament = self.tournament()
        body = NewEntrySerializer.read(request)
        category = body.get("category", "")
        if "bots" in body:
            team = [_bot(slug, "bots") for slug in body["bots"]]
            name = body.get("name", "")
            entry = actions.enter_team(tournament, team, _user(request), name, category)
        else:
            bot = _bot(body["bot"], "bot")
            entry = actions.enter(tournament, bot, _user(request), category)
        return Response(EntrySerializer(_entries(tournament).get(pk=entry.pk)).data, 201)


class EnterMany(TournamentView):
    """Enter several bots together."""

    serializer_class = EntrySerializer
    permission_classes = (EntersOrReads,)
    filter_backends = ()
    problems = {"post": (400, 409)}

    @extend_schema(
        operation_id="tournaments_enter_many",
        request=ManyEntriesSerializer,
        responses={201: EntrySerializer(many=True)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Enter each of these bots as its own entry, all or none, as POST `entries/` does."""
        tournament = self.tournament()
        body = ManyEntriesSerializer.read(request)
        slugs = list(dict.fromkeys(body["bots"]))
        bots_by_slug = {bot.slug: bot for bot in Bot.objects.filter(slug__in=slugs)}
        bots = [bots_by_slug.get(slug) or _bot(slug, "bots") for slug in slugs]
        category = body.get("category", "")
        created = actions.enter_many(tournament, bots, _user(request), category)
        rows = _entries(tournament).filter(pk__in=[entry.pk for entry in created])
        return Response(EntrySerializer(rows, many=True).data, 201)


class EntryDetail(TournamentView):
    """The entry of a bot, or of the team whose first bot it is."""

    serializer_class = EntrySerializer
    permission_classes = (EntersOrReads,)
    problems: dict[str, tuple[int, ...]] = {"delete": (409,)}
    filter_backends = ()

    def entry(self) -> Entry:
        """The bot's entry."""
        entries = _entries(self.tournament()).filter(candidate=False)
        return get_object_or_404(entries, bot__slug=self.kwargs["bot"])

    @extend_schema(operation_id="tournaments_entries_retrieve")
    def get(self, request: Request, slug: str, bot: str) -> Response:
        """Return the entry of a bot."""
        return Response(EntrySerializer(self.entry()).data)

    @extend_schema(operation_id="tournaments_entries_partial_update", request=EntryChangeSerializer)
    def patch(self, request: Request, slug: str, bot: str) -> Response:
        """Move an entry to another category (its owner before the start, or the organizer)."""
        entry = self.entry()
        body = EntryChangeSerializer.read(request)
        actions.categorize(entry, body["category"], _user(request))
        return Response(EntrySerializer(self.entry()).data)

    @extend_schema(operation_id="tournaments_entries_destroy", responses={204: None})
    def delete(self, request: Request, slug: str, bot: str) -> Response:
        """Withdraw a bot or team (an owner of its bots, or the organizer).

        Before the start the entry is deleted. Afterwards its results stay, and it is no longer
        paired.
        """
        entry = self.entry()
        if entry.mates.all():
            actions.withdraw_team(entry, _user(request))
        else:
            actions.withdraw(entry.tournament, entry.bot, _user(request))
        return Response(status=204)


class EntryAgree(NoBody, EntryDetail):
    """Agree to play in a team."""

    http_method_names = ("post", "options")
    problems = {"post": (400, 409)}

    @extend_schema(
        operation_id="tournaments_entries_agree", request=None, responses={200: EntrySerializer}
    )
    def post(self, request: Request, slug: str, bot: str) -> Response:
        """Agree that your bots play in this team."""
        actions.agree(self.entry(), _user(request))
        return Response(EntrySerializer(self.entry()).data)


def _bot(slug: str, field: str) -> Bot:
    bot = Bot.objects.filter(slug=slug).first()
    if bot is None:
        raise ValidationError({field: f"No bot is called {slug}."})
    return bot


def _entries(tournament: Tournament) -> QuerySet[Entry]:
    return tournament.entries.with_members().select_related("tournament").order_by("number")


def _user(request: Request) -> Any:
    """The request's user; permissions exclude anonymous users."""
    return request.user


# --- waiting, and priority ----------------------------------------------------------------------


class WaitSerializer(serializers.Serializer[Any]):
    """The waiting matches of a tournament."""

    waiting = serializers.IntegerField(help_text="Matches that no worker has claimed.")
    expected_wait = serializers.FloatField(
        source="seconds", allow_null=True, help_text="Seconds until they are played; null: unknown."
    )
    reason = serializers.CharField(allow_blank=True, help_text="Why they wait, as text.")


class WaitView(TournamentView):
    """The waiting matches of a tournament, and the reason."""

    serializer_class = WaitSerializer
    filter_backends = ()
    pagination_class = None

    @extend_schema(operation_id="tournaments_wait", responses=WaitSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return why a tournament's matches wait, and the expected time with fair sharing."""
        tournament = self.tournament()
        wait = tournament_wait(tournament, organizer=organizes(tournament, request.user))
        return Response(WaitSerializer(wait).data)


class PrioritySerializer(StrictSerializer[Any]):
    """The priority of a tournament's matches."""

    priority = serializers.IntegerField(
        min_value=0,
        max_value=MAX_PRIORITY,
        help_text="Higher is played first; only staff can set more than 5.",
    )


class PriorityView(TournamentView):
    """The priority of a tournament's matches."""

    serializer_class = PrioritySerializer
    permission_classes = (Organizes,)
    filter_backends = ()

    @extend_schema(operation_id="tournaments_priority", responses={200: PrioritySerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Change the priority of a tournament, including its waiting matches (organizer)."""
        body = PrioritySerializer.read(request)
        by = request.user if request.user.is_authenticated else None
        changed = set_priority(self.tournament(), body["priority"], by)
        return Response({"priority": changed.priority})
