"""Content for other sites: link previews, pictures of positions, an embedded board.

Pictures are the same for all viewers. Cards are drawn only if everybody may see them
(`tournaments.models.group_is_over`); until then, the picture of a match has only text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import Any, Final, TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from bots.models import Bot
from cardroom.display.format_names import format_words
from cardroom.middleware import EMBEDDED_POLICY
from cardroom.pages.bots import authors
from cardroom.pages.games import game_views
from cardroom.pages.matches import match
from cardroom.pictures import animation, previews
from cardroom.pictures.previews import Preview, PreviewSide, View, groups_of, hand_of
from cardroom.throttles import picture_wait
from engine import Format, Record, registry
from tournaments.models import Match
from tournaments.visibility import NOBODY, visible_to

CACHE_SECONDS: Final = 24 * 60 * 60
"""The time for which others may cache a picture: records never change, names rarely do."""
MAX_LOOK_BACK: Final = 24
"""The picture of a match shows a position among this many last moves."""
MAX_NAMED: Final = 4
"""The maximum number of bots in the preview of an author."""
DrawPicture: TypeAlias = Callable[..., bytes]
PictureView: TypeAlias = Callable[..., HttpResponse]
SITE: Final = Preview(
    "Card games played by programs",
    "Watch every move, play against them, or upload your own.",
)


# --- views ----------------------------------------------------------------------------------------

NEAR_END: Final = 4
"""The embedded board opens this many moves before the end."""


def _picture(kind: str = "image/png", cost: int = 1) -> Callable[[DrawPicture], PictureView]:
    """Turn a function that draws a picture into a view. Anybody may cache its responses.

    `kind`: the media type. `cost`: the number of pictures that a request counts as; a client with
    too many requests gets 429 before anything is drawn.
    """

    def view_of(draw: DrawPicture) -> PictureView:
        @require_safe
        @wraps(draw)
        def view(request: HttpRequest, **parts: Any) -> HttpResponse:
            if (wait := picture_wait(request, cost)) is not None:
                return HttpResponse(
                    f"This address requested too many pictures; try again in {wait} s.",
                    status=429,
                    content_type="text/plain; charset=utf-8",
                    headers={"Retry-After": str(wait)},
                )
            headers = {
                "Cache-Control": f"public, max-age={CACHE_SECONDS}",
                "Cross-Origin-Resource-Policy": "cross-origin",
            }
            return HttpResponse(draw(request, **parts), content_type=kind, headers=headers)

        return view

    return view_of


@_picture()
def site_picture(_: HttpRequest) -> bytes:
    """The preview of the home page."""
    return _png(SITE)


@_picture()
def match_picture(request: HttpRequest, pk: int) -> bytes:
    """The preview of a match: a position near its end, or only text while its cards are secret.
    RecordError for a match with too many moves."""
    match = _public_match(request, pk)
    if match.state != Match.State.FINISHED or not match.revealed:
        return _png(_text_preview(match))
    return _png(_near_end(match))


@_picture()
def move_picture(request: HttpRequest, pk: int, number: int) -> bytes:
    """The position after `number` moves."""
    db_match = _public_match(request, pk)
    record = match.replayed_record_of(db_match)
    if number > len(record.moves):
        raise Http404(f"The match has no move {number}.")
    frames = [
        frame for frame in _last_frames(record, number) if (frame["n"] is not None) or not number
    ]
    return _png(_position(db_match, frames[-1]))


@_picture("image/webp", cost=10)
def deal_animation(request: HttpRequest, pk: int, number: int) -> bytes:
    """Deal `number` (from 1) as an animated picture."""
    db_match = _public_match(request, pk)
    record = match.replayed_record_of(db_match)
    frames = [frame for frame in record.frames() if frame["deal"] == number - 1]
    if not frames:
        raise Http404(f"The match has no deal {number}.")
    return _webp(_animation_frames(db_match, frames))


@_picture()
def tournament_picture(_: HttpRequest, slug: str) -> bytes:
    """The preview of a tournament."""
    tournament = get_object_or_404(visible_to(NOBODY), slug=slug)
    entries = tournament.entries.count()
    system = " and ".join(system.title for system in tournament.systems())
    sentence = f"{system[:1].upper()}{system[1:]} of {entries} entries, {tournament.state}."
    return _png(Preview(tournament.name, sentence, format_title(tournament.format)))


@_picture()
def bot_picture(_: HttpRequest, slug: str) -> bytes:
    """The preview of a bot."""
    bot = get_object_or_404(Bot.objects.select_related("owner"), slug=slug)
    owner = f"A bot by {bot.owner.username}." if bot.owner else "A house bot."
    return _png(Preview(bot.name, bot.description or owner, ""))


@_picture()
def author_picture(_: HttpRequest, author: str) -> bytes:
    """The preview of an author."""
    user = authors.find_author(author)
    names = list(user.bots.order_by("name").values_list("name", flat=True)[:MAX_NAMED])
    bots = f"Author of {', '.join(names)}." if names else "Organizes tournaments."
    return _png(Preview(user.username, bots))


@_picture()
def game_picture(_: HttpRequest, game: str) -> bytes:
    """The preview of a game."""
    declaration = game_views.find_game(game)
    return _png(Preview(declaration.title, declaration.summary, declaration.title))


@require_safe
@xframe_options_exempt
def embedded_match(request: HttpRequest, pk: int) -> HttpResponse:
    """The board of a match for other sites, without menu and cookies. It opens at the move in the
    address, or else near the end, where cards still lie on the table."""
    db_match = _public_match(request, pk)
    is_open = db_match.state == Match.State.FINISHED and db_match.revealed
    near_end = max(1, db_match.moves_played - NEAR_END)
    start = {"move": match.requested_move(request) or near_end}
    context = match.heading_context(request, db_match) | {
        "setup": match.replay_setup(db_match) | start if is_open else None,
        "format": str(format_words(db_match.format)),
    }
    response = render(request, "match/embedded.html", context)
    response.headers["Content-Security-Policy"] = EMBEDDED_POLICY
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


# --- content of pictures --------------------------------------------------------------------------


def format_title(format_text: str) -> str:
    """A format as text: ``Cassino, two players``."""
    try:
        fmt = Format.parse(format_text)
    except ValueError:  # a game that this site no longer offers
        return format_text.partition("/")[0]
    form = fmt.spec.form(fmt.variant, fmt.table).title.partition(",")[0]
    return f"{registry.game(fmt.game).title}, {form}"


def _text_preview(match: Match) -> Preview:
    """The preview of a match whose cards are secret."""
    sentence = "The cards appear when every match of its deal group is over."
    return Preview(_title(match), sentence, format_title(match.format), sides=tuple(_sides(match)))


def _position(db_match: Match, frame: dict[str, Any]) -> Preview:
    """The preview of a match in the position of a frame."""
    view: View = frame["view"]
    seat = view["to_act"]
    names = [row.version.bot.name for row in match.seats_of(db_match)]
    return Preview(
        _title(db_match),
        frame["sentence"],
        format_title(db_match.format),
        sides=tuple(_sides(db_match)),
        hand_owner=names[seat] if seat is not None else "",
        hand=hand_of(view),
        groups=tuple(groups_of(view)),
    )


def _near_end(db_match: Match) -> Preview:
    """The preview of a position near the end. In the best case, a seat with several cards is to
    move, and cards lie on the table; without such a position, it is the last one."""
    record = match.replayed_record_of(db_match)
    frames = list(_last_frames(record, len(record.moves), count=MAX_LOOK_BACK))
    informative = [frame for frame in frames if _is_informative(frame["view"])]
    return _position(db_match, (informative or frames)[-1])


def _is_informative(view: View) -> bool:
    hand = hand_of(view)
    return hand is not None and len(hand.cards) > 1 and bool(groups_of(view))


def _animation_frames(match: Match, frames: list[dict[str, Any]]) -> tuple[Preview, ...]:
    return tuple(_position(match, frames[i]) for i in animation.evenly_spaced(len(frames)))


def _last_frames(record: Record, number: int, count: int = 1) -> Iterator[dict[str, Any]]:
    """Among the frames of the first `number` moves: those of the last `count` moves, and the first
    frame of each deal."""
    for frame in record.frames():
        if frame["n"] is not None and frame["n"] >= number:
            return
        if frame["n"] is None or frame["n"] >= number - count:
            yield frame


def _sides(db_match: Match) -> list[PreviewSide]:
    """The name and the score of each side, in order."""
    results = {result.side: str(result.score) for result in db_match.results.all()}
    teams: dict[int, list[str]] = {}
    for seat in match.seats_of(db_match):
        teams.setdefault(seat.side, []).append(seat.version.bot.name)
    return [
        PreviewSide(" + ".join(dict.fromkeys(names)), results.get(side, ""))
        for side, names in sorted(teams.items())
    ]


def _title(match: Match) -> str:
    return ", ".join(f"{side.name} {side.score}".strip() for side in _sides(match))


# --- matches and files ----------------------------------------------------------------------------


def _public_match(request: HttpRequest, pk: int) -> Match:
    """The match if its tournament is public; 404 even for people who may see a private one."""
    request.user = AnonymousUser()  # so that the page is the same for all viewers
    return match.find_match_for(NOBODY, pk)


@lru_cache(maxsize=256)
def _png(preview: Preview) -> bytes:
    return previews.draw(preview).png()


@lru_cache(maxsize=16)
def _webp(previews: tuple[Preview, ...]) -> bytes:
    return animation.animate(previews)
