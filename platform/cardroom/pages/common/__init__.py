"""What pages of several nouns share: queries, forms, messages, plots, numbers, who is asking."""
