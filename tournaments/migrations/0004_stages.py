from django.db import migrations


def one_stage_each(apps, schema_editor):
    """Until now a tournament was one stage; deal groups are numbered within their pairing."""
    tournaments = apps.get_model("tournaments", "Tournament").objects
    stages = apps.get_model("tournaments", "Stage").objects
    fixtures = apps.get_model("tournaments", "Fixture").objects
    for tournament in tournaments.iterator():
        stage = stages.create(
            tournament=tournament, number=1, system=tournament.system, groups=tournament.groups
        )
        place, group = None, 0
        for fixture in fixtures.filter(tournament=tournament).order_by("number"):
            here = (fixture.round, fixture.pairing)
            place, group = here, group + 1 if here == place else 1
            fixture.stage, fixture.group = stage, group
            fixture.save(update_fields=["stage", "group"])
    entries = apps.get_model("tournaments", "Entry").objects
    for entry in entries.filter(tournament__started__isnull=False).iterator():
        # The pairing systems counted from the order of entry.
        earlier = entries.filter(tournament=entry.tournament_id, number__lt=entry.number)
        entry.seeding = 1 + earlier.count()
        entry.save(update_fields=["seeding"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0003_competitions")]

    operations = [migrations.RunPython(one_stage_each, migrations.RunPython.noop)]
