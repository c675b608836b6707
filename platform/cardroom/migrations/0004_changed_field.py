from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cardroom', '0003_moderation'),
    ]

    operations = [
        migrations.AddField(
            model_name='moderation',
            name='field',
            field=models.CharField(blank=True, choices=[('name', 'Name'), ('description', 'Description'), ('announcement', 'Announcement'), ('category', 'Category'), ('team', 'Team')], db_default='', default='', max_length=12),
        ),
    ]
