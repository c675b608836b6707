"""REST: bots, their versions and the checks of versions."""
