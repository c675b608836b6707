"""Plays any game by playing on: deal what is hidden at random, try each move, see where it leads.

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

PLAYOUTS_PER_MS = 0.2
"""Playouts per millisecond of a move's free time."""
MOST_PLAYOUTS = 3000
SHARE = 0.5
"""Share of a move's free time after which the search stops, however far it is."""
CANDIDATES = 12
"""Moves that are searched: those that look best at once."""
AHEAD = 6
"""Turns that a playout plays on, where the game can tell what a deal in play would score.

Turns and not moves: else a player who first draws a card would not come to play it."""
LONGEST = 300
"""The same where it cannot: then playouts go to the end of the deal."""
TRIES = 4
"""Moves of which a player in a playout takes the best, drawn at random."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        move_ms = info["clock"]["move_ms"]
        # A number of playouts, and not a time, so that the same match is played the same again.
        # The time is only a guard, for slow machines and games.
        self.playouts = min(MOST_PLAYOUTS, int(move_ms * PLAYOUTS_PER_MS))
        self.seconds = move_ms * SHARE / 1000

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        self.seat, self.sides = view["seat"], view["sides"]
        # Processor time: the clock does not count what a busy machine keeps us waiting.
        self.until = time.process_time() + self.seconds
        guess = Match.from_view(view, self.random)
        self.tells = bool(tally(guess))
        moves = self.candidates(guess, legal)
        totals = dict.fromkeys(moves, 0.0)
        left, rounds = self.playouts, max(1, (len(moves) - 1).bit_length())
        while len(moves) > 1:
            guesses = max(1, left // rounds // len(moves))
            for _ in range(guesses):
                guess = Match.from_view(view, self.random)
                values = []
                if not all(map(guess.is_legal, moves)):
                    continue  # what is legal can depend on hidden cards: another guess
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

    def candidates(self, guess, legal):
        """The moves worth a search, the best first: what gains most at once, names most cards."""
        gains = {}
        for move in filter(guess.is_legal, legal):
            gains[move] = self.gain(guess, move, self.seat)
            if time.process_time() > self.until - self.seconds / 2:
                break
        return sorted(gains, key=gains.get, reverse=True)[:CANDIDATES] or legal[:1]

    def play_out(self, guess, move):
        """How far ahead the own side is some turns after `move`."""
        match = guess.copy()
        match.step(move)
        mover, turns = self.seat, AHEAD if self.tells else LONGEST
        while match.turn is not None and time.process_time() < self.until:
            if match.turn != mover:
                mover, turns = match.turn, turns - 1
            if turns < 0:
                break
            match.step(self.reply(match))
        return self.lead(match, self.seat)

    def reply(self, match):
        """A player's move in a playout: of some drawn at random the one that gains most."""
        legal = match.legal_moves()
        if len(legal) == 1:
            return legal[0]
        drawn = self.random.sample(legal, min(TRIES, len(legal)))
        return max(drawn, key=lambda move: self.gain(match, move, match.turn))

    def gain(self, match, move, seat):
        """How good a move looks to a seat at once."""
        if not self.tells:
            return 0, len(move)
        after = match.copy()
        after.step(move)
        return self.lead(after, seat), len(move)

    def lead(self, match, seat):
        """Points of the seat's side less those of the best other, as if the deal ended now."""
        scores = list(match.scores)
        if match.turn is not None:
            for line in tally(match):
                scores = [score + more for score, more in zip(scores, line.points, strict=True)]
        side = next(i for i, seats in enumerate(self.sides) if seat in seats)
        # Where sides form in play, each seat has a score of its own.
        own = scores.pop(side if len(scores) == len(self.sides) else seat)
        return own - max(scores)


def tally(match):
    """What the deal in play would score if it ended now, line by line; empty if nobody can tell."""
    return match.format.spec.tally(match.format, match.view(None))
