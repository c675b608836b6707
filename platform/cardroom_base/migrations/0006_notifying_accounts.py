import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('base', '0005_idempotent_request'),
    ]

    operations = [
        migrations.AddField(
            model_name='notification',
            name='by',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(condition=models.Q(('by__isnull', False)), fields=['by', 'at'], name='notification_quota'),
        ),
    ]
