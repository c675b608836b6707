from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0011_withdrawn_results'),
    ]

    operations = [
        migrations.AddField(
            model_name='ratingpoint',
            name='component',
            field=models.PositiveBigIntegerField(null=True),
        ),
    ]
