"""How strong the expert is: deal groups against house bots, in one process and without a clock."""

from cardroom_base.core import compiled

compiled.use()  # before anything imports the engine
