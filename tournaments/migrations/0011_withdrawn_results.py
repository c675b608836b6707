from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0010_locked_texts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='scalechange',
            name='reason',
            field=models.CharField(choices=[('connected', 'groups of bots met for the first time'), ('anchors', 'other levels of the expert were played'), ('newcomers', 'new bots changed the average'), ('results', 'new results against levels of the expert'), ('withdrawn', 'results were withdrawn')], max_length=10),
        ),
    ]
