package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"time"

	"docspace.dev/wsd/server/web/auth"
)

// Cookies. Over https their names have the prefix __Host-: browsers accept such cookies from this host only, so that another host of the
// same domain cannot set them.
const (
	sessionCookie = "wsd_session" // the session
	formCookie    = "wsd_form"    // key of the form tokens of somebody who is not signed in
	signInCookie  = "wsd_sign_in" // sign-in by a provider that is under way
)

// formTime is the lifetime of formCookie after the last page.
const formTime = time.Hour

// formField is the name of the form field with the form token.
const formField = "form_token"

// cookieName returns the name of a cookie. Without https the name contains the port: browsers send cookies to all ports of a host.
func (s *Service) cookieName(name string) string {
	if s.isSecure() {
		return "__Host-" + name
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Port() == "" {
		return name
	}
	return name + "_" + u.Port()
}

func (s *Service) setCookie(w http.ResponseWriter, name, value string, lasts time.Duration) {
	cookie := http.Cookie{ //nolint:gosec // without https, browsers would drop secure cookies
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(lasts / time.Second), HttpOnly: true, Secure: s.isSecure(),
		SameSite: http.SameSiteLaxMode,
	}
	if name == signInCookie && s.isSecure() { // SAML providers answer with a form of their own
		cookie.SameSite = http.SameSiteNoneMode
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, &cookie)
}

func (s *Service) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// formKey returns the key of the form tokens of a request: the secret of its session, or that of its form cookie.
func (s *Service) formKey(r *http.Request, session auth.Credential) string {
	if session.Secret != "" {
		return session.Secret
	}
	return s.cookie(r, formCookie)
}

// keepFormKey returns formKey for a page, whose form cookie it sets again, or with a new key.
func (s *Service) keepFormKey(w http.ResponseWriter, r *http.Request, session auth.Credential) string {
	key := s.formKey(r, session)
	if session.Secret != "" {
		return key
	}
	if key == "" {
		key = rand.Text()
	}
	s.setCookie(w, formCookie, key, formTime)
	return key
}

// formToken returns the token of forms that are sent back with a cookie. It does not reveal the key.
func formToken(key string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// isFormToken reports whether a form was sent from a page that this browser got.
func isFormToken(key, token string) bool {
	return key != "" && hmac.Equal([]byte(formToken(key)), []byte(token))
}
