"""The pages of an account's webhooks."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from cardroom import webhooks
from cardroom.actions import webhooks as actions
from cardroom.addresses import site_origin
from cardroom.notification_texts import word_notifications
from cardroom.pages.common.current_user import logged_in_user, post_data
from cardroom.pages.common.flash_messages import show_success, step
from cardroom.pages.common.forms import show_refusal
from cardroom_base.core.errors import ActionError
from cardroom_base.models import MAX_URL, Notification, Webhook, WebhookDelivery
from cardroom_base.rest.keyset import CappedPaginator
from tournaments.visibility import viewer_of

PAGE: Final = 50


class WebhookForm(forms.Form):
    """An address, and the kinds of notifications that the site sends there."""

    # A URLField would change the typed address before the action checks it.
    url = forms.CharField(
        label="Address",
        max_length=MAX_URL,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text="Begins with https:// and is on the public internet.",
    )
    kinds = forms.MultipleChoiceField(
        label="Notifications",
        choices=Notification.Kind.choices,
        initial=Notification.Kind.values,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Select at least one box."},
    )

    def __init__(self, data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial, label_suffix="", auto_id="webhook_%s")


class NewWebhookForm(WebhookForm):
    """A new webhook."""

    format = forms.ChoiceField(
        label="Format",
        choices=Webhook.Format.choices,
        help_text="Discord: the address is in a channel's settings, under Integrations.",
    )
    field_order = ("url", "format", "kinds")


@login_required
def index(request: HttpRequest) -> HttpResponse:
    """List the user's webhooks. A POST creates one and shows its secret."""
    form, new = NewWebhookForm(post_data(request)), None
    if form.is_bound and form.is_valid():
        fields = form.cleaned_data
        try:
            new = actions.create_webhook(
                logged_in_user(request),
                fields["url"],
                fields["kinds"],
                fields["format"],
                site_origin(request),
            )
            form = NewWebhookForm()
        except ActionError as error:
            show_refusal(form, error)
    rows = Webhook.objects.filter(user=logged_in_user(request))
    context = {"webhooks": rows, "form": form, "new": new, "max_webhooks": actions.MAX_WEBHOOKS}
    return render(request, "webhooks/index.html", context)


@login_required
def webhook(request: HttpRequest, number: int) -> HttpResponse:
    """Show a webhook and its deliveries. A POST changes the webhook."""
    hook = own_webhook(request, number)
    form = WebhookForm(post_data(request), initial={"url": hook.url, "kinds": hook.kinds})
    if form.is_bound and form.is_valid():
        try:
            actions.change_webhook(hook, **form.cleaned_data)
            show_success(request, "Your webhook has been changed.")
            return redirect("webhook", number)
        except ActionError as error:
            show_refusal(form, error)
    return _page(request, hook, form)


@login_required
@require_POST
def rotate(request: HttpRequest, number: int) -> HttpResponse:
    """Create a new secret and show it once."""
    hook = own_webhook(request, number)
    secret = actions.rotate_secret(hook)
    form = WebhookForm(initial={"url": hook.url, "kinds": hook.kinds})
    return _page(request, hook, form, secret)


@login_required
@require_POST
def delete(request: HttpRequest, number: int) -> HttpResponse:
    """Delete a webhook and its deliveries."""
    actions.delete_webhook(own_webhook(request, number))
    show_success(request, "Your webhook has been deleted.")
    return redirect("webhooks")


def own_webhook(request: Any, number: int) -> Webhook:
    """The user's webhook with this number, or 404."""
    return get_object_or_404(Webhook, user=logged_in_user(request), pk=number)


@step(own_webhook, "webhook", "#deliveries")
def test(_: HttpRequest, hook: Webhook) -> str:
    """Send a test."""
    actions.send_test(hook)
    return "A test is on its way; reload this page in a few seconds."


@step(own_webhook, "webhook")
def switch_on(_: HttpRequest, hook: Webhook) -> str:
    """Send notifications from now on."""
    actions.change_webhook(hook, on=True)
    return "Your webhook is on."


@step(own_webhook, "webhook")
def switch_off(_: HttpRequest, hook: Webhook) -> str:
    """Send no more notifications."""
    actions.change_webhook(hook, on=False)
    return "Your webhook is off."


def _page(request: HttpRequest, hook: Webhook, form: WebhookForm, secret: str = "") -> HttpResponse:
    """The page of a webhook. `secret`: a new one, which only this response shows."""
    rows = hook.deliveries.select_related("notification")
    page: Any = CappedPaginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {"webhook": hook, "form": form, "secret": secret, "page": page}
    return render(
        request, "webhooks/webhook.html", context | {"deliveries": _with_texts(request, page)}
    )


def _with_texts(request: HttpRequest, page: Any) -> list[tuple[WebhookDelivery, str]]:
    """The deliveries, each with the current text of its notification."""
    deliveries = list(page)
    notifications = [row.notification for row in deliveries if row.notification]
    texts = {line.id: line.text for line in word_notifications(notifications, viewer_of(request))}
    return [(row, texts.get(row.notification_id, webhooks.TEST_TEXT)) for row in deliveries]
