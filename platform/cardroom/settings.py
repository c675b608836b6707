"""Settings of the site.

Everything that differs between a laptop and a production site comes from the environment
(`cardroom.environment`); docs/04-operations.md explains each variable.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import dj_email_url
from celery.schedules import crontab
from django.contrib.messages import constants as message_levels

from bots.limits import MAX_UPLOAD
from cardroom import environment
from cardroom.brokers import celery_url, transport_options
from cardroom.database_options import with_limits
from cardroom.embedded_broker import socket_path
from cardroom_base.core.request_limits import MAX_FIELDS, MAX_UPLOADS

BASE_DIR = Path(__file__).resolve().parents[2]
IN_CHECKOUT = (BASE_DIR / "manage.py").is_file()

# --- the environment: settings that differ between sites ----------------------------------------

env = environment.env
environment.drop_blank(os.environ, keep=["CARDROOM_DUMP_AT", "CARDROOM_LIBRARIES"])
_count = partial(env.int, validate=environment.NOT_NEGATIVE)
_days = partial(env.float, validate=environment.NOT_NEGATIVE)

VAR_DIR = env.path("CARDROOM_VAR", (BASE_DIR if IN_CHECKOUT else Path.cwd()) / "var")
_DATABASE = env.dj_db_url(
    "DATABASE_URL",
    f"sqlite:///{VAR_DIR / 'cardroom.sqlite3'}",
    conn_max_age=60,
    conn_health_checks=True,
)
_REDIS_URL = env.str("REDIS_URL", "", validate=environment.redis)
_BROKER_URL = env.str("CARDROOM_BROKER_URL", _REDIS_URL, validate=environment.broker)
ALLOWED_HOSTS = env.list(
    "CARDROOM_HOSTS",
    ["localhost", "127.0.0.1", "[::1]"],
    subcast=str.strip,
    validate=environment.words,
)
_KEY = env.str("CARDROOM_SECRET_KEY", "")
HTTPS = env.bool("CARDROOM_HTTPS", default=False)
TRUSTED_PROXIES = env.list(
    "CARDROOM_TRUSTED_PROXIES", [], subcast=str.strip, validate=environment.proxies
)
_HSTS = _count("CARDROOM_HSTS", 365 * 86400)
# The server that sends mail, and the sender. Without one no page offers mail.
_MAIL_URL = env.str("CARDROOM_MAIL_URL", "", validate=environment.mail)
_MAIL_FROM = env.str("CARDROOM_MAIL_FROM", "")
# Days for which a link to set a password is valid.
LINK_DAYS = env.float("CARDROOM_LINK_DAYS", 7.0, validate=environment.at_least(0.01))
# Networks in which many people share an address, such as a lecture hall: they have no limits by
# address.
TRUSTED_NETWORKS = env.list(
    "CARDROOM_TRUSTED_NETWORKS", [], subcast=str.strip, validate=environment.networks
)
# Who may sign up: everybody (open), people with the code, people with the provider's account, or
# nobody (closed), so that only staff create accounts.
SIGNUP = env.str("CARDROOM_SIGNUP", "open", validate=environment.SIGNUP)
SIGNUP_CODE = env.str("CARDROOM_SIGNUP_CODE", "", validate=environment.CODE)
# Everybody with an account creates tournaments (all), or only staff and the group `organizer`.
ORGANIZERS = env.str("CARDROOM_ORGANIZERS", "all", validate=environment.ORGANIZERS)
# A provider of accounts (OpenID Connect): its address, our client there, its name on pages.
OIDC_URL = env.str("CARDROOM_OIDC_URL", "", validate=environment.issuer)
_OIDC_CLIENT = env.str("CARDROOM_OIDC_CLIENT", "")
_OIDC_SECRET = env.str("CARDROOM_OIDC_SECRET", "")
OIDC_NAME = env.str("CARDROOM_OIDC_NAME", "another account")
# Clients that send this token, or are in these networks, may read /metrics.
METRICS_TOKEN = env.str("CARDROOM_METRICS_TOKEN", "", validate=environment.TOKEN)
METRICS_NETWORKS = env.list(
    "CARDROOM_METRICS_NETWORKS", [], subcast=str.strip, validate=environment.networks
)
SENTRY_DSN = env.str("CARDROOM_SENTRY_DSN", "", validate=environment.sentry)
_LOG = env.str("CARDROOM_LOG", "INFO", validate=environment.LEVEL)
_LOG_FORMAT = env.str("CARDROOM_LOG_FORMAT", "text", validate=environment.LOG_FORMAT)
DEBUG = env.bool("CARDROOM_DEBUG", default=False)
# Seconds in which a stopping worker's matches and checks may end normally.
DRAIN_SECONDS = env.float("CARDROOM_DRAIN_SECONDS", 20.0, validate=environment.NOT_NEGATIVE)
# Set this if only the workers' machines have a sandbox; otherwise the web server refuses uploads.
WORKERS_ELSEWHERE = env.bool("CARDROOM_WORKERS_ELSEWHERE", default=False)
# Tables that one host serves at the same time: one thread each, which waits while bots think.
TABLE_WORKERS = env.int("CARDROOM_TABLE_WORKERS", 4, validate=environment.at_least(1))
# Memory limit of all bots of one host together; None: a quarter of the machine's memory.
TABLE_MEMORY_MB = env.int("CARDROOM_TABLE_MEMORY_MB", None, validate=environment.at_least(64))
# Playouts for each decision of an analysis.
ANALYSIS_PLAYOUTS = env.int("CARDROOM_ANALYSIS_PLAYOUTS", 400, validate=environment.at_least(2))
# The dump of all public data: its folder, licence (empty: none is stated) and time (UTC; empty:
# never).
DUMP_DIR = env.path("CARDROOM_DUMP_DIR", VAR_DIR / "dumps")
DUMP_LICENCE = env.str("CARDROOM_DUMP_LICENCE", "")
DUMP_AT = env.str("CARDROOM_DUMP_AT", "03:15", validate=environment.TIME_OF_DAY)

# Quotas. For each author: matches in play, bots, uploads in 24 hours, unfinished checks, entries in
# one tournament.
MAX_PLAYING_PER_AUTHOR = _count("CARDROOM_MAX_PLAYING_PER_AUTHOR", 64)
MAX_BOTS = _count("CARDROOM_MAX_BOTS", 50)
MAX_VERSIONS_PER_DAY = _count("CARDROOM_MAX_VERSIONS_PER_DAY", 200)
MAX_WAITING_CHECKS = _count("CARDROOM_MAX_WAITING_CHECKS", 10)
MAX_ENTRIES_PER_AUTHOR = _count("CARDROOM_MAX_ENTRIES_PER_AUTHOR", 16)
# For each organizer: drafts, open or running tournaments. Staff may have any number.
MAX_DRAFTS = _count("CARDROOM_MAX_DRAFTS", 50)
MAX_ACTIVE_TOURNAMENTS = _count("CARDROOM_MAX_ACTIVE_TOURNAMENTS", 20)
# For each person: challenges in play and in 24 hours, analyses requested in 24 hours, and openings,
# announcements and requests to partners in 24 hours, of which others are notified.
MAX_CHALLENGES = _count("CARDROOM_MAX_CHALLENGES", 3)
MAX_CHALLENGES_PER_DAY = _count("CARDROOM_MAX_CHALLENGES_PER_DAY", 40)
MAX_ANALYSES_PER_DAY = _count("CARDROOM_MAX_ANALYSES_PER_DAY", 20)
MAX_NOTIFYING_PER_DAY = _count("CARDROOM_MAX_NOTIFYING_PER_DAY", 50)
# Unfinished tables: for each guest, address (without idle ones) and account.
MAX_TABLES_PER_GUEST = _count("CARDROOM_MAX_TABLES_PER_GUEST", 5)
MAX_TABLES_PER_ADDRESS = _count("CARDROOM_MAX_TABLES_PER_ADDRESS", 40)
MAX_TABLES_PER_ACCOUNT = _count("CARDROOM_MAX_TABLES_PER_ACCOUNT", 20)
# For the site: automatic analyses in 24 hours, waiting exports, and the bytes of all export files
# in the database.
AUTOMATIC_ANALYSES_PER_DAY = _count("CARDROOM_AUTOMATIC_ANALYSES_PER_DAY", 6)
MAX_WAITING_EXPORTS = _count("CARDROOM_MAX_WAITING_EXPORTS", 20)
_EXPORTS_MB = _count("CARDROOM_MAX_EXPORTS_MB", 2048)
# Retention. Tables count from their last move.
DUMPS_KEPT = env.int("CARDROOM_DUMPS_KEPT", 7, validate=environment.at_least(1))
EXPORTS_KEPT_DAYS = _days("CARDROOM_EXPORTS_KEPT_DAYS", 7.0)
RESTING_TABLES_KEPT_DAYS = _days("CARDROOM_RESTING_TABLES_KEPT_DAYS", 7.0)
FINISHED_TABLES_KEPT_DAYS = _days("CARDROOM_FINISHED_TABLES_KEPT_DAYS", 90.0)

environment.seal(os.environ)
if SIGNUP == "code" and not SIGNUP_CODE:
    raise environment.WrongEnvironment("CARDROOM_SIGNUP=code needs a CARDROOM_SIGNUP_CODE.")
if SIGNUP == "provider" and not OIDC_URL:
    raise environment.WrongEnvironment("CARDROOM_SIGNUP=provider needs a CARDROOM_OIDC_URL.")
if OIDC_URL and not (_OIDC_CLIENT and _OIDC_SECRET):
    raise environment.WrongEnvironment(
        "CARDROOM_OIDC_URL needs a CARDROOM_OIDC_CLIENT and a CARDROOM_OIDC_SECRET."
    )
MAX_EXPORTS_BYTES = _EXPORTS_MB << 20
try:
    VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
except OSError as error:
    raise environment.WrongEnvironment(
        f"The folder {VAR_DIR} (CARDROOM_VAR) cannot be created: {error.strerror}."
    ) from None

# --- security of sessions -----------------------------------------------------------------------


def _secret_key() -> str:
    """The key of this installation, created once, so that sessions survive a restart."""
    if _KEY:
        return _KEY
    path = VAR_DIR / "secret-key"
    if not path.exists():
        new = path.with_name(f"{path.name}.{os.getpid()}")
        new.touch(mode=0o600)
        new.write_text(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):  # another process was first
            os.link(new, path)
        new.unlink()
    return path.read_text()


SECRET_KEY = _secret_key()
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if host[0].isalpha()]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_filters",
    "django_htmx",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "rest_framework",
    "axes",
    "cardroom_base",
    "bots",
    "tournaments",
    "cardroom_tables",
    "cardroom",  # its templates replace those of the apps below
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
]

MIDDLEWARE = [
    "cardroom.addresses.TrustedProxies",  # must precede all uses of a request's origin
    "cardroom.probes.Probes",  # must precede the checks of host and HTTPS
    "cardroom.middleware.AccessLog",
    "cardroom.middleware.SecurityHeaders",  # outermost, so that every response passes through it
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "cardroom.middleware.Compression",
    "cardroom.middleware.RequestLimits",
    "cardroom.middleware.ServiceUnavailable",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "cardroom.throttles.LimitAccountPages",
    "cardroom_base.rest.strict_query.KnownParameters",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "cardroom.urls"
WSGI_APPLICATION = "cardroom.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "cardroom.pages.common.context.site_context",
            ],
        },
    },
]

# --- database -----------------------------------------------------------------------------------

DATABASES = {"default": with_limits(_DATABASE)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- accounts -----------------------------------------------------------------------------------

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = ["cardroom.logins.Backend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
PASSWORD_RESET_TIMEOUT = round(LINK_DAYS * 86400)

MAIL = bool(_MAIL_URL)
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
if MAIL:
    vars().update(dj_email_url.parse(_MAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = _MAIL_FROM or f"cardroom@{ALLOWED_HOSTS[0]}"

ACCOUNT_ADAPTER = "cardroom.account_adapter.AccountAdapter"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_EMAIL_NOTIFICATIONS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Cardroom] "
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_VERIFICATION = "optional" if MAIL else "none"
ACCOUNT_FORMS = {
    "add_email": "cardroom.pages.site.account_forms.AddEmailForm",
    "change_password": "cardroom.pages.site.account_forms.ChangePasswordForm",
    "login": "cardroom.pages.site.account_forms.LoginForm",
    "reset_password": "cardroom.pages.site.account_forms.ResetPasswordForm",
    "reset_password_from_key": "cardroom.pages.site.account_forms.NewPasswordForm",
    "set_password": "cardroom.pages.site.account_forms.SetPasswordForm",
    "signup": "cardroom.pages.site.account_forms.SignUpForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_PREVENT_ENUMERATION = "strict"  # a sign-up does not tell whose address is known
# cardroom/throttles.py limits requests by address, because trusted networks have no such limits;
# cardroom/logins.py limits wrong passwords. `login_failed` limits wrong second factors.
ACCOUNT_RATE_LIMITS = {
    "confirm_email": "1/3m/key",
    "login": None,
    "login_failed": "10/5m/key",
    "request_login_code": None,
    "reset_password": "5/h/key",
    "reset_password_from_key": None,
    "signup": None,
}
ACCOUNT_REAUTHENTICATION_METHODS = ("password", "mfa", *(["code"] if MAIL else []))
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_SIGNUP_FORM_CLASS = "cardroom.signup_code.SignUpCode"
ACCOUNT_SIGNUP_REDIRECT_URL = "upload"

MFA_ALLOW_UNVERIFIED_EMAIL = True  # people log in by name, so nobody can claim an address this way
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RATE_LIMITS = {"webauthn_login": None}  # see ACCOUNT_RATE_LIMITS
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Cardroom"
MFA_TOTP_TOLERANCE = 1  # clocks of telephones and servers may differ by half a minute
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS

SOCIALACCOUNT_ADAPTER = "cardroom.account_adapter.ProviderAdapter"
SOCIALACCOUNT_AUTO_SIGNUP = False  # names are public, so people choose them
SOCIALACCOUNT_FORMS = {"signup": "cardroom.pages.site.account_forms.ProviderSignUpForm"}
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "site",
                "name": OIDC_NAME,
                "client_id": _OIDC_CLIENT,
                "secret": _OIDC_SECRET,
                "settings": {"server_url": OIDC_URL},
            }
        ]
        if OIDC_URL
        else [],
    }
}

# --- language, time, files ----------------------------------------------------------------------

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "cardroom.static_files.Storage"
        if not DEBUG
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
# Source maps (`map`) are most of the files, and only developers load them.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (
    "jpg",
    "jpeg",
    "png",
    "gif",
    "webp",
    "woff",
    "woff2",
    "zip",
    "gz",
    "tgz",
    "bz2",
    "tbz",
    "xz",
    "br",
    "map",
)
# cardroom.middleware.RequestLimits bounds the length of bodies; these settings bound their content.
DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = MAX_UPLOAD
DATA_UPLOAD_MAX_NUMBER_FIELDS = MAX_FIELDS
DATA_UPLOAD_MAX_NUMBER_FILES = MAX_UPLOADS

# --- security -----------------------------------------------------------------------------------

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = 14 * 86400
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True  # but not the CSRF cookie, which /api/docs/ reads for its requests
# Cookies, because the storage in sessions would create one for each visitor that gets a message.
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
MESSAGE_TAGS = {message_levels.SUCCESS: "good", message_levels.ERROR: "bad"}
CSRF_FAILURE_VIEW = "cardroom.error_responses.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = _HSTS
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    # Browsers' preload lists cover whole domains, which the domain's owner decides.
    SILENCED_SYSTEM_CHECKS = ["security.W021"]
    # Browsers accept cookies with these names only over HTTPS and from exactly this host.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"

# Wrong passwords; the limits are in cardroom/logins.py.
AXES_HANDLER = "cardroom.logins.Handler"
AXES_FAILURE_LIMIT = "cardroom.logins.failure_limit"
AXES_COOLOFF_TIME = timedelta(hours=1)
AXES_LOCKOUT_CALLABLE = "cardroom.logins.refuse"
AXES_CLIENT_IP_CALLABLE = "cardroom.logins.client_address"
AXES_CLIENT_STR_CALLABLE = "cardroom.logins.describe_client"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # attempts during a wait do not extend it
AXES_DISABLE_ACCESS_LOG = True  # axes stores every log-in; we store one row per address
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = [
    "username",
    "ip_address",
    "login",
    "oldpassword",
    "password",
    "password1",
    "password2",
    "csrfmiddlewaretoken",
]

# --- REST ---------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "cardroom.api.authentication.ScopedTokens",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["bots.api.permissions.HasAccountOrReads"],
    # Uploads, the only forms, have a parser of their own.
    "DEFAULT_PARSER_CLASSES": ["cardroom_base.rest.parsers.BoundedJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "cardroom_base.rest.negotiation.OneRepresentation",
    "DEFAULT_FILTER_BACKENDS": [
        "django_filters.rest_framework.DjangoFilterBackend",
        "cardroom_base.rest.keyset.KeyOrdering",
    ],
    "DEFAULT_PAGINATION_CLASS": "cardroom_base.rest.keyset.KeyPages",
    "DEFAULT_SCHEMA_CLASS": "cardroom.api.openapi.Schema",
    "DEFAULT_THROTTLE_CLASSES": [
        "cardroom.throttles.AnonThrottle",
        "cardroom.throttles.UserThrottle",
        "cardroom.throttles.ScopedThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "anon": "600/min",
        "user": "1200/min",
        "upload": "60/hour",
        "token": "10/min",
        "signup": "20/hour",
        "account": "60/min",
        "export": "6/hour",
        "pictures": "120/min",
        "table": "60/hour",
        "join": "30/hour",
        "opinion": "120/hour",
    },
    "EXCEPTION_HANDLER": "cardroom_base.rest.problems.handle",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Cardroom",
    "DESCRIPTION": "Bots, tournaments, matches and ratings.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "PATH_CONVERTER_OVERRIDES": {"bot": str},
    "ENUM_NAME_OVERRIDES": {
        "VersionStatus": "bots.models.BotVersion.Status",
        "StepStatus": ["waiting", "running", "ok", "failed"],
        "TournamentState": "tournaments.models.Tournament.State",
        "MatchState": "tournaments.models.Match.State",
        "FaultPolicy": "tournaments.models.Tournament.FaultPolicy",
        "AttemptOutcome": "tournaments.models.Attempt.Outcome",
        "OptionType": ["bool", "int", "choice"],
        "PairingSystem": ["round-robin"],
        "NotificationKind": "cardroom_base.models.Notification.Kind",
        "WebhookState": "cardroom_base.models.Webhook.State",
        "DeliveryState": ["waiting", "delivered", "failed"],
    },
}

# --- cache, queue -------------------------------------------------------------------------------

# The embedded broker listens on a Unix socket, in var/ if its path is short enough.
EMBEDDED_SOCKET = socket_path(VAR_DIR)
# For a Unix socket, Celery has the scheme `redis+socket`, and redis-py `unix`.
REDIS_URL = _REDIS_URL.replace("redis+socket://", "unix://", 1)
# All web processes share it: throttles count once per site, not once per process.
_SHARED_CACHE = {"BACKEND": "cardroom.cache.SharedCache", "LOCATION": REDIS_URL}
_OWN_CACHE = {
    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
    "OPTIONS": {"MAX_ENTRIES": 20_000},  # an evicted counter restarts at zero
}
CACHES = {"default": _SHARED_CACHE if REDIS_URL else _OWN_CACHE}
EMBEDDED_BROKER = not _BROKER_URL
CELERY_BROKER_URL = celery_url(_BROKER_URL or f"unix://{EMBEDDED_SOCKET}")
CELERY_BROKER_TRANSPORT_OPTIONS = transport_options(CELERY_BROKER_URL)
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
# A message contains no work; it announces work in the database.
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_RESULT_EXPIRES = None  # there are no results to delete
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
# This applies only to tasks that are acknowledged late; there are none.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_ROUTES = {
    "tournaments.tasks.play_matches": {"queue": "matches"},
    "tournaments.tasks.analyse_matches": {"queue": "matches"},
    "bots.tasks.check_version": {"queue": "checks"},
    "cardroom_tables.tasks.seat_bots": {"queue": "tables"},
    "cardroom_tables.tasks.give_hint": {"queue": "tables"},
    "cardroom_tables.tasks.compare_deals": {"queue": "tables"},
    "cardroom_tables.tasks.give_opinion": {"queue": "tables"},
    "cardroom.housekeeping.*": {"queue": "housekeeping"},
}
# Tasks that the outbox requests. The housekeeper reads these rows, so no message is sent.
HOUSEKEEPER_TASKS = (
    "tournaments.tasks.advance_tournament",
    "tournaments.tasks.refresh_ratings",
    "tournaments.tasks.try_candidate",
)
# Tasks of cardroom/housekeeping.py, and their intervals in seconds; `celery beat` sends them. A
# message expires after a minute, since the next one requests the same task. Beat stores no
# schedule, so a starting site does not catch up on missed tasks.
CELERY_BEAT_SCHEDULER = "cardroom.beat:Scheduler"
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    name: {
        "task": f"cardroom.housekeeping.{name}",
        "schedule": seconds,
        "options": {"expires": 60.0},
    }
    for name, seconds in {
        "advance": 0.5,
        "asked_ratings": 2.0,
        "relay": 5.0,
        "keep": 5.0,
        "sweep": 5.0,
        "schedule": 5.0,
        "tables": 5.0,
        "deliver": 5.0,
        "ratings": 5.0,
        "exports": 600.0,
        "old_tables": 600.0,
        "door": 600.0,
    }.items()
}
if DUMP_AT:
    CELERY_BEAT_SCHEDULE["dump"] = {
        "task": "cardroom.housekeeping.dump",
        "schedule": crontab(hour=DUMP_AT[:2], minute=DUMP_AT[3:]),
        "options": {"expires": 3600.0},
    }

# --- matches ------------------------------------------------------------------------------------

# Copies of bot packages on this machine's disk.
PACKAGE_CACHE = VAR_DIR / "packages"
# Sandboxes that wait in each worker process for a bot: two matches of two seats.
WARM_SANDBOXES = 4

LEASE_SECONDS = 60
HEARTBEAT_SECONDS = 10
MAX_ATTEMPTS = 5
# Lost attempts of a match after which its deal group gets new cards.
MAX_LOST = 2

_LINES: dict[str, dict[str, str]] = {
    "text": {
        "()": "cardroom.logs.Lines",
        "format": "{asctime} {levelname} {name}: {message}",
        "style": "{",
    },
    "json": {"()": "cardroom.json_logs.JsonLines"},
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": _LINES[_LOG_FORMAT]},
    "handlers": {"console": {"()": "cardroom.logs.Console", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": _LOG},
    # These log every log-in and every message; only failures are warnings.
    "loggers": {
        name: {"level": "WARNING"}
        for name in (
            "axes",
            "celery.app.trace",
            "celery.beat",
            "celery.worker.strategy",
            "fido2",
            "waitress",
        )
    }
    # This logs each request that waits for a thread.
    | {"waitress.queue": {"level": "ERROR"}},
}
