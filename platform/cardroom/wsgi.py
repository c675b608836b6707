"""The site as a WSGI application, for `cardroom.web` or any other server."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cardroom.settings")
_site = get_wsgi_application()

from cardroom.middleware import readable_content_type  # noqa: E402
from cardroom.system_checks import log_at_start  # noqa: E402 - both need the settings

log_at_start()


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Answer a request.

    The site is always at the root of its address, because some servers read another path from a
    header, which strangers can set.
    """
    environ["SCRIPT_NAME"] = ""
    environ["CONTENT_TYPE"] = readable_content_type(environ.get("CONTENT_TYPE", ""))
    return _site(environ, start_response)
