"""The site: settings, addresses, pages, the REST root and the commands that run it."""

from cardroom_base.core import compiled, garbage

garbage.collect_seldom()
compiled.use()  # before anything imports the engine

from cardroom.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
