"""Frames as seen by one seat."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format, IllegalMove, Match, Record, all_formats
from engine.frames import opening_frames, play_with_frames
from engine.player_view import events_of, view_of


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_frames_equal_the_records_frames_for_each_seat(fmt: Format) -> None:
    match, rng = Match(fmt, seed="seen"), Random(str(fmt))
    viewers = [*range(fmt.seats), None]
    frames = [opening_frames(match, viewers)]
    for _ in range(25):
        if match.turn is None:
            break
        frames += play_with_frames(match, rng.choice(match.legal_moves()), viewers)
        for seat in viewers:
            assert frames[-1][seat]["view"] == view_of(match, seat)
    record = Record.of(match)
    record_frames = list(record.frames())
    assert len(record_frames) == len(frames)
    for record_frame, seat_frames in zip(record_frames, frames, strict=True):
        for seat in viewers:
            frame = seat_frames[seat]
            common_keys = ("n", "seat", "move", "deal", "clause", "marks")
            assert [frame[key] for key in common_keys] == [record_frame[key] for key in common_keys]
            if seat is None:
                assert frame["sentence"] == record_frame["sentence"]
            assert bool(frame["sentence"]) == bool(record_frame["sentence"])
            assert set(frame) == set(record_frame)


def test_only_the_drawing_seat_sees_the_card() -> None:
    match = Match("canasta/classic/1v1", seed="draw")
    [frames] = play_with_frames(match, "draw", [0, 1, None])
    own, other, spectator = (frames[seat]["sentence"] for seat in (0, 1, None))
    assert own.startswith("You draw one card. It is the")
    assert other == "South draws one card."
    assert other == spectator
    assert "cards" not in frames[1]["events"][0]


def test_spectators_see_only_public_parts() -> None:
    match, rng = Match("paks/standard/2v2", seed="watch"), Random(1)
    for _ in range(30):
        match.play(rng.choice(match.legal_moves()))
        open_view = view_of(match, None)
        assert (open_view["seat"], open_view["hand"]) == (None, [])
        views = [match.view(seat) for seat in range(4)]
        for key, value in open_view.items():
            if key not in {"seat", "hand"} and value not in (None, []):
                assert all(view[key] == value for view in views) or isinstance(value, list | dict)
    hidden = {key for event in match.events(None) for key in event.get("hidden", {})}
    assert hidden
    assert all("hidden" not in event for event in events_of(match, None))


def test_hidden_moves_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match("canasta/classic/1v1", seed="draw")
    monkeypatch.setattr(type(match.format.spec), "open_moves", False)
    [frames] = play_with_frames(match, "draw", [0, 1, None])
    assert [frames[seat]["move"] for seat in (0, 1, None)] == ["draw", "", ""]
    match = Match("cassino/standard/1v1", seed="draw")
    monkeypatch.setattr(type(match.format.spec), "open_moves", False)
    move = match.legal_moves()[0]
    [frames] = play_with_frames(match, move, [0, 1, None])
    assert [frames[seat]["move"] for seat in (0, 1, None)] == [move] * 3, "the log says it to all"


def test_an_illegal_move_changes_nothing() -> None:
    match = Match("cassino/standard/1v1", seed="draw")
    with pytest.raises(IllegalMove):
        play_with_frames(match, "nothing", [0])
    assert (match.moves, match.turn) == ([], 0)
