"""The JSON that Cassino and Zwicker share. In Zwicker every seat is a side."""

from typing import Annotated, Literal

from engine.json_types import NewHands, Sheet, View


class FishingView(View):
    """The keys of views that both games have."""

    captured: Annotated[list[list[str]], "The captured cards of each side, in card order."]
    captured_counts: Annotated[list[int], "The number of captured cards, by side."]
    last_capture: Annotated[int | None, "The side that captured last in this deal."]
    target: Annotated[int, "The score that ends the match; 0: none."]
    deals: Annotated[int, "The match ends after this many deals at the latest."]


class DealEvent(NewHands):
    """The cards were dealt."""

    type: Literal["deal"]
    table: Annotated[list[str], "The cards laid on the table."]


class FishingSheet(Sheet):
    """The keys of score sheets that both games have."""

    captured_counts: Annotated[list[int], "The number of captured cards, by side."]
