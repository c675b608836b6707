"""The course of a tournament: its stages, their pairings and rankings, and forecasts. Pure."""
