package apptest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// successorTime is how long an AuthServer answers the refresh secret before the present one, with its successor.
const successorTime = time.Minute

// AuthServer is an authorization server for tests. It signs everybody in at once as the user u_ada, and answers requests with the
// access tokens of its logins. After the first request, its fields are changed by Change.
type AuthServer struct {
	URL      string           // issuer
	Now      func() time.Time // its clock
	Lifetime time.Duration    // of access tokens
	Refuse   string           // OAuth error in the place of a login
	Pending  []string         // errors of the next polls of a login on another device
	Cut      bool             // loses the answer to the next request by RoundTrip
	Interval int              // seconds between polls; 0 is not answered
	Metadata map[string]string
	Redirect func(query url.Values)                                  // changes what the browser comes back with
	Fail     func(w http.ResponseWriter, r *http.Request) bool       // answers a request in the place of the server, if it returns true
	Accept   func(w http.ResponseWriter, r *http.Request, id string) // answers requests with a valid access token; id is that of the login

	mu       sync.Mutex
	logins   []*authLogin
	codes    map[string]url.Values
	devices  map[string]url.Values
	requests []string
}

// authLogin is a chain of refresh secrets.
type authLogin struct {
	id                string
	access            []string // the last is valid until ends; earlier ones while their own time lasts
	ends              time.Time
	current, previous string
	renewedAt         time.Time
	renewals          int
	revoked           bool
}

// NewAuthServer returns a server that listens on a loopback address until the test ends.
func NewAuthServer(t *testing.T, now func() time.Time) *AuthServer {
	t.Helper()
	s := &AuthServer{Now: now, Lifetime: time.Hour}
	s.Start()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Start makes a server usable that does not listen, but whose URL is set.
func (s *AuthServer) Start() { s.codes, s.devices = map[string]url.Values{}, map[string]url.Values{} }

// Server returns the metadata of the server.
func (s *AuthServer) Server() oauth.Server {
	return oauth.Server{
		Issuer: s.URL, AuthorizationEndpoint: s.URL + "/oauth/authorize", TokenEndpoint: s.URL + "/oauth/token",
		DeviceAuthorizationEndpoint: s.URL + "/oauth/device", RevocationEndpoint: s.URL + "/oauth/revoke",
	}
}

// Change calls f, which changes fields, while no request is answered.
func (s *AuthServer) Change(f func(s *AuthServer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// Requests returns the requests so far, as "METHOD /path form".
func (s *AuthServer) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Renewals returns how often the refresh secret of the newest login was replaced.
func (s *AuthServer) Renewals() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins[len(s.logins)-1].renewals
}

// Logins returns the number of logins that are not revoked.
func (s *AuthServer) Logins() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.logins {
		if !l.revoked {
			n++
		}
	}
	return n
}

// Revoke ends all logins and their access tokens.
func (s *AuthServer) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.logins {
		l.revoked = true
	}
}

// EndAccess makes the access tokens invalid before their time.
func (s *AuthServer) EndAccess() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.logins {
		l.ends = time.Time{}
	}
}

// Browse behaves as a browser in which somebody signs in: it opens an address and follows its redirects.
func (s *AuthServer) Browse(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// RoundTrip implements http.RoundTripper without a connection, for tests whose time is not real.
func (s *AuthServer) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	s.ServeHTTP(w, r)
	if s.Cut {
		s.Cut = false
		return nil, io.ErrUnexpectedEOF
	}
	return w.Result(), nil
}

// ServeHTTP implements http.Handler.
func (s *AuthServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	s.mu.Lock()
	s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+form.Encode()))
	fail := s.Fail
	s.mu.Unlock()
	if fail != nil && fail(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		s.writeMetadata(w)
	case "/oauth/authorize":
		s.authorize(w, r)
	case "/oauth/device":
		s.startDevice(w, form)
	case "/oauth/token":
		s.serveToken(w, form)
	case "/oauth/revoke":
		for _, l := range s.logins {
			l.revoked = l.revoked || l.current == form.Get("token")
		}
	case "/v1/":
		writeJSON(w, http.StatusOK, map[string]string{"version": "1.0.0"})
	default:
		s.serveUser(w, r)
	}
}

func (s *AuthServer) writeMetadata(w http.ResponseWriter) {
	data, _ := json.Marshal(s.Server())
	metadata := map[string]string{}
	_ = json.Unmarshal(data, &metadata) // made above
	maps.Copy(metadata, s.Metadata)
	writeJSON(w, http.StatusOK, metadata)
}

