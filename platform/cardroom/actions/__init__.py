"""Changes of state of the site as a whole: accounts, tokens, webhooks, moderation."""
