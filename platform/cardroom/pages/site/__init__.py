"""Pages of the site as a whole: home, ratings, search, feeds, previews, accounts."""
