"""The site: settings, addresses, pages, the REST root and the commands that run it.

Authors at home use `cardroom.env` and `cardroom.data` without Django and Celery, so this module
imports neither. Django imports the Celery application when it starts (`apps.py`).
"""

from cardroom_base.core import compiled, garbage

garbage.collect_less_often()
compiled.use()  # before anything imports the engine
