from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('base', '0006_notifying_accounts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='notification',
            name='kind',
            field=models.CharField(choices=[('checked', 'a check finished'), ('opened', 'a tournament opened'), ('started', 'a tournament started'), ('ended', 'a tournament ended'), ('announced', 'an announcement'), ('fault', "a bot's first fault in a tournament"), ('team', 'an invitation into a team'), ('offered', 'a tournament is offered'), ('stuck', 'a match is stuck'), ('webhook', 'a webhook was switched off'), ('unhealthy', 'a worker is unhealthy')], max_length=16),
        ),
    ]
