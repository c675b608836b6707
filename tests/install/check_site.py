"""Checks the installed site's main features; runs inside the site, as its web server's user."""

import time
from collections.abc import Callable

from django.contrib.auth.models import User

from bots.models import Bot
from cardroom.status import site_status
from cardroom_tables import match_cache
from cardroom_tables.actions import tables
from cardroom_tables.actions.moves import play_move
from cardroom_tables.guests import Person
from tournaments import actions
from tournaments.models import Rating, Tournament


def wait(condition: Callable[[], object], step: str) -> None:
    until = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < until, f"It takes too long: {step}. {site_status()}"
        time.sleep(1)
    print(step)


staff = User.objects.get(username="staff")
assert staff.is_superuser
assert staff.check_password("a long password for a test")
print("a staff account")

wait(lambda: site_status()["sandboxes"] and site_status()["table_hosts"], "worker and host report")
status = site_status()
isolations = {(walls.level, walls.engine) for walls in status["sandboxes"]}
isolations |= {(host["level"], host["engine"]) for host in status["table_hosts"]}
assert isolations == {("full", "compiled")}, isolations
print("full isolation, compiled rules")

cup = actions.create_tournament(staff, name="First cup", format="cassino/standard/1v1", groups=1)
cup = actions.open_(cup, staff)
for name in ("house:greedy", "house:random"):
    actions.enter(cup, Bot.objects.get(name=name), staff)
actions.start(cup, staff)
wait(lambda: Tournament.objects.get(pk=cup.pk).state == "finished", "a tournament")
assert Tournament.objects.get(pk=cup.pk).rated
wait(lambda: Rating.objects.filter(fitted__isnull=False).exists(), "its ratings")

person = Person(user=staff, address="192.0.2.1")
choices = [tables.SeatChoice("you"), tables.SeatChoice("bot", "house:random")]
table = tables.create_table(person, "cassino/standard/1v1?deals=1", choices)
wait(lambda: not type(table).objects.get(pk=table.pk).bots_turn, "a people's table")
table.refresh_from_db()
moves = table.moves
play_move(table, person, moves, match_cache.position_of(table).legal_moves()[0])
wait(lambda: type(table).objects.get(pk=table.pk).moves > moves + 1, "a bot's answer there")
