"""The course of a tournament: stages, pairing and ranking in each, and a forecast. Pure."""
