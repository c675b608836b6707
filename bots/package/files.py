"""Open files that users name, without waiting or reading for ever."""

from __future__ import annotations

import errno
import os
import stat
from io import BytesIO
from pathlib import Path
from typing import IO

from bots.limits import size_text


def open_plain(path: Path, pipe_limit: int) -> IO[bytes]:
    """Open a plain file, or read a pipe, such as `/dev/stdin`, into memory.

    Raises OSError for folders and devices, and for a pipe with more than `pipe_limit` bytes. A
    named pipe to which nobody writes is empty.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    os.set_blocking(descriptor, True)
    file = os.fdopen(descriptor, "rb")
    if stat.S_ISREG(mode):
        return file
    with file:
        content = file.read(pipe_limit + 1)
    if len(content) > pipe_limit:
        raise _too_long(path, pipe_limit)
    return BytesIO(content)


def read_limited(path: Path, limit: int) -> bytes:
    """The content of a plain file or a pipe; OSError as `open_plain`, or if it is longer."""
    with open_plain(path, limit) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise _too_long(path, limit)
    return content


def _too_long(path: Path, limit: int) -> OSError:
    return OSError(errno.EFBIG, f"it is longer than {size_text(limit)}", str(path))
