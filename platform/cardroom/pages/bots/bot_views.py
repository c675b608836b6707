"""Pages of bots: the list, a bot, the upload and the live check."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final
from zlib import crc32

from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.paginator import Paginator
from django.db.models import Prefetch, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.views.decorators.vary import vary_on_headers

from bots import actions, package_store
from bots.access import moderates, owns
from bots.limits import MAX_UPLOAD, PackageError
from bots.models import Bot, BotVersion, Check
from cardroom.middleware import limit_body
from cardroom.models import Moderation
from cardroom.pages.bots import statistics, trials
from cardroom.pages.common import queries, rating_history, wait_text
from cardroom.pages.common.current_user import logged_in_user, own_bot, post_data, post_files
from cardroom.pages.common.flash_messages import step
from cardroom.pages.common.forms import BotForm, DescriptionForm, VersionForm, show_refusal
from cardroom.throttles import upload_wait
from cardroom_base.core.whole_number import whole_number
from cardroom_base.db.db_time import Now, now
from engine import Format
from tournaments.actions import retire_bot
from tournaments.actions.versions import plays_format
from tournaments.models import Rating, Tournament
from tournaments.queue.waits import check_wait
from tournaments.reading.bot_results import results_of
from tournaments.visibility import public_tournaments, viewer_of

PAGE = 50
CHANGE_SHOWN: Final = timedelta(days=30)
"""For this time the owner reads why moderators changed a bot's name or description."""


def index(request: HttpRequest) -> HttpResponse:
    """All bots by name. `?q=` searches names; `?mine=1` shows only the viewer's bots."""
    bots = queries.bots()
    query = request.GET.get("q", "").strip()
    own_only = request.GET.get("mine") == "1" and request.user.is_authenticated
    if not (own_only or moderates(request.user)):
        bots = bots.filter(quarantined__isnull=True)
    if query:
        bots = bots.filter(name__icontains=query)
    if own_only:
        bots = bots.filter(owner=logged_in_user(request))
    page = Paginator(bots, PAGE).get_page(request.GET.get("page"))
    return render(request, "bots/index.html", {"page": page, "q": query, "mine": own_only})


def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """A bot: versions, ratings, history, matches."""
    changes = Moderation.objects.filter(
        kind=Moderation.Kind.CHANGE,
        address=reverse("bot", args=[slug]),
        at__gt=Now(-CHANGE_SHOWN.total_seconds()),
    )
    bots = Bot.objects.select_related("owner", "active_version").annotate(
        changed=Subquery(changes.values("at")[:1]),
        changed_field=Subquery(changes.values("field")[:1]),
        change_reason=Subquery(changes.values("reason")[:1]),
    )
    versions = BotVersion.objects.select_related("check_run").order_by("-number")
    bot = get_object_or_404(bots.prefetch_related(Prefetch("versions", versions)), slug=slug)
    ratings = list(
        Rating.objects.filter(kind="all", version__bot=bot)
        .select_related("version__bot")
        .order_by("pool")
    )
    pools = list(dict.fromkeys(rating.pool for rating in ratings))
    pool = _selected_pool(request, ratings)
    steps, intervals, shifts = queries.history(bot, pool) if pool else ([], {}, [])
    newest: dict[str, Rating] = {}
    for rating in ratings:
        best = newest.get(rating.pool)
        if best is None or _precedes(rating, best, bot):
            newest[rating.pool] = rating
    is_owner = owns(bot, request.user)
    lines = queries.list_ratings(newest.values())
    latest, faulty = queries.latest_match_keys(
        bot, viewer_of(request), matches=12, faults=5 if is_owner else 0
    )
    game = statistics.game_of(pool, lines)
    results = results_of(bot, game) if game else None
    marks = results.highlights if results else {}
    by_key = queries.list_matches_by_key(list(dict.fromkeys([*latest, *faulty, *marks.values()])))
    return render(
        request,
        "bots/bot.html",
        {
            "bot": bot,
            "own": is_owner,
            "versions": bot.versions.all(),
            "ratings": statistics.pool_ratings(lines),
            "main_ratings": statistics.main_ratings(lines),
            "pools": statistics.pool_choices(pools),
            "pool": statistics.PoolChoice(pool, statistics.pool_words(pool)) if pool else None,
            "history": rating_history.history(steps, intervals, shifts),
            "results": results,
            "parts": statistics.parts_of(results) if results else [],
            "figures": statistics.figure_rows(results) if results else [],
            "notable_matches": statistics.notable_matches(
                bot, results.marks if results else [], by_key
            ),
            "losses": statistics.losses_panel(bot, game),
            "matches": [by_key[key] for key in latest],
            "faults": [by_key[key] for key in faulty],
            "form": DescriptionForm(initial={"description": bot.description}),
            "trials": trials.panel(request, bot),
            "waiting": wait_text.bot_waits(bot, viewer_of(request)),
            "moderates": moderates(request.user),
            "quarantine": _quarantine_entry(bot) if is_owner else None,
        },
    )


