"""Addresses: REST under /api/, administration under /admin/, probes; everything else is a page."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from cardroom.probes import VIEWS

# The administration's own forms would skip second factors, and allow unlimited guesses of the old
# password.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth documents it

urlpatterns = [
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    path("admin/", admin.site.urls),
    path("api/", include("cardroom.api.urls")),
    *(path(address, view) for address, view in VIEWS.items()),
    path("", include("cardroom.pages.urls")),
]

handler400 = "cardroom.error_responses.bad_request"
handler403 = "cardroom.error_responses.forbidden"
handler404 = "cardroom.error_responses.not_found"
handler500 = "cardroom.error_responses.server_error"
