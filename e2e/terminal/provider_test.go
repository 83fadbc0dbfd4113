package terminal

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// provider is an OpenID Connect provider at which one person at a time is signed in. It gives refresh tokens.
type provider struct {
	url string
	key *ecdsa.PrivateKey

	mu      sync.Mutex
	ahead   time.Duration // of its clock
	present string        // who is signed in
	blocked map[string]bool
	isDown  bool
	grants  map[string]grant // by code or refresh token
}

// grant is the sign-in that a code or a refresh token belongs to.
type grant struct{ subject, nonce string }

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	p := &provider{key: key, blocked: map[string]bool{}, grants: map[string]grant{}}
	front := httptest.NewServer(p)
	t.Cleanup(front.Close)
	p.url = front.URL
	return p
}

// change calls f while no request is answered.
func (p *provider) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// ServeHTTP implements http.Handler.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isDown {
		http.Error(w, "down", http.StatusBadGateway)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		p.answer(w, http.StatusOK, map[string]any{
			"issuer": p.url, "authorization_endpoint": p.url + "/authorize", "token_endpoint": p.url + "/token",
			"jwks_uri":         p.url + "/keys",
			"scopes_supported": []string{"openid", "profile", "email", "offline_access"},
		})
	case "/keys":
		public, _ := p.key.PublicKey.Bytes() // of a key that was just made
		encode := base64.RawURLEncoding.EncodeToString
		p.answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]string{
			"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "1", "x": encode(public[1:33]), "y": encode(public[33:]),
		}}})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

// authorize sends the browser back with a code for the person who is signed in.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back := url.Values{"state": {q.Get("state")}}
	if p.blocked[p.present] {
		back.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.grants[code] = grant{p.present, q.Get("nonce")}
		back.Set("code", code)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
}

// token exchanges a code or a refresh token, once.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	secret := r.FormValue("code")
	if r.FormValue("grant_type") == "refresh_token" {
		secret = r.FormValue("refresh_token")
	}
	g, ok := p.grants[secret]
	delete(p.grants, secret)
	if !ok || p.blocked[g.subject] {
		p.answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	now := time.Now().Add(p.ahead)
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"iss": p.url, "aud": "wsd", "sub": g.subject, "nonce": g.nonce, "iat": now.Unix(), "exp": now.Unix() + 60, "name": g.subject,
	})
	token.Header["kid"] = "1"
	signed, _ := token.SignedString(p.key) // with a key of the right kind
	refresh := rand.Text()
	p.grants[refresh] = grant{subject: g.subject}
	p.answer(w, http.StatusOK, map[string]any{
		"access_token": "a", "token_type": "Bearer", "expires_in": 60, "id_token": signed, "refresh_token": refresh,
	})
}

func (*provider) answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has disconnected
}