def _quarantine_entry(bot: Bot) -> Moderation | None:
    """The log entry of the bot's current quarantine."""
    if not bot.quarantined:
        return None
    address = reverse("bot", args=[bot.slug])
    lines = Moderation.objects.filter(kind=Moderation.Kind.QUARANTINE, address=address)
    return lines.first()


def _precedes(rating: Rating, other: Rating, bot: Bot) -> bool:
    """Whether `rating` precedes `other`: the active version comes first, then newer versions."""
    if other.version_id == bot.active_version_id:
        return False
    return (
        rating.version_id == bot.active_version_id or rating.version.number > other.version.number
    )


def _selected_pool(request: HttpRequest, ratings: list[Rating]) -> str:
    """The requested pool, or else the form that the bot has played most."""
    match_counts: dict[str, int] = {}
    for rating in ratings:
        match_counts[rating.pool] = match_counts.get(rating.pool, 0) + rating.matches
    name = request.GET.get("pool", "")
    if name in match_counts:
        return name
    return max(match_counts, key=lambda pool: ("/" in pool, match_counts[pool]), default="")


@limit_body(MAX_UPLOAD)
@login_required
def upload(request: HttpRequest) -> HttpResponse:
    """Show the form for a new bot; after a valid upload, redirect to its check."""
    form = BotForm(
        post_data(request),
        uploaded_files(request),
        label_suffix="",
        initial=_initial(starter_source()),
    )
    if request.method == "POST" and (version := _store(request, form, None)):
        return redirect("check", slug=version.bot.slug, number=version.number)
    return render(
        request, "bots/upload.html", {"form": form, "bot": None, "mine": _own_bots(request)}
    )


