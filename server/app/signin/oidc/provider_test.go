package oidc_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"docspace.dev/wsd/server/app/signin/oidc"
	"docspace.dev/wsd/server/core/fetch"
)

// now is the time of the tests.
var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// signingKeys returns a key for each accepted algorithm. They are made once, because RSA keys take long.
var signingKeys = sync.OnceValue(func() map[jose.SignatureAlgorithm]crypto.Signer {
	first, err := rsa.GenerateKey(rand.Reader, 2048)
	second, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, third, err3 := ed25519.GenerateKey(rand.Reader)
	if err := errors.Join(err, err2, err3); err != nil {
		panic(err)
	}
	return map[jose.SignatureAlgorithm]crypto.Signer{jose.RS256: first, jose.PS256: first, jose.ES256: second, jose.EdDSA: third}
})

// fakeProvider is an OpenID Connect provider. Tests change its answers.
type fakeProvider struct {
	t      *testing.T
	server *httptest.Server

	metadata map[string]any // the discovery document
	claims   map[string]any // of ID tokens, besides the nonce of the sign-in
	userInfo map[string]any
	keys     []any // JSON Web Keys
	sign     func(payload []byte) string
	callback func(q url.Values)                                      // changes the parameters of the callback
	answers  map[string]func(w http.ResponseWriter, r *http.Request) // by path, in the place of the usual answer
	token    func(answer map[string]any)                             // changes the answer of the token endpoint
	requests map[string]int                                          // by path
	refresh  string                                                  // the refresh token that works

	challenge, nonce string // of the last sign-in
}

func newFakeProvider(t *testing.T) *fakeProvider {
	t.Helper()
	f := &fakeProvider{t: t, answers: map[string]func(http.ResponseWriter, *http.Request){}, requests: map[string]int{}}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	issuer := f.server.URL
	f.metadata = map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
		"jwks_uri": issuer + "/keys", "userinfo_endpoint": issuer + "/userinfo",
		"authorization_response_iss_parameter_supported": true,
	}
	f.claims = map[string]any{
		"iss": issuer, "sub": "person-1", "aud": "wsd", "exp": now.Add(time.Hour).Unix(), "iat": now.Unix(),
		"email": "ada@acme.example", "email_verified": true, "name": "Ada Lovelace", "groups": []string{"writers", "staff"},
	}
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA} {
		f.keys = append(f.keys, publicKey(algorithm))
	}
	f.sign = func(payload []byte) string { return signToken(t, jose.RS256, payload) }
	return f
}

// publicKey returns the JSON Web Key of an algorithm.
func publicKey(algorithm jose.SignatureAlgorithm) jose.JSONWebKey {
	return jose.JSONWebKey{Key: signingKeys()[algorithm].Public(), KeyID: keyID(algorithm), Use: "sig"}
}

func keyID(algorithm jose.SignatureAlgorithm) string {
	if algorithm == jose.PS256 {
		algorithm = jose.RS256
	}
	return "of " + string(algorithm)
}

// signToken signs a payload with the key of an algorithm.
func signToken(t *testing.T, algorithm jose.SignatureAlgorithm, payload []byte) string {
	t.Helper()
	return signWith(t, algorithm, signingKeys()[algorithm], keyID(algorithm), payload)
}

// signWith signs a payload with a key.
func signWith(t *testing.T, algorithm jose.SignatureAlgorithm, key any, id string, payload []byte) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", id)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		t.Error(err)
		return ""
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Error(err)
		return ""
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Error(err)
	}
	return text
}

// unsigned returns a token with the algorithm none.
func unsigned(payload []byte) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(payload) + "."
}

