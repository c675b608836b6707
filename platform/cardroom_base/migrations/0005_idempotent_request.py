import cardroom_base.db.db_time
import django.core.serializers.json
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('base', '0004_webhooks'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='IdempotentRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=255)),
                ('digest', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField(default=0)),
                ('body', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('location', models.CharField(blank=True, max_length=500)),
                ('created', models.DateTimeField(db_default=cardroom_base.db.db_time.Now())),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['created'], name='idempotent_request_created')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='idempotent_request_once')],
            },
        ),
    ]
