from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('bots', '0003_quarantine'),
    ]

    operations = [
        migrations.AddField(
            model_name='bot',
            name='texts_locked',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
