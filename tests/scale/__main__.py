"""`make scale`: make a large site, read all of it, print what costs most first."""

from __future__ import annotations

import argparse
import os
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

from tests.scale.making import Size, make  # noqa: E402
from tests.scale.walking import (  # noqa: E402
    MOST_MS,
    MOST_QUERIES,
    TOURNAMENTS,
    addresses,
    cost,
    reader,
)
from tournaments.exports import files  # noqa: E402
from tournaments.models import Match, Tournament  # noqa: E402
from tournaments.reading import kinds  # noqa: E402
from tournaments.reading.content_cache import compute as make_kept  # noqa: E402
from tournaments.reading.content_cache import recompute_all  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(prog="make scale", description=__doc__)
    parser.add_argument("--matches", type=int, default=200_000, help="how many, about")
    parser.add_argument("--tries", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--only", default="", help="addresses that hold this")
    asked = parser.parse_args()
    settings.ALLOWED_HOSTS = ["testserver"]
    began = time.process_time()
    call_command("migrate", verbosity=0)
    if not Match.objects.exists():  # a site in CARDROOM_VAR is read again
        make(Size.for_matches(asked.matches))
    recompute_all(kinds.KINDS)
    for slug in TOURNAMENTS:
        tournament = Tournament.objects.get(slug=slug)
        for kind in files.KINDS:
            make_kept(kind, tournament)
    print(f"{Match.objects.count():,} matches, made in {time.process_time() - began:.0f} s.")
    client = reader()
    costs = [cost(client, address, asked.tries) for address in addresses() if asked.only in address]
    print("   queries      ms   status        bytes  address")
    for each in sorted(costs, key=lambda each: (not each.dear, -each.ms)):
        mark = "!" if each.dear else " "
        print(
            f" {mark} {each.queries:7}{each.ms:8.0f}{each.status:9}{each.size:13,}  {each.address}"
        )
    dear = sum(each.dear for each in costs)
    print(
        f"{dear} of {len(costs)} above {MOST_MS:.0f} ms of processor time or {MOST_QUERIES} queries"
    )


if __name__ == "__main__":
    main()
