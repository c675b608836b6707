"""`make scale`: creates a large site and lists the costs of its addresses, highest first."""

from __future__ import annotations

import argparse
import os
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

from tests.scale.creating import Size, create_site  # noqa: E402
from tests.scale.reading import (  # noqa: E402
    MAX_MS,
    MAX_QUERIES,
    TOURNAMENTS,
    addresses,
    log_in,
    measure_cost,
)
from tournaments.exports import export_files  # noqa: E402
from tournaments.models import Match, Tournament  # noqa: E402
from tournaments.reading import kinds  # noqa: E402
from tournaments.reading.content_cache import compute as cache  # noqa: E402
from tournaments.reading.content_cache import recompute_all  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(prog="make scale", description=__doc__)
    parser.add_argument(
        "--matches", type=int, default=200_000, help="the approximate number of matches"
    )
    parser.add_argument("--tries", type=int, default=3, help="measure this often; the best counts")
    parser.add_argument("--only", default="", help="only addresses that contain this text")
    arguments = parser.parse_args()
    settings.ALLOWED_HOSTS = ["testserver"]
    start = time.process_time()
    call_command("migrate", verbosity=0)
    if not Match.objects.exists():  # an existing site in CARDROOM_VAR is reused
        create_site(Size.for_matches(arguments.matches))
    recompute_all(kinds.KINDS)
    for slug in TOURNAMENTS:
        tournament = Tournament.objects.get(slug=slug)
        for kind in export_files.KINDS:
            cache(kind, tournament)
    print(f"{Match.objects.count():,} matches, made in {time.process_time() - start:.0f} s.")
    client = log_in()
    costs = [
        measure_cost(client, address, arguments.tries)
        for address in addresses()
        if arguments.only in address
    ]
    print("   queries      ms   status        bytes  address")
    for cost in sorted(costs, key=lambda cost: (not cost.is_too_expensive, -cost.ms)):
        mark = "!" if cost.is_too_expensive else " "
        print(
            f" {mark} {cost.queries:7}{cost.ms:8.0f}{cost.status:9}{cost.size:13,}  {cost.address}"
        )
    count = sum(cost.is_too_expensive for cost in costs)
    print(
        f"{count} of {len(costs)} above {MAX_MS:.0f} ms of processor time or {MAX_QUERIES} queries"
    )


if __name__ == "__main__":
    main()
