"""Ratings on the Elo scale: live updates, batch fits with intervals, sequential tests. Pure.

Called from outside:

- `fit.fit(games) -> Fit`: the batch fit of a pool, from `result_arrays.RatedMatch` or, faster,
  from a `result_arrays.RatingTable`; `overall.overall(fits) -> Fit`: the mean of several games.
- `elo.update`, `elo.expected`: the live Elo, which changes with each match.
- `scale.anchors_by_name`, `scale.anchors_of_entrants`: nominal ratings of house bots.
- `sprt.llr`, `sprt.field_llr`, `sprt.bounds`, `sprt.verdict`: sequential tests.
- `elo.interval_text`, `elo.half_width`, `fit.chance_above_zero`, `fit.deviation`: intervals for
  pages.
- `store.Store`: results cached on disk.

The model
=========

The fit of a pool estimates a strength θᵢ of each entrant i, an effect e of each side of a table
form (`result_arrays.RatingTable.effects`), an interaction b of each team of different entrants
(`teams`), a slope s and a dispersion φ of each format f. In a match of f, side k with the entrants
M has

    η = s_f (mean of θᵢ over M + e_k + b_M)                          `likelihood.strengths`

and rankings follow Plackett-Luce (Luce 1959, Plackett 1975; with two sides Bradley and Terry
1952): each next place goes to a remaining side with probability exp(η) over the sum of those that
remain. Ties count as the mean over their orders, so with two sides as half a win for each (Hunter
2004)                                                      `likelihood.ranking_derivatives`

The posterior is maximized, with Gaussian priors: θ around the average with sd 350 points (anchors
1,050), e with sd 30 (`fit`), b with an sd estimated from all teams (`interactions`), log s with sd
0.7 (`slopes`):

    Σ_f (1 / φ_f) Σ log-likelihood of results of f  -  Σ precision · parameter² / 2

- `posterior_mode` finds the maximum for given s and φ: Newton's method, then the chord method;
  `linear_solver`, `information`, `coupling` and `jacobian` are its sparse algebra.
- `dispersion`: φ_f makes deal groups the unit. It is the sum of squares of the groups' scores,
  divided by the sum expected of independent matches (a quasi-likelihood: Wedderburn 1974,
  McCullagh & Nelder 1989). It is shrunk to the common φ with the weight of 20 groups; the common φ
  is shrunk to 1 in the same way.
- `slopes`: s_f maximizes the profile of the posterior. The unit is the standard match, s = 1.
- `fit._posterior` alternates: mode, slopes, dispersion, mode, slopes, interactions, mode.

Results determine only differences. So an interval is that of an entrant's distance from the average
of its connected component (`counting.connected_components`). It comes from the inverse Hessian and
the uncertainty of the slopes; for few results from the profile likelihood (`profile_likelihood`).
The value of the average is a convention (`scale`). `misfit` tests whether one number for each
entrant suffices.

Points are 400 / ln 10 times natural units. So 100 points mean that in a standard match the better
of two wins 64 %.
"""
