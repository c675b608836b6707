"""`cardroom challenge`: have your bot play against another bot of a site."""

from __future__ import annotations

import time
from typing import Annotated, Any, Final, NotRequired, TypedDict

import typer

from bots.cli.common import AsJson, Server, guarded, out, show_json
from bots.cli.site import SiteClient
from bots.cli.submit import POLL_S
from cardroom_base.core.safe_text import one_line
from engine.english import count_of

RUNNING: Final = "running"
WAIT_S: Final = 600.0


class ChallengeJSON(TypedDict):
    """The present state of a challenge."""

    id: int
    bot: str
    version: int
    against: str
    against_version: int
    format: str
    groups: int
    state: str
    won: int
    level: int
    lost: int
    points: NotRequired[float | None]
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    matches: list[Any]


@guarded
def challenge(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="Your bot's name in its page's address.")
    ],
    against: Annotated[
        str, typer.Argument(metavar="AGAINST", help="The bot to challenge, such as house:greedy.")
    ],
    *,
    server: Server,
    format_: Annotated[
        str,
        typer.Option(
            "--format", help="The format; default: the one that your bot has played most."
        ),
    ] = "",
    groups: Annotated[int, typer.Option(min=1, help="Number of deal groups.")] = 10,
    version: Annotated[
        int | None, typer.Option(min=1, help="Version of your bot; default: the active one.")
    ] = None,
    against_version: Annotated[
        int | None, typer.Option(min=1, help="Version of the other bot, if it is also yours.")
    ] = None,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the result.")] = WAIT_S,
    as_json: AsJson = False,
) -> None:
    """Play an unrated challenge on a site, and print the result.

    The token in CARDROOM_TOKEN must allow entering tournaments.
    """
    site = SiteClient.at(server, "read, and enter tournaments")
    body = {"bot": bot, "against": against, "format": format_, "groups": groups}
    versions = {"version": version, "against_version": against_version}
    body |= {key: value for key, value in versions.items() if value is not None}
    created = site.post("challenges/", ChallengeJSON, json=body)
    result = _await_result(site, created, time.monotonic() + wait)
    page = site.page(f"challenges/{result['id']}/")
    if as_json:
        show_json({"challenge": result, "page": page})
        return
    for line in _result_lines(result):
        out.print(one_line(line))
    out.print(one_line(f"Matches and replays: {page}"))


def _await_result(site: SiteClient, created: ChallengeJSON, deadline: float) -> ChallengeJSON:
    """The challenge when it is over, or its state at the deadline."""
    latest = created
    while latest["state"] == RUNNING and time.monotonic() < deadline:
        time.sleep(POLL_S)
        latest = site.get(f"challenges/{created['id']}/", ChallengeJSON)
    return latest


def _result_lines(result: ChallengeJSON) -> list[str]:
    """Lines about the state of a challenge."""
    finished = result["won"] + result["level"] + result["lost"]
    won = count_of(result["won"], "deal group")
    heading = f"{result['bot']} v{result['version']} against {result['against']}"
    lines = [
        f"{heading} v{result['against_version']} in {result['format']}:",
        f"  {won} won, {result['level']} level, {result['lost']} lost.",
    ]
    points, low, high = result.get("points"), result.get("low"), result.get("high")
    if points is not None and low is not None and high is not None:
        interval = f"95 % interval: {100 * low:.0f} to {100 * high:.0f} %"
        lines.append(f"  {100 * points:.0f} % of the points ({interval}).")
    if finished < result["groups"]:
        lines.append(
            f"  {finished} of {result['groups']} deal groups are over; the challenge is "
            f"{result['state']}."
        )
    return lines
