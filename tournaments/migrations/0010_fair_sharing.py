"""An index by which the first waiting match of every tournament is found at once."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0009_rating_parts")]

    operations = [
        migrations.RemoveIndex(model_name="match", name="match_by_state"),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                fields=["tournament", "state", "-priority", "id"], name="match_share"
            ),
        ),
    ]
