"""What waits to be played: whose turn it is, why and how long matches wait, who plays now."""
