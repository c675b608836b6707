from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0009_match_indexes'),
    ]

    operations = [
        migrations.AddField(
            model_name='tournament',
            name='texts_locked',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
