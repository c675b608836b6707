"""Addresses: REST under /api/, administration under /admin/, everything else is a page."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    # The administration's own form would allow unlimited guesses of the old password.
    path("admin/password_change/", RedirectView.as_view(pattern_name="password")),
    path("admin/", admin.site.urls),
    path("api/", include("cardroom.api.urls")),
    path("", include("cardroom.pages.urls")),
]

handler400 = "cardroom.errors.bad_request"
handler403 = "cardroom.errors.forbidden"
handler404 = "cardroom.errors.not_found"
handler500 = "cardroom.errors.server_error"
