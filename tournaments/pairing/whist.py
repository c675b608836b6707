"""Whist movements: round robins with rotating partners.

Every entrant is the partner of every other equally often, and its opponent equally often. At tables
of two pairs this is the whist tournament (Moore 1896); in general it is a generalised whist
tournament design. A partition of the numbers into tables is moved cyclically; every difference of
two numbers occurs equally often between partners, and equally often between opponents. If the
tables leave one entrant over, the partition omits one number. For a prime number of entrants,
cosets of a subgroup form such a partition; searches found others (`whist_starters`).

For other numbers of entrants there is no such partition. A seeded local search (as in `designs`)
then finds a few base tables, which are moved cyclically. Every two entrants are partners λ or λ + 1
times, and opponents as evenly as the search finds. All play equally often; some sit out in each
round.
"""

import random
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from tournaments.pairing import designs
from tournaments.pairing.types import Pairing, Round
from tournaments.pairing.whist_starters import STARTERS

MAX_ENTRANTS = 64
"""Maximum number of entrants; movements are tested up to here."""

_STEPS = 12_000
"""Steps of the local search for each number of base tables."""

_TRIES = 3
"""How many numbers of base tables are tried, beginning with the theoretical minimum."""

_CYCLE = 4_000
"""Steps of one cooling cycle; then the temperature is reset."""


def whist_rounds(
    entrants: int, sizes: Sequence[int], *, seed: str, meetings: int = 1
) -> list[Round]:
    """All rounds; pairings list the partners of side 0, then those of side 1, …

    `sizes`: entrants of each side, all equal. Every two entrants are partners at least `meetings`
    times. `seed` decides the entrants' numbers in the movement and the order of the rounds. Raises
    ValueError if there are too few entrants for a table, or too many.
    """
    size, sides = _table(entrants, sizes, meetings)
    rng = random.Random(f"whist {seed}")
    numbers = designs.shuffled(range(entrants), rng)
    rounds: list[Round] = []
    for turn, scheme in enumerate(movement(entrants, size, sides, meetings)):
        for round_ in designs.shuffled(scheme, rng):
            renumbered = (tuple(numbers[i] for i in table) for table in round_)
            rounds.append(tuple(_rotate(table, size, turn) for table in renumbered))
    return rounds


def _table(entrants: int, sizes: Sequence[int], meetings: int) -> tuple[int, int]:
    """(entrants of a side, sides); ValueError for invalid arguments."""
    size, sides = sizes[0], len(sizes)
    if sides < 2 or size < 2 or set(sizes) != {size}:
        raise ValueError(f"Rotating partners need equally large sides; got {tuple(sizes)}.")
    if not 1 <= meetings <= 100:
        raise ValueError(f"Entrants must meet 1 to 100 times, not {meetings}.")
    if entrants < size * sides:
        entered = {0: "none has", 1: "1 has"}.get(entrants, f"{entrants} have")
        raise ValueError(
            f"Rotating partners need {size * sides} entrants or more here; {entered} entered."
        )
    if entrants > MAX_ENTRANTS:
        raise ValueError(
            f"A round robin with rotating partners takes at most {MAX_ENTRANTS} entrants; "
            f"{entrants} have entered."
        )
    return size, sides