// ServeHTTP implements http.Handler.
func (f *fakeProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.requests[r.URL.Path]++
	if answer := f.answers[r.URL.Path]; answer != nil {
		answer(w, r)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		writeJSON(w, http.StatusOK, f.metadata)
	case "/keys":
		writeJSON(w, http.StatusOK, map[string]any{"keys": f.keys})
	case "/userinfo":
		if r.Header.Get("Authorization") != "Bearer access" {
			writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_token"})
			return
		}
		writeJSON(w, http.StatusOK, f.userInfo)
	case "/token":
		f.serveToken(w, r)
	default:
		http.NotFound(w, r)
	}
}

// serveToken is the token endpoint. It checks the client and PKCE.
func (f *fakeProvider) serveToken(w http.ResponseWriter, r *http.Request) {
	id, encoded, ok := r.BasicAuth()
	secret, _ := url.QueryUnescape(encoded) // RFC 6749, section 2.3.1
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case !ok || id != "wsd" || secret != clientSecret:
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
	case r.FormValue("grant_type") == "refresh_token" && r.FormValue("refresh_token") != f.refresh:
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "secret text"})
	case r.FormValue("grant_type") == "refresh_token":
		payload, _ := json.Marshal(f.claims)
		answer := map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": f.sign(payload)}
		if f.token != nil {
			f.token(answer)
		}
		writeJSON(w, http.StatusOK, answer)
	case r.FormValue("code") != "code" || base64.RawURLEncoding.EncodeToString(sum[:]) != f.challenge:
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "secret text"})
	default:
		claims := map[string]any{"nonce": f.nonce}
		maps.Copy(claims, f.claims)
		payload, _ := json.Marshal(claims)
		answer := map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": f.sign(payload)}
		if f.token != nil {
			f.token(answer)
		}
		writeJSON(w, http.StatusOK, answer)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

const clientSecret = "a secret of the client: with + and %"

// provider returns the settings of the client for the provider.
func (f *fakeProvider) provider() oidc.Provider {
	return oidc.Provider{
		Issuer: f.server.URL, ClientID: "wsd", ClientSecret: clientSecret, RedirectURL: "https://wsd.example/callback", TeamClaim: "groups",
	}
}

// loopback is the setting of an operator who allows the loopback network.
func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// newClient returns a client that may connect to the loopback network, as the operator may allow.
func newClient() *oidc.Client {
	fetcher := fetch.New(fetch.Options{Allow: loopback()})
	return oidc.NewClient(&http.Client{Transport: fetcher.Transport()}, func() time.Time { return now })
}

// authorize is the browser at the provider: it returns the parameters of the callback for a sign-in.
func (f *fakeProvider) authorize(s oidc.Start) url.Values {
	f.t.Helper()
	u, err := url.Parse(s.Address)
	if err != nil {
		f.t.Fatal(err)
	}
	q := u.Query()
	want := map[string]string{
		"response_type": "code", "client_id": "wsd", "redirect_uri": "https://wsd.example/callback", "scope": "openid profile email",
		"code_challenge_method": "S256", "state": s.State, "nonce": s.Nonce,
	}
	for name, value := range want {
		if q.Get(name) != value {
			f.t.Errorf("%s = %q, want %q", name, q.Get(name), value)
		}
	}
	if !strings.HasPrefix(s.Address, f.metadata["authorization_endpoint"].(string)+"?") {
		f.t.Errorf("address %s", s.Address)
	}
	f.challenge, f.nonce = q.Get("code_challenge"), q.Get("nonce")
	answer := url.Values{"code": {"code"}, "state": {q.Get("state")}, "iss": {f.server.URL}}
	if f.callback != nil {
		f.callback(answer)
	}
	return answer
}

// signIn signs in with a client. edit may change what is stored of the sign-in, or be nil.
func (f *fakeProvider) signIn(c *oidc.Client, edit func(s *oidc.Start)) (oidc.Identity, error) {
	f.t.Helper()
	s, err := c.Start(f.t.Context(), f.provider())
	if err != nil {
		return oidc.Identity{}, err
	}
	q := f.authorize(s)
	if edit != nil {
		edit(&s)
	}
	in, err := c.Finish(f.t.Context(), f.provider(), s, q)
	return in.Identity, err
}