func (s *AuthServer) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	back := url.Values{"state": {query.Get("state")}, "iss": {s.URL}}
	if s.Refuse != "" {
		back.Set("error", s.Refuse)
	} else {
		code := fmt.Sprintf("code-%d", len(s.codes)+1)
		s.codes[code] = query
		back.Set("code", code)
	}
	if s.Redirect != nil {
		s.Redirect(back)
	}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound) //nolint:gosec // of a test
}

func (s *AuthServer) startDevice(w http.ResponseWriter, form url.Values) {
	code := fmt.Sprintf("device-%d", len(s.devices)+1)
	s.devices[code] = form
	started := map[string]any{
		"device_code": code, "user_code": "BCDF-GHJK", "verification_uri": s.URL + "/device",
		"verification_uri_complete": s.URL + "/device?user_code=BCDF-GHJK", "expires_in": 600,
	}
	if s.Interval != 0 {
		started["interval"] = s.Interval
	}
	writeJSON(w, http.StatusOK, started)
}

func (s *AuthServer) serveToken(w http.ResponseWriter, form url.Values) {
	switch grant := form.Get("grant_type"); grant {
	case "authorization_code":
		asked, ok := s.codes[form.Get("code")]
		delete(s.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if !ok || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) ||
			asked.Get("code_challenge_method") != "S256" || asked.Get("redirect_uri") != form.Get("redirect_uri") ||
			form.Get("client_id") != "wsctl" {
			writeOAuthError(w, "invalid_grant", "The code is not valid.")
			return
		}
		s.writeLogin(w, s.newLogin())
	case "refresh_token":
		s.renew(w, form.Get("refresh_token"))
	default:
		if len(s.Pending) > 0 {
			code := s.Pending[0]
			s.Pending = s.Pending[1:]
			writeOAuthError(w, code, "")
			return
		}
		if s.devices[form.Get("device_code")] == nil {
			writeOAuthError(w, "invalid_grant", "The code is not valid.")
			return
		}
		s.writeLogin(w, s.newLogin())
	}
}

// renew replaces the refresh secret of a login. The secret before is answered with the same successor for successorTime; one that was
// replaced earlier ends the login.
func (s *AuthServer) renew(w http.ResponseWriter, secret string) {
	for _, l := range s.logins {
		switch {
		case !strings.HasPrefix(secret, "wsr_"+l.id+"_"):
			continue
		case !l.revoked && l.current == secret:
			s.extend(l)
			s.writeLogin(w, l)
			return
		case !l.revoked && l.previous == secret && s.Now().Sub(l.renewedAt) <= successorTime:
			s.writeLogin(w, l)
			return
		}
		l.revoked = true
	}
	writeOAuthError(w, "invalid_grant", "The login has ended.")
}

func (s *AuthServer) newLogin() *authLogin {
	l := &authLogin{id: fmt.Sprintf("l%d", len(s.logins)+1)}
	s.logins = append(s.logins, l)
	s.extend(l)
	l.renewals = 0
	return l
}

// extend gives a login new secrets.
func (s *AuthServer) extend(l *authLogin) {
	l.renewals++
	l.renewedAt, l.previous, l.current = s.Now(), l.current, fmt.Sprintf("wsr_%s_%d", l.id, len(l.access))
	l.access = append(l.access, fmt.Sprintf("wsd_ada_%s%d_secret", l.id, len(l.access)))
	l.ends = s.Now().Add(s.Lifetime)
}

func (s *AuthServer) writeLogin(w http.ResponseWriter, l *authLogin) {
	writeJSON(w, http.StatusOK, map[string]any{
		"access_token": l.access[len(l.access)-1], "token_type": "Bearer", "refresh_token": l.current, "scope": "write",
		"expires_in": int(math.Ceil(l.ends.Sub(s.Now()).Seconds())),
	})
}

// serveUser answers requests with a valid access token.
func (s *AuthServer) serveUser(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	for _, l := range s.logins {
		if l.access[len(l.access)-1] != token || l.revoked || !s.Now().Before(l.ends) {
			continue
		}
		if s.Accept != nil {
			s.Accept(w, r, l.id)
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"object": "user", "id": "u_ada", "displayName": "Ada"})
		return
	}
	writeJSON(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{
		"code": http.StatusUnauthorized, "message": "A valid token is needed: Authorization: Bearer wsd_...", "reason": "unauthenticated",
	}})
}

func writeOAuthError(w http.ResponseWriter, code, description string) {
	writeJSON(w, http.StatusBadRequest, map[string]string{"error": code, "error_description": description})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // fails if the command has already ended
}
