from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0012_connected_points'),
    ]

    operations = [
        migrations.AddField(
            model_name='coorganizer',
            name='offered',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
