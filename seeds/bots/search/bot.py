"""Plays any game by search: guesses the hidden cards, tries moves, and compares the results.

The search knows no rules. `Match.from_view` makes a complete match that agrees with what the seat
sees, with the hidden cards dealt at random. Such a guess is nearly always wrong, so the best move
in one guess may be bad, and the bot averages over many guesses. It tries all moves on the same
guesses, so that no move profits from a lucky deal. After each round it drops the worse half of the
moves (sequential halving), so that most of the time goes to the close decisions.
"""

import random
import time

from engine import Match

PLAYOUTS_PER_MS = 0.2
"""Number of playouts per millisecond of a move's free time."""
MAX_PLAYOUTS = 3000
"""Maximum number of playouts in a decision."""
TIME_SHARE = 0.5
"""Share of a move's free time after which the search stops, finished or not."""
CANDIDATES = 12
"""Maximum number of moves that the search compares: those that look best at first."""
TURNS_AHEAD = 6
"""Number of turns in a playout, if the game can tell the score of an unfinished deal. It counts
turns, not moves, so that a player who draws a card also gets to play one."""
MAX_TURNS = 300
"""Maximum number of turns if it cannot: then a playout continues to the end of the deal."""
REPLY_CHOICES = 4
"""Number of random moves from which a player in a playout chooses the best one."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])
        move_ms = info["clock"]["move_ms"]
        # The search stops after a number of playouts, not after a time, so that a repeated match
        # has the same moves. The time is only a guard for slow machines and games.
        self.playouts = min(MAX_PLAYOUTS, int(move_ms * PLAYOUTS_PER_MS))
        self.seconds = move_ms * TIME_SHARE / 1000

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        self.seat, self.sides = view["seat"], view["sides"]
        # Processor time: the clock does not count waiting for a busy machine.
        self.deadline = time.process_time() + self.seconds
        guess = Match.from_view(view, self.random)
        self.has_tally = bool(tally(guess))
        moves = self.candidates(guess, legal)
        totals = dict.fromkeys(moves, 0.0)
        playouts_left, rounds = self.playouts, max(1, (len(moves) - 1).bit_length())
        while len(moves) > 1:
            guesses = max(1, playouts_left // rounds // len(moves))
            for _ in range(guesses):
                guess = Match.from_view(view, self.random)
                values = []
                if not all(map(guess.is_legal, moves)):
                    continue  # hidden cards can decide whether a move is legal: skip this guess
                for move in moves:
                    values.append(self.play_out(guess, move))
                    if time.process_time() > self.deadline:  # without the unfinished guess
                        return max(moves, key=totals.get)
                for move, value in zip(moves, values, strict=True):
                    totals[move] += value
            playouts_left, rounds = playouts_left - guesses * len(moves), max(1, rounds - 1)
            moves.sort(key=totals.get, reverse=True)
            moves = moves[: (len(moves) + 1) // 2]
        return moves[0]

    def candidates(self, guess, legal):
        """The moves that look best, best first."""
        values = {}
        for move in filter(guess.is_legal, legal):
            values[move] = self.quick_value(guess, move, self.seat)
            if time.process_time() > self.deadline - self.seconds / 2:
                break
        return sorted(values, key=values.get, reverse=True)[:CANDIDATES] or legal[:1]

    def play_out(self, guess, move):
        """The lead of the own side when some turns have followed the move."""
        match = guess.copy()
        match.step(move)
        mover, turns_left = self.seat, TURNS_AHEAD if self.has_tally else MAX_TURNS
        while match.turn is not None and time.process_time() < self.deadline:
            if match.turn != mover:
                mover, turns_left = match.turn, turns_left - 1
            if turns_left < 0:
                break
            match.step(self.reply(match))
        return self.lead(match, self.seat)

    def reply(self, match):
        """A player's move in a playout: the one that looks best among a few random moves."""
        legal = match.legal_moves()
        if len(legal) == 1:
            return legal[0]
        choices = self.random.sample(legal, min(REPLY_CHOICES, len(legal)))
        return max(choices, key=lambda move: self.quick_value(match, move, match.turn))

    def quick_value(self, match, move, seat):
        """(lead of a seat after the move, length of its text: longer ones use more cards)."""
        if not self.has_tally:
            return 0, len(move)
        after = match.copy()
        after.step(move)
        return self.lead(after, seat), len(move)

    def lead(self, match, seat):
        """The points of the seat's side minus those of the best other side if the deal ended."""
        scores = list(match.scores)
        if match.turn is not None:
            for line in tally(match):
                scores = [score + points for score, points in zip(scores, line.points, strict=True)]
        side = next(i for i, seats in enumerate(self.sides) if seat in seats)
        # Where sides form during play, each seat has a score of its own.
        own = scores.pop(side if len(scores) == len(self.sides) else seat)
        return own - max(scores)


def tally(match):
    """The score sheet if the deal ended now; empty if the game keeps no tally."""
    return match.format.spec.tally(match.format, match.view(None))
