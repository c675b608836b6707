"""The moderators' actions and their log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bots.access import moderates
from bots.api.permissions import HasAccount
from bots.models import Bot
from cardroom.actions.moderation import ACTIONS
from cardroom.models import MAX_REASON, Moderation
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import alternatives
from cardroom_base.core.scopes import MODERATE
from cardroom_base.rest.strict_body import BotField, StrictSerializer
from tournaments.course.field_rules import MAX_DESCRIPTION, MAX_NAME
from tournaments.models import Tournament

_SUBJECTS: Final[Mapping[str, tuple[QuerySet[Any], str]]] = {
    "bot": (Bot.objects.all(), "slug"),
    "user": (User.objects.all(), "username"),
    "tournament": (Tournament.objects.listed(), "slug"),
}
"""By field of the body: the possible subjects, and the column that has the field's value."""

_SUBJECT_FIELDS: Final = {
    name: [field for field, actions in ACTIONS.items() if name in actions]
    for actions in ACTIONS.values()
    for name in actions
}
"""By action: the fields of its possible subjects."""


class IsModerator(HasAccount):
    """Staff and the group *moderator*."""

    message = "Only moderators may do this."
    scope = MODERATE

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the account is a moderator; reading the log needs this, too."""
        return super().has_permission(request, view) and moderates(request.user)


class ModerationActionSerializer(StrictSerializer[Any]):
    """An action, its subject, and the reason for the log."""

    action = serializers.ChoiceField(
        list(_SUBJECT_FIELDS),
        help_text="`name`, `description`, `announcement`, `category` and `team` change that text.",
    )
    bot = BotField(
        required=False, help_text="For `quarantine`, `release`, `name`, `description` and `unlock`."
    )
    user = serializers.CharField(
        max_length=150, required=False, help_text="A username, for `suspend` and `resume`."
    )
    tournament = serializers.SlugField(
        required=False,
        help_text="For `name`, `description`, `announcement`, `category`, `team`, `unlock`, "
        "`hide` and `show`.",
    )
    item = serializers.CharField(
        max_length=MAX_NAME,
        required=False,
        help_text="For `announcement` its number; for `category` and `team` its present name.",
    )
    text = serializers.CharField(
        max_length=MAX_DESCRIPTION,
        allow_blank=True,
        required=False,
        help_text="The new text. Empty: remove the description, the announcement, the category or "
        "the team's name.",
    )
    reason = serializers.CharField(max_length=MAX_REASON)


class ModerationSerializer(serializers.ModelSerializer[Moderation]):
    """A line of the moderators' log."""

    by = serializers.CharField(
        source="by.username", allow_null=True, default=None, help_text="Null: the site itself."
    )
    kind = serializers.ChoiceField(Moderation.Kind.choices)
    field = serializers.ChoiceField(
        Moderation.Field.choices,
        allow_blank=True,
        help_text="The kind of the changed text; empty for other actions and in older lines.",
    )
    subject = serializers.CharField(help_text="The name of the bot, account or tournament.")
    address = serializers.CharField(help_text="The path of its page; empty if the account is gone.")

    class Meta:
        model = Moderation
        fields = ("at", "by", "kind", "field", "subject", "address", "reason")
        read_only_fields = fields


class ModerationView(ListAPIView[Moderation]):
    """The moderators' log and actions."""

    queryset = Moderation.objects.select_related("by")
    serializer_class = ModerationSerializer
    permission_classes = (IsModerator,)
    filter_backends = ()
    problems = {"post": (409,)}

    @extend_schema(operation_id="moderation_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the moderators' log, newest first (moderators)."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="moderation_create",
        request=ModerationActionSerializer,
        responses={201: ModerationSerializer},
    )
    def post(self, request: Request) -> Response:
        """Perform a moderator's action, and return its line of the log (moderators).

        The body names one subject (a bot, user or tournament) that suits the action.
        """
        body = ModerationActionSerializer.read(request)
        by: Any = request.user
        field = _subject_field(body)
        if body["action"] in Moderation.Field.values and "text" not in body:
            raise ActionError(f"{body['action']} needs a text.", field="text")
        ACTIONS[field][body["action"]](by, {**body, field: _subject(body, field)})
        line = Moderation.objects.filter(by=by).latest("pk")
        return Response(ModerationSerializer(line).data, 201)


def _subject_field(body: Mapping[str, Any]) -> str:
    """The field of the subject; ActionError unless the body names one that suits the action."""
    fields = _SUBJECT_FIELDS[body["action"]]
    field = next((name for name in fields if name in body), fields[0])
    kinds = alternatives([f"a {name}" for name in fields])
    for other in _SUBJECTS.keys() - {field}:
        if other in body:
            raise ActionError(f"{body['action']} is for {kinds}.", field=other)
    if field not in body:
        raise ActionError(f"{body['action']} needs {kinds}.", field=field)
    return field


def _subject(body: Mapping[str, Any], field: str) -> Any:
    """The row that the body names; ActionError if there is none."""
    rows, column = _SUBJECTS[field]
    subject = rows.filter(**{column: body[field]}).first()
    if subject is None:
        raise ActionError(f"There is no {field} {body[field]}.", field=field)
    return subject
