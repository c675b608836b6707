from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "cardroom.play"
    label = "play"
    verbose_name = "People's tables"
