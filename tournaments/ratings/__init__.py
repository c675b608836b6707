"""Ratings on the Elo scale: live updates, batch fits with intervals, sequential tests. Pure.

Public: `elo.update`, `elo.expected`; `fit.fit`, `fit.above_zero`, `fit.deviation`; the data for a
fit, `table.RatedMatch`, `table.RatingTable`, `store.Store`; `scale.by_name`,
`scale.of_entrants`; `sprt.llr`, `sprt.field_llr`, `sprt.bounds`, `sprt.verdict`. The other
modules are parts of the fit.
"""
