"""Run untrusted bots.

A `Sandbox` opens a `BotProcess` for each bot, behind all the layers that `detect` reports.

    with Sandbox(Limits(), warm=2) as sandbox:
        seat = sandbox.open(Program({"bot.py": source}), name="greedy")
        seat.send(b'{"type":"start",...}')
        seat.receive(timeout_s=5.0)
        ending = seat.close()
"""

from bots.sandbox.bot_process import BotProcess
from bots.sandbox.isolation import Isolation, detect
from bots.sandbox.model import (
    Exit,
    Limits,
    LineTooLong,
    Program,
    SandboxUnavailable,
    SeatClosed,
    SeatError,
    SeatTimeout,
    Usage,
)
from bots.sandbox.pinning import cores, pick_cpu, pin, unpin
from bots.sandbox.pool import Sandbox, sandbox_on_one_core

__all__ = [
    "BotProcess",
    "Exit",
    "Isolation",
    "Limits",
    "LineTooLong",
    "Program",
    "Sandbox",
    "SandboxUnavailable",
    "SeatClosed",
    "SeatError",
    "SeatTimeout",
    "Usage",
    "cores",
    "detect",
    "pick_cpu",
    "pin",
    "sandbox_on_one_core",
    "unpin",
]