@lru_cache(maxsize=256)
def movement(entrants: int, size: int, sides: int, meetings: int) -> tuple[tuple[Round, ...], ...]:
    """The rounds of each repetition; numbers stand for the entrants.

    One repetition may contain several meetings of every two entrants.
    """
    exact = _exact_rounds(entrants, size, sides)
    if exact:
        meetings_per_turn = size - 1  # of every two entrants, as partners
        return (exact,) * -(-meetings // meetings_per_turn)
    if entrants == size * sides and sides == 2:
        return (_splits(entrants, size),) * meetings
    base = _near_balanced(entrants, size, sides, meetings)
    tables = [
        tuple((number + move) % entrants for number in table)
        for table in base
        for move in range(entrants)
    ]
    return (tuple(designs.arrange_rounds(tables, entrants)),)


# --- exact movements ----------------------------------------------------------------------------


def _exact_rounds(entrants: int, size: int, sides: int) -> tuple[Round, ...]:
    """Rounds in which all are partners, and opponents, equally often; empty if none is known."""
    seats = size * sides
    starter = STARTERS.get((entrants, size, sides), ())
    if not starter and entrants % seats == 1 and _is_prime(entrants):
        starter = _cosets(entrants, size, sides)
    if not starter:
        return ()
    modulus = entrants - (entrants % seats == 0)
    first = [tuple(starter[i : i + seats]) for i in range(0, len(starter), seats)]
    return tuple(_move_round(first, move, modulus, size) for move in range(modulus))


def _move_round(first: Iterable[Pairing], move: int, modulus: int, size: int) -> Round:
    """The first round moved by `move`; -1 stands for the entrant that stays.

    That entrant has the highest number. Its table is rotated, so that it changes seats.
    """
    tables = []
    for table in first:
        moved = tuple(modulus if i < 0 else (i + move) % modulus for i in table)
        tables.append(_rotate(moved, size, move) if modulus in moved else moved)
    return tuple(tables)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % d for d in range(2, int(number**0.5) + 1))


def _cosets(prime: int, size: int, sides: int) -> Pairing:
    """The first round for prime = 1 + tables × seats: cosets of the subgroup of `seats` elements.

    A side is a coset of the subgroup of `size` elements. The differences of partners are then all
    numbers but 0, once for each partner; so are those of opponents.
    """
    root = _primitive_root(prime)
    tables = (prime - 1) // (size * sides)
    powers = [1]
    for _ in range(prime - 2):
        powers.append(powers[-1] * root % prime)
    return tuple(
        powers[table + tables * (side + sides * member)]
        for table in range(tables)
        for side in range(sides)
        for member in range(size)
    )


def _primitive_root(prime: int) -> int:
    """The least primitive root."""
    for root in range(2, prime):
        power, order = root, 1
        while power != 1:
            power, order = power * root % prime, order + 1
        if order == prime - 1:
            return root
    return 1


def _splits(entrants: int, size: int) -> tuple[Round, ...]:
    """Every way to split a single table into two sides."""
    rounds: list[Round] = []
    for mates in combinations(range(1, entrants), size - 1):
        others = tuple(i for i in range(1, entrants) if i not in mates)
        rounds.append((_rotate((0, *mates, *others), size, len(rounds)),))
    return tuple(rounds)


# --- near-balanced movements --------------------------------------------------------------------


