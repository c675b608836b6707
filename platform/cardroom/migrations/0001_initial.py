import hashlib

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from bots.names import skeleton

OLD = "authtoken_token"


def take_over_tokens(apps, editor):
    """Tokens of earlier versions stay valid; from now on only their hashes are kept."""
    connection = editor.connection
    with connection.cursor() as cursor:
        if OLD not in connection.introspection.table_names(cursor):
            return
        cursor.execute(f"SELECT key, created, user_id FROM {OLD}")
        rows = cursor.fetchall()
    Token = apps.get_model("cardroom", "Token")
    when = Token._meta.get_field("created")
    for key, created, user in rows:
        Token.objects.create(
            user_id=user,
            name="earlier token",
            digest=hashlib.sha256(key.encode()).hexdigest(),
            hint=key[:4],
            scopes=["read", "upload", "organize"],
            created=_aware(connection, when, created),
        )
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {OLD}")
        cursor.execute("DELETE FROM django_migrations WHERE app = 'authtoken'")


def _aware(connection, field, value):
    """What a cursor gives for a date, as a model has it."""
    for convert in connection.ops.get_db_converters(field.get_col(OLD)):
        value = convert(value, field, connection)
    return value


def keep_looks(apps, _editor):
    """Of names that look alike the oldest account's is kept; the others stay what they are."""
    AccountName = apps.get_model("cardroom", "AccountName")
    taken = set()
    for user in apps.get_model("auth", "User").objects.order_by("pk"):
        looks = skeleton(user.username)
        AccountName.objects.create(
            user_id=user.pk, name=user.username, skeleton=None if looks in taken else looks
        )
        taken.add(looks)


class Migration(migrations.Migration):
    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("hint", models.CharField(max_length=12)),
                ("scopes", models.JSONField(default=list)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires", models.DateTimeField(blank=True, null=True)),
                ("used", models.DateTimeField(blank=True, null=True)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to=settings.AUTH_USER_MODEL)),
            ],
            options={"ordering": ("-created", "-pk")},
        ),
        migrations.CreateModel(
            name="AccountName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=150)),
                ("skeleton", models.CharField(max_length=400, null=True, unique=True)),
                ("user", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name="looks", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.RunPython(take_over_tokens, migrations.RunPython.noop),
        migrations.RunPython(keep_looks, migrations.RunPython.noop),
    ]
