"""REST of bots, versions and checks. Other apps' views use its `permissions`."""
