"""The site: settings, addresses, pages, the REST root and the commands that run it."""

from cardroom.celery import app as celery_app

__all__ = ["celery_app"]
