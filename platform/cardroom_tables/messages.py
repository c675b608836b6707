"""What the host of tables is asked for, by name; each has the number of a table, hint, opinion."""

from typing import Final

SEAT_TASK: Final = "cardroom_tables.tasks.seat_bots"
HINT_TASK: Final = "cardroom_tables.tasks.give_hint"
COMPARE_TASK: Final = "cardroom_tables.tasks.compare_deals"
OPINION_TASK: Final = "cardroom_tables.tasks.give_opinion"
QUEUE: Final = "tables"
