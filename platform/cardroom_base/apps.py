from django.apps import AppConfig


class BaseConfig(AppConfig):
    name = "cardroom_base"
    label = "base"
    verbose_name = "Plumbing"
    default_auto_field = "django.db.models.BigAutoField"
