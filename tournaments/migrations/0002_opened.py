from django.db import migrations, models
from django.db.models import F


def open_what_was_open(apps, schema_editor):
    """Until now everything but drafts was shown."""
    tournaments = apps.get_model("tournaments", "Tournament").objects
    tournaments.exclude(state="draft").update(opened=F("created"))


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="opened",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(open_what_was_open, migrations.RunPython.noop),
    ]
