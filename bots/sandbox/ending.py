"""Determine what ended a bot, from facts of the kernel and the sandbox, never from its output."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final, Literal

from bots.runner import runner
from bots.sandbox.model import Exit, Limits, Usage

_CPU_SHARE: Final = 0.75  # the kernel counts RLIMIT_CPU by clock ticks, not exactly
# A bot that crashed with this share of its memory limit counts as out of memory.
_MEMORY_SHARE: Final = 0.9
_LOG_END: Final = 4096

Cut = Literal["output", "memory", "killed"]


@dataclass(frozen=True, slots=True)
class Facts:
    """The known facts of a bot's end.

    status: the kernel's: an exit status, or minus the number of a signal.
    cut: why we ended the bot, if we did.
    sandbox_signal: the signal that ended bubblewrap, which no bot can reach; 0 if none did.
    runner_locked: whether the runner had locked itself in; before that, no code of the bot has run.
    exceeded_limit: whether the kernel killed the bot for exceeding its own memory limit.
    killed_below_limit: whether the kernel killed processes because the whole machine ran out of
        memory while the bot ran, and the bot stayed below its limit.
    log: the end of the bot's log.
    """

    status: int
    usage: Usage
    cut: Cut | None = None
    sandbox_signal: int = 0
    runner_locked: bool = True
    exceeded_limit: bool = False
    killed_below_limit: bool = False
    log: bytes = b""


def describe_end(facts: Facts, limits: Limits) -> Exit:
    """How the seat ended. Unless the facts show another cause, the bot itself caused it."""
    code, number = (facts.status, None) if facts.status >= 0 else (None, -facts.status)
    reason = _reason(facts, limits, code, number)
    return Exit(code, number, reason, _sentence(reason, facts, limits))


def _reason(facts: Facts, limits: Limits, code: int | None, number: int | None) -> str:
    usage = facts.usage
    if facts.cut in ("output", "memory"):
        return facts.cut
    if facts.exceeded_limit:
        return "memory"
    if facts.cut is not None:
        return facts.cut
    if facts.sandbox_signal:
        return "outside"
    if not facts.runner_locked and code != 0:
        return "disk" if code == runner.EXIT_FILES else "outside"
    if number is None:
        return "exited"
    if (
        number in (signal.SIGKILL, signal.SIGXCPU)
        and usage.cpu_ms >= limits.cpu_s * 1e3 * _CPU_SHARE
    ):
        return "cpu"
    if number == signal.SIGKILL:
        return "outside" if facts.killed_below_limit else "crashed"
    memory_full = usage.peak_memory_kib >= limits.memory_mib * 1024 * _MEMORY_SHARE
    return "memory" if memory_full else "crashed"


def _sentence(reason: str, facts: Facts, limits: Limits) -> str:
    match reason:
        case "output":
            return f"The bot sent more than {limits.output_bytes} bytes of answers in total."
        case "memory":
            return f"The bot needed more than {limits.memory_mib} MiB of memory."
        case "cpu":
            return f"The bot used up its {limits.cpu_s} s of processor time."
        case "disk":
            return f"The bot's files cannot be unpacked into {limits.disk_mib} MiB."
        case "killed":
            return "The bot was stopped."
        case "outside":
            return _outside_text(facts)
        case "crashed":
            return _crash_text(-facts.status)
    if facts.log[-_LOG_END:].rstrip().rpartition(b"\n")[2].startswith(b"MemoryError"):
        return (
            f"The bot exited with status {facts.status}; its log ends with a MemoryError. "
            f"It may use {limits.memory_mib} MiB."
        )
    return f"The bot exited with status {facts.status}."


def _outside_text(facts: Facts) -> str:
    if facts.sandbox_signal:
        return f"The sandbox itself was ended by {_signal_text(facts.sandbox_signal)}."
    if not facts.runner_locked:
        last_line = facts.log[-_LOG_END:].decode(errors="replace").strip().rpartition("\n")[2]
        return f"The sandbox failed before the bot began: {last_line or f'status {facts.status}'}."
    return (
        "The machine ran out of memory, and its kernel killed the bot, which was below its limit."
    )


def _crash_text(number: int) -> str:
    if number == signal.SIGKILL:
        return (
            f"The bot was killed by {_signal_text(number)}. Nothing shows that this machine ran "
            "out of memory, so the bot is held responsible."
        )
    if number == signal.SIGSYS:
        return (
            f"The bot crashed: {_signal_text(number)}. It made a system call that no bot may make, "
            "or exited with a status above 127."
        )
    return f"The bot crashed: {_signal_text(number)}."


def _signal_text(number: int) -> str:
    """A signal's number, with its name if it has one."""
    try:
        name = signal.strsignal(number)
    except ValueError:
        name = None
    return f"signal {number} ({name})" if name else f"signal {number}"
