from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cardroom', '0004_changed_field'),
    ]

    operations = [
        migrations.AlterField(
            model_name='moderation',
            name='kind',
            field=models.CharField(choices=[('quarantine', 'quarantined'), ('release', 'released'), ('suspend', 'suspended'), ('resume', 'resumed'), ('change', 'changed'), ('hide', 'hidden'), ('show', 'shown again'), ('unlock', 'texts unlocked')], max_length=10),
        ),
    ]
