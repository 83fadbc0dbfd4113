package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"docspace.dev/wsd/server/web/auth"
)

// Cookies. Over https their names have the prefix __Host-: browsers accept such cookies from this host only, so that another host of the
// same domain cannot set them.
const (
	sessionCookie = "wsd_session" // the session
	formCookie    = "wsd_form"    // key of the form tokens of somebody who is not signed in
)

// formTime is the lifetime of formCookie.
const formTime = 10 * time.Minute

// formField is the name of the form field with the form token.
const formField = "form_token"

func (s *Service) cookieName(name string) string {
	if s.isSecure() {
		return "__Host-" + name
	}
	return name
}

func (s *Service) setCookie(w http.ResponseWriter, name, value string, lasts time.Duration) {
	cookie := http.Cookie{ //nolint:gosec // without https, browsers would drop secure cookies
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(lasts / time.Second), HttpOnly: true, Secure: s.isSecure(),
		SameSite: http.SameSiteLaxMode,
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

// formKey returns the key of the form tokens of a request: the secret of its session, or that of its form cookie, which is set if it is
// missing and w is not nil.
func (s *Service) formKey(w http.ResponseWriter, r *http.Request, session auth.Credential) string {
	if session.Secret != "" {
		return session.Secret
	}
	if key := s.cookie(r, formCookie); key != "" || w == nil {
		return key
	}
	key := rand.Text()
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
