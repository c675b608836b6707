"""Seeds that the site draws for each deal group, and commitments to them.

Until now all deals followed from the tournament's seed, which everybody saw. Deal groups of which
nothing has been played get new seeds; of the others the commitment is made of the seed they had.
"""

import secrets

from django.db import migrations, models
from django.db.models import Exists, OuterRef

from engine.shuffle import commitment

BATCH = 500
UNFINISHED = ("waiting", "playing", "stuck")


def commit(apps, schema_editor):
    Fixture = apps.get_model("tournaments", "Fixture")
    Match = apps.get_model("tournaments", "Match")
    of_it = Match.objects.filter(fixture=OuterRef("pk"))
    untouched = Exists(of_it.filter(state__in=UNFINISHED)) & ~Exists(of_it.filter(state="finished"))
    found = Fixture.objects.annotate(untouched=untouched).order_by("pk")
    last = 0
    while batch := list(found.filter(pk__gt=last)[:BATCH]):
        for fixture in batch:
            if fixture.untouched:
                fixture.seed = secrets.token_hex(16)
            fixture.commitment = commitment(fixture.seed)
        Fixture.objects.bulk_update(batch, ["seed", "commitment"])
        last = batch[-1].pk
    waiting = list(Match.objects.filter(state__in=UNFINISHED).only("pk", "rng"))
    for match in waiting:
        match.rng = secrets.token_hex(16)
    Match.objects.bulk_update(waiting, ["rng"], batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0012_trial_groups"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="chosen_seed",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="fixture",
            name="commitment",
            field=models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="match",
            name="rng",
            field=models.CharField(blank=True, default="", max_length=32),
            preserve_default=False,
        ),
        migrations.RunPython(commit, migrations.RunPython.noop),
        migrations.RemoveField(model_name="match", name="seed"),
    ]
