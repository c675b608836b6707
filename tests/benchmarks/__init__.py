"""Measurements against peers. They print ratios of one run and never pass or fail by the clock."""
