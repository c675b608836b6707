from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0013_offered_tournaments'),
    ]

    operations = [
        migrations.AddField(
            model_name='tournament',
            name='past_freezes_after',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='tournament',
            name='past_freezes_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
