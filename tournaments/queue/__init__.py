"""What waits to be played: whose turn it is, why somebody waits and how long, who plays now."""
