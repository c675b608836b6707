"""Checks of values that people enter; a refusal names the field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class FieldError(ValueError):
    """An invalid value, with a sentence for people and the field's path for programs.

    A path looks like `move_ms` or `stages[1].settings.rounds`; indices count from 0.
    """

    def __init__(self, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.field = field

    def within(self, outer: str) -> FieldError:
        """The same error with `outer` in front of the path."""
        return FieldError(str(self), f"{outer}.{self.field}" if self.field else outer)


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """The valid range of a whole number."""

    name: str
    """The name of the number in the error's sentence."""

    low: int
    high: int
    unit: str = ""
    """The unit in the error's sentence, such as `milliseconds`; empty for a count."""

    def check(self, value: object, field: str) -> int:
        """Return the value; FieldError, which states the range, if it is no such number."""
        # True is an int in Python.
        number = value if isinstance(value, int) and not isinstance(value, bool) else None
        if number is not None and self.low <= number <= self.high:
            return number
        unit_phrase = f" of {self.unit}" if self.unit else ""
        raise FieldError(
            f"{self.name} must be a whole number{unit_phrase} from {self.low} to {self.high}.",
            field,
        )


def alternatives(names: Sequence[str]) -> str:
    """The names as text: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
