"""How a tournament goes: stages, what is paired and ranked in each, and a forecast. Pure."""
