"""Measure a language model: it plays against the expert's levels and gets a rating on their scale.

`endpoint` sends the requests, `prompts` writes the questions and reads the replies, `journal` holds
everything on disk, `run` plays the matches, `estimate` rates, `report` prints, `command` is
`cardroom measure`.
"""
