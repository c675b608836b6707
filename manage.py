#!/usr/bin/env python
"""Django's command line for the site. The project lives in platform/cardroom."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "platform"))

from cardroom.__main__ import main

if __name__ == "__main__":
    main()
