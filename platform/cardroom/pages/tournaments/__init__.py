"""Pages of tournaments: the list, planning, a tournament's tabs, its steps and teams."""
