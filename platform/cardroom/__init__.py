"""The site: settings, addresses, pages, the REST root and the commands that run it.

`cardroom.env` and `cardroom.data` are also for authors at home, who have neither Django nor Celery,
so this imports neither. Django imports the Celery application when it starts (`apps.py`).
"""

from cardroom_base.core import compiled, garbage

garbage.collect_less_often()
compiled.use()  # before anything imports the engine
