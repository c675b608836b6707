"""Plays any game by playing it out: deal what is hidden at random, try each move, finish the deal.

Nothing here knows a game. A view says what one seat may know; `Match.from_view` makes a whole
match that looks the same from that seat, its hidden cards dealt at random. One such guess is
nearly always wrong, so a move that is best in it may be bad: only the average over many guesses
counts. Every move is tried on the same guesses, so that a lucky deal favours none, and after each
round the worse half of the moves is dropped (sequential halving): most of the time goes to the
close choices.
"""

import random
import time

from engine import Match

ROLLOUTS_PER_MS = 0.12
"""Deals played out per millisecond of a move's free time."""
MOST_ROLLOUTS = 3000
SHARE = 0.3
"""Share of a move's free time after which the search stops, however far it is."""
CANDIDATES = 12
"""Moves that are tried; where there are more, those that look best at once."""
LONGEST = 300
"""Moves after which a deal is judged as it stands."""
DRAWS = 3
"""Moves of which a playout takes the longest."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        move_ms = info["clock"]["move_ms"]
        # A number of playouts, and not a time, so that the same match is played the same again.
        # The time is only a guard, for slow machines and long deals.
        self.rollouts = min(MOST_ROLLOUTS, int(move_ms * ROLLOUTS_PER_MS))
        self.seconds = move_ms * SHARE / 1000

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        self.seat = view["seat"]
        # Processor time: the clock does not count what a busy machine keeps us waiting.
        self.until = time.process_time() + self.seconds
        moves = self.candidates(view, legal)
        totals = dict.fromkeys(moves, 0.0)
        left, rounds = self.rollouts, max(1, (len(moves) - 1).bit_length())
        while len(moves) > 1:
            guesses = max(1, left // rounds // len(moves))
            for _ in range(guesses):
                guess = Match.from_view(view, self.random)
                values = []
                for move in moves:
                    values.append(self.play_out(guess, move))
                    if time.process_time() > self.until:  # a guess not tried on all moves is lost
                        return max(moves, key=totals.get)
                for move, value in zip(moves, values, strict=True):
                    totals[move] += value
            left, rounds = left - guesses * len(moves), max(1, rounds - 1)
            moves.sort(key=totals.get, reverse=True)
            moves = moves[: (len(moves) + 1) // 2]
        return moves[0]

    def candidates(self, view, legal):
        """The moves worth a search: those that gain most at once, then those with most cards."""
        if len(legal) <= CANDIDATES:
            return list(legal)
        guess = Match.from_view(view, self.random)
        gains = {}
        for move in legal:
            after = guess.copy()
            after.step(move)
            gains[move] = (self.lead(after), len(move))
            if time.process_time() > self.until - self.seconds / 2:
                break
        return sorted(gains, key=gains.get, reverse=True)[:CANDIDATES]

    def play_out(self, guess, move):
        """How far ahead the own side is at the end of the deal that `move` begins."""
        match = guess.copy()
        match.step(move)
        for _ in range(LONGEST):
            if match.turn is None or time.process_time() > self.until:
                break
            match.step(self.cheap(match.legal_moves()))
        return self.lead(match)

    def cheap(self, legal):
        """A quick move: of a few drawn at random the longest, which names the most cards."""
        if len(legal) == 1:
            return legal[0]
        return max((self.random.choice(legal) for _ in range(DRAWS)), key=len)

    def lead(self, match):
        """Score of the own side less the best other. Partners share a side, and so its score."""
        scores, sides = list(match.scores), match.view(self.seat)["sides"]
        side = next(i for i, seats in enumerate(sides) if self.seat in seats)
        # Where sides form in play, each seat has a score of its own.
        own = scores.pop(side if len(scores) == len(sides) else self.seat)
        return own - max(scores)
