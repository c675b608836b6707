from django.db import migrations, models

from bots.names import skeleton


def keep_looks(apps, _editor):
    """Of names that look alike the oldest bot's is kept; the others stay what they are."""
    taken = set()
    for bot in apps.get_model("bots", "Bot").objects.order_by("pk"):
        looks = skeleton(bot.name)
        if looks not in taken:
            bot.skeleton = looks
            bot.save(update_fields=["skeleton"])
        taken.add(looks)


class Migration(migrations.Migration):
    dependencies = [("bots", "0004_workers")]

    operations = [
        migrations.AddField(
            model_name="bot",
            name="skeleton",
            field=models.CharField(max_length=400, null=True, unique=True),
        ),
        migrations.RunPython(keep_looks, migrations.RunPython.noop),
    ]
