from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0007_agreed"),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="groups",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