@limit_body(MAX_UPLOAD)
@login_required
def upload_version(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form for a new version; after a valid upload, redirect to its check."""
    bot = own_bot(request, slug)
    last = bot.versions.order_by("-number").first()
    initial = _initial(source_of(last)) if request.method == "GET" else None
    form = VersionForm(
        post_data(request), uploaded_files(request), label_suffix="", initial=initial
    )
    if request.method == "POST" and (version := _store(request, form, bot)):
        return redirect("check", slug=slug, number=version.number)
    number = last.number + 1 if last else 1
    return render(request, "bots/upload.html", {"form": form, "bot": bot, "next_number": number})


def _initial(source: str) -> dict[str, str]:
    """The initial values of an upload form."""
    return {"source": source}


def _store(request: HttpRequest, form: VersionForm, bot: Bot | None) -> BotVersion | None:
    """Store the uploaded version and return it. If the form is invalid or the action refuses,
    return None and show the errors in the form."""
    if not form.is_valid():
        return None
    data = form.cleaned_data
    file = data["package"]
    try:
        if wait := upload_wait(request):
            raise actions.ActionError(f"Too many uploads; try again in {-(-wait // 60)} min.")
        return actions.upload_version(
            logged_in_user(request),
            file.read(),
            file.name,
            bot=bot,
            name=data.get("name", ""),
            description=data.get("description", ""),
            notes=data["notes"],
            candidate=data.get("candidate", False),
            games=data["games"],
        )
    except actions.ActionError as error:
        show_refusal(form, error)
    return None


@vary_on_headers("HX-Request")
def check(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The check of a version, updated while it runs. Only the owner sees the causes."""
    version = get_object_or_404(
        BotVersion.objects.select_related("bot__owner", "check_run"), bot__slug=slug, number=number
    )
    run: Check | None = getattr(version, "check_run", None)
    running = version.status in {BotVersion.Status.QUEUED, BotVersion.Status.CHECKING}
    wait_reason = check_wait(version)
    state = f"{version.status}-{_state_token(run)}-{crc32(wait_reason.encode()):08x}"
    live = bool(request.headers.get("HX-Request"))
    if live and request.GET.get("seen") == state:
        return HttpResponse(status=204)
    steps = run.steps if run else []
    is_owner = owns(version.bot, request.user)
    context = {
        "version": version,
        "bot": version.bot,
        "run": run,
        "own": is_owner,
        "ladders": ladders_for(version) if is_owner and _is_active(version) else (),
        "running": running,
        "steps": [step for step in steps if step.get("status") != "skipped"],
        "skipped": sum(step.get("status") == "skipped" for step in steps),
        "done": sum(step.get("status") == "ok" for step in steps),
        "problem": next((step for step in steps if step.get("status") == "failed"), None),
        "seen": state,
        "form": VersionForm(
            label_suffix="", initial=_initial(source_of(version) if is_owner and not live else "")
        ),
        "waited": _seconds_waited(version, run),
        "why": wait_reason,
    }
    return render(request, "bots/_check_live.html" if live else "bots/check.html", context)


def _is_active(version: BotVersion) -> bool:
    """Whether the version is its bot's active one."""
    return version.bot.active_version_id == version.pk


def _state_token(run: Check | None) -> str:
    """A token that changes whenever the page of the check changes."""
    if run is None:
        return "none"
    steps = [(step.get("name"), step.get("status")) for step in run.steps]
    return f"{run.tries}-{crc32(repr(steps).encode()):08x}"


def _seconds_waited(version: BotVersion, run: Check | None) -> int:
    """Seconds from the upload until the start of the check, or until now."""
    end = run.started if run and run.started else now()
    return max(0, round((end - version.created).total_seconds()))


_step = step(own_bot, "bot")


@_step
def activate(request: HttpRequest, bot: Bot) -> str:
    """Activate a version of the bot."""
    number = request.POST.get("version", "")
    actions.set_active_version(bot, whole_number(number) or 0, logged_in_user(request))
    note = "Running tournaments keep their version."
    return f"Version {number} is now active. {note}"


@_step
def describe(request: HttpRequest, bot: Bot) -> str:
    """Change the bot's description."""
    actions.describe(bot, request.POST.get("description", ""), logged_in_user(request))
    return ""


@_step
def people(request: HttpRequest, bot: Bot) -> str:
    """Allow or forbid the bot at people's tables."""
    actions.allow_people(bot, logged_in_user(request), allowed=request.POST.get("agreed") == "on")
    return ""


@_step
def challenges(request: HttpRequest, bot: Bot) -> str:
    """Allow or forbid challenges by other authors' bots."""
    actions.allow_challenges(
        bot, logged_in_user(request), allowed=request.POST.get("agreed") == "on"
    )
    return ""


@_step
def retire(request: HttpRequest, bot: Bot) -> str:
    """Retire the bot if the box is ticked."""
    if request.POST.get("agreed") != "on":
        raise actions.ActionError("Tick the box to retire the bot.")
    retire_bot(bot, logged_in_user(request))
    return f"{bot.name} has been retired. Making a version active brings it back."


def _own_bots(request: HttpRequest) -> Any:
    return Bot.objects.filter(owner=logged_in_user(request)).order_by("name")[:20]


# --- around an upload ---------------------------------------------------------------------------


FROM_TEXT: Final = "here"
"""The value of the button that uploads the text on the page instead of a file."""
MAX_SOURCE: Final = 100_000
"""The maximum length of a source in bytes that a page offers for editing."""
MAX_LADDERS: Final = 3
"""The maximum number of ladders that are offered after a check."""
MAX_SEARCHED: Final = 50
"""After a check, the page looks for ladders to offer among this many newest ones."""


def uploaded_files(request: HttpRequest) -> MultiValueDict[str, Any] | None:
    """The uploaded files; a text typed on the page becomes a file `bot.py`."""
    if request.method != "POST" or request.POST.get("from") != FROM_TEXT:
        return post_files(request)
    text = request.POST.get("source", "").replace("\r\n", "\n")
    return MultiValueDict({"package": [SimpleUploadedFile("bot.py", text.encode())]})


@cache
def starter_source() -> str:
    """The source of a starter bot that plays all games."""
    return (files("bots") / "templates" / "python" / "bot.py").read_text("utf-8")


def source_of(version: BotVersion | None) -> str:
    """The source of a version that is a single short `bot.py`; empty for other packages and for
    damaged ones."""
    if version is None:
        return ""
    try:
        package = package_store.fetch(version.package_id)
    except PackageError:
        return ""
    text = package.files.get("bot.py", b"")
    if len(package.files) != 1 or len(text) > MAX_SOURCE:
        return ""
    return text.decode("utf-8", "replace")


def ladders_for(version: BotVersion) -> list[Tournament]:
    """Running ladders that the version could join."""
    tournaments = (
        public_tournaments()
        .filter(
            state=Tournament.State.RUNNING,
            partners=Tournament.Partners.COPIES,
            stages__system="ladder",
        )
        .exclude(entries__bot=version.bot_id)
    )
    newest = tournaments.order_by("-pk")[:MAX_SEARCHED]
    return [ladder for ladder in newest if plays_format(version, Format.parse(ladder.format))][
        :MAX_LADDERS
    ]
