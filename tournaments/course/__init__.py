"""The course of a tournament: its stages, their pairings and rankings, and forecasts. Pure.

Others call `course.course`, `stages.parse_stages` and `forecast.forecast`.
"""
