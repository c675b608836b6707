"""Measures the expert's strength: it plays deal groups against house bots, without a clock."""

from cardroom_base.core import compiled

compiled.use()  # before anything imports the engine
