"""How strong the expert is: deal groups against house bots, in one process and without a clock."""
