from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "cardroom_tables"
    label = "play"
    verbose_name = "People's tables"
