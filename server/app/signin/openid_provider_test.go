package signin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

const issuer = "https://id.acme.example"

// openIDProvider is an OIDC provider of an organization, to which the server of the world connects in the process.
type openIDProvider struct {
	w        *servertest.World
	provider api.OIDCProvider
	key      *ecdsa.PrivateKey
	claims   jwt.MapClaims // of the next ID token
	isDown   bool
	refresh  string // the refresh token that works; "" = it sends none
	asked    int    // number of requests with a refresh token
	onAsk    func() // called before the answer to one; nil = nothing
}

// newOpenIDProvider registers an OIDC provider with the organization of the world.
func newOpenIDProvider(w *servertest.World, settings api.OIDCProviderSettings) *openIDProvider {
	w.T.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.T.Fatal(err)
	}
	o := &openIDProvider{w: w, key: key}
	w.Serve(func(options *server.Options) { options.Providers = o })
	settings.Issuer, settings.ClientID, settings.ClientSecret = api.Some(issuer), api.Some("wsd"), api.Some("a secret of the client")
	o.provider = servertest.NewOIDCProvider(w, settings)
	return o
}

// RoundTrip implements http.RoundTripper.
func (o *openIDProvider) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	if o.isDown {
		answer.WriteHeader(http.StatusBadGateway)
		return answer.Result(), nil
	}
	answer.Header().Set("Content-Type", "application/json")
	body := map[string]any{}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		body = map[string]any{
			"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
			"jwks_uri": issuer + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"},
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		}
	case "/keys":
		public, err := o.key.PublicKey.Bytes()
		if err != nil {
			return nil, err
		}
		encode := base64.RawURLEncoding.EncodeToString
		body["keys"] = []any{map[string]string{
			"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "1", "x": encode(public[1:33]), "y": encode(public[33:]),
		}}
	case "/token":
		if r.FormValue("grant_type") == "refresh_token" {
			o.asked++
			if o.onAsk != nil {
				o.onAsk()
			}
			if o.refresh == "" || r.FormValue("refresh_token") != o.refresh {
				answer.WriteHeader(http.StatusBadRequest)
				body["error"] = "invalid_grant"
				break
			}
			o.refresh = rand.Text()
			now := o.w.Clock.Now()
			o.claims["iat"], o.claims["exp"] = now.Unix(), now.Unix()+60
		}
		token := jwt.NewWithClaims(jwt.SigningMethodES256, o.claims)
		token.Header["kid"] = "1"
		signed, err := token.SignedString(o.key)
		if err != nil {
			return nil, err
		}
		body = map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 60, "id_token": signed}
		if o.refresh != "" {
			body["refresh_token"] = o.refresh
		}
	default:
		answer.WriteHeader(http.StatusNotFound)
	}
	if err := json.NewEncoder(answer).Encode(body); err != nil {
		return nil, err
	}
	return answer.Result(), nil
}

// signIn signs somebody in with a browser, and returns the page to which the browser comes.
func (o *openIDProvider) signIn(b *browser, who person, more jwt.MapClaims) page {
	b.t.Helper()
	location, err := url.Parse(b.get(path(o.provider.Service.StartURL)).header.Get("Location"))
	if err != nil || location.Host != "id.acme.example" {
		b.t.Fatalf("start leads to %q", location)
	}
	q := location.Query()
	now := o.w.Clock.Now()
	o.claims = jwt.MapClaims{
		"iss": issuer, "aud": "wsd", "sub": who.subject, "nonce": q.Get("nonce"), "iat": now.Unix(), "exp": now.Unix() + 60,
		"email": who.email, "email_verified": true, "name": who.name, "groups": who.groups,
	}
	maps.Copy(o.claims, more)
	answer := b.get(path(o.provider.Service.RedirectURL) + "?" + url.Values{"code": {"c"}, "state": {q.Get("state")}}.Encode())
	if answer.status != http.StatusSeeOther {
		return answer
	}
	return b.get(answer.header.Get("Location"))
}

// activate signs the admin of the world in with a browser, who links the identity with the account.
func (o *openIDProvider) activate() *browser {
	o.w.T.Helper()
	b := newBrowser(o.w)
	b.signIn(o.w.Tokens["admin"])
	confirm := o.signIn(b, person{subject: "s-admin", name: "Boss"}, nil)
	confirm.want(o.w.T, http.StatusOK, "Is that you?")
	b.submit(confirm, "/account/confirm", "decision", "link").wantRedirect(o.w.T, "/account")
	return b
}

// signInCache is more than the time for which the server remembers what it has read of a provider.
const signInCache = time.Hour

// emailKey returns the key of the claim of an address.
func emailKey(email string) redis.Key { return store.EmailKey(email) }