class _PartnerSpread:
    """Counts of each difference ±d between partners and between opponents of base tables."""

    def __init__(self, entrants: int, size: int, sides: int, tables: int) -> None:
        """Aim at the two counts around each mean, or at the mean if it is whole."""
        seats, half = range(size * sides), entrants // 2
        self.classes = [min(d, entrants - d) for d in range(entrants)]
        self.kinds = [[int(i // size != j // size) for j in seats] for i in seats]
        """0 for seats of partners, 1 for seats of opponents."""
        ordered = (size * sides * (size - 1), size * size * sides * (sides - 1))
        self.penalties = []
        """By kind and difference: the penalty of each number of meetings; partners count double."""
        for kind in (0, 1):
            low, remainder = divmod(tables * ordered[kind], entrants - 1)
            max_count = tables * len(seats) ** 2
            # A difference of half the numbers gives the same pair from both of its ends.
            high = low + (remainder > 0)
            rows = [
                [_deviation(weight * n, low, high) * (2 - kind) for n in range(max_count)]
                for weight in (1, 2)
            ]
            self.penalties.append([rows[2 * d == entrants] for d in range(half + 1)])
        self.use = ([0] * (half + 1), [0] * (half + 1))
        """By kind and difference: how often the difference occurs."""

    def shift(self, table: Sequence[int], seat: int, number: int, by: int) -> int:
        """Add `by` (±1) to the counts of a seat's differences to the others; return the change of
        the cost."""
        change = 0
        for other, kind in zip(table, self.kinds[seat], strict=False):
            if other == table[seat]:
                continue  # the seat itself
            d = self.classes[abs(number - other)]
            use, penalty = self.use[kind], self.penalties[kind][d]
            count = use[d]
            use[d] = count + by
            change += penalty[count + by] - penalty[count]
        return change

    def cost(self, kind: int) -> int:
        """The deviation of partners (0) or opponents (1) from the aim."""
        rows = zip(self.penalties[kind][1:], self.use[kind][1:], strict=True)
        return sum(row[count] for row, count in rows)


def _deviation(count: int, low: int, high: int) -> int:
    """The squared deviation of a count from the range low … high."""
    return max(0, low - count, count - high) ** 2


def _near_balanced(entrants: int, size: int, sides: int, meetings: int) -> tuple[Pairing, ...]:
    """Base tables in which all partner each other equally often (λ or λ + 1 times), and oppose each
    other as evenly as the search finds."""
    min_tables = -(-meetings * (entrants - 1) // (sides * size * (size - 1)))
    best: tuple[int, tuple[Pairing, ...]] | None = None
    for tables in range(min_tables, min_tables + _TRIES):
        deviation, base_tables = _search(entrants, size, sides, tables)
        if base_tables and deviation == 0:
            return base_tables
        if base_tables and (best is None or deviation < best[0]):
            best = deviation, base_tables
    if best is None:
        raise ValueError(
            f"No balanced movement of {entrants} entrants at {sides} sides of {size} was found."
        )
    return best[1]


def _search(entrants: int, size: int, sides: int, tables: int) -> tuple[int, tuple[Pairing, ...]]:
    """(deviation of opponents, base tables) by annealing; no tables if partners are not even."""
    rng = random.Random(f"whist {entrants} {size} {sides} {tables}")
    spread = _PartnerSpread(entrants, size, sides, tables)
    seats = size * sides
    base_tables = [designs.shuffled(range(entrants), rng)[:seats] for _ in range(tables)]
    for table in base_tables:
        for seat, number in enumerate(table):
            spread.shift(table[: seat + 1], seat, number, 1)
    partners, opponents = spread.cost(0), spread.cost(1)
    cost, best, best_base = partners + opponents, 1 << 30, tuple[Pairing, ...]()
    for step in range(_STEPS):
        if cost < best and spread.cost(0) == 0:
            best, best_base = cost, tuple(tuple(table) for table in base_tables)
        if cost == 0:
            break
        table = base_tables[int(rng.random() * tables)]
        seat, number = int(rng.random() * seats), int(rng.random() * entrants)
        if number in table:
            continue  # swapping seats at a table would change little
        old = table[seat]
        change = spread.shift(table, seat, old, -1) + spread.shift(table, seat, number, 1)
        if change <= 0 or rng.random() < _tolerance(step, change):
            table[seat] = number
            cost += change
        else:
            spread.shift(table, seat, number, -1)
            spread.shift(table, seat, old, 1)
    return best, best_base


def _tolerance(step: int, change: int) -> float:
    """The probability of keeping a change for the worse; as in `designs`, without `exp`."""
    temperature = 0.02 + 0.33 * (1 - (step % _CYCLE) / _CYCLE)
    chance = 1.0
    for _ in range(min(change, 8)):
        chance *= temperature
    return chance


def _rotate(table: Pairing, size: int, turn: int) -> Pairing:
    """The table with its sides rotated, and the partners of each side rotated."""
    sides = [table[i : i + size] for i in range(0, len(table), size)]
    shift = turn % len(sides)
    sides = sides[shift:] + sides[:shift]
    step = turn // len(sides) % size
    return tuple(entrant for side in sides for entrant in side[step:] + side[:step])
