#!/usr/bin/env python
"""Django's command line for the site. The project lives in platform/cardroom."""

import os
import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent / "platform"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")
    os.environ.setdefault("DJANGO_COLORS", "nocolor")  # strangers may send escapes
    try:
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.exit("Django is not installed here. Run `make demo` once, then use .venv/bin/python.")
    from cardroom_base.core.safe_text import guard_streams

    guard_streams()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
