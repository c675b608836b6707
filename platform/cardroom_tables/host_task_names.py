"""Names of the host's Celery tasks; each takes the primary key of a table, hint or opinion."""

from typing import Final

SEAT_TASK: Final = "cardroom_tables.tasks.seat_bots"
HINT_TASK: Final = "cardroom_tables.tasks.give_hint"
COMPARE_TASK: Final = "cardroom_tables.tasks.compare_deals"
OPINION_TASK: Final = "cardroom_tables.tasks.give_opinion"
QUEUE: Final = "tables"
