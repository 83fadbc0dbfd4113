package oidc_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"docspace.dev/wsd/server/app/signin/oidc"
)

// attack is a sign-in that must be refused.
type attack struct {
	want oidc.Reason
	code string // of the error, for oidc.ReasonRefused
	edit func(f *fakeProvider)
	keep func(s *oidc.Start) // changes what is stored of the sign-in
}

// withClaim returns a change of a claim of the ID token; nil removes it.
func withClaim(name string, value any) func(f *fakeProvider) {
	return func(f *fakeProvider) {
		if f.claims[name] = value; value == nil {
			delete(f.claims, name)
		}
	}
}

// withMetadata returns a change of a member of the discovery document.
func withMetadata(name string, value any) func(f *fakeProvider) {
	return func(f *fakeProvider) { f.metadata[name] = value }
}

// metadata returns an attack with a member of the discovery document.
func metadata(want oidc.Reason, name string, value any) attack {
	return attack{want: want, edit: withMetadata(name, value)}
}

// callback returns an attack with the parameters of the callback.
func callback(want oidc.Reason, change func(q url.Values)) attack {
	return attack{want: want, edit: withCallback(change)}
}

// withCallback returns a change of the parameters of the callback.
func withCallback(change func(q url.Values)) func(f *fakeProvider) {
	return func(f *fakeProvider) { f.callback = change }
}

// withSigner returns a change of how ID tokens are signed.
func withSigner(sign func(f *fakeProvider, payload []byte) string) func(f *fakeProvider) {
	return func(f *fakeProvider) { f.sign = func(payload []byte) string { return sign(f, payload) } }
}

// publicPEM returns the public RSA key of the provider in the form of which attackers make a key for HS256.
func publicPEM() []byte {
	der, err := x509.MarshalPKIXPublicKey(signingKeys()[jose.RS256].Public())
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// callbackAttacks are attacks on the browser.
func callbackAttacks() map[string]attack {
	return map[string]attack{
		"another state": callback(oidc.ReasonState, func(q url.Values) { q.Set("state", "other") }),
		"no state":      callback(oidc.ReasonState, func(q url.Values) { q.Del("state") }),
		"no stored sign-in": {
			want: oidc.ReasonState, keep: func(s *oidc.Start) { *s = oidc.Start{} },
			edit: withCallback(func(q url.Values) { q.Del("state") }),
		},
		"two states": callback(oidc.ReasonCallback, func(q url.Values) { q.Add("state", "other") }),
		"two codes":  callback(oidc.ReasonCallback, func(q url.Values) { q.Add("code", "other") }),
		"no code":    callback(oidc.ReasonCallback, func(q url.Values) { q.Del("code") }),
		"long code":  callback(oidc.ReasonCallback, func(q url.Values) { q.Set("code", strings.Repeat("a", 5000)) }),
		"another verifier": {
			want: oidc.ReasonRefused, code: "invalid_grant", keep: func(s *oidc.Start) { s.Verifier = strings.Repeat("a", 43) },
		},
		"code of another": {
			want: oidc.ReasonRefused, code: "invalid_grant", edit: withCallback(func(q url.Values) { q.Set("code", "other") }),
		},
		"refused by the person": {want: oidc.ReasonRefused, code: "access_denied", edit: withCallback(func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
		})},
		"hostile error": {want: oidc.ReasonRefused, code: strings.Repeat("a<", 32), edit: withCallback(func(q url.Values) {
			q.Set("error", strings.Repeat("a\x1b\n<é", 1000))
		})},
		"mix-up: issuer of another": callback(oidc.ReasonMixUp, func(q url.Values) { q.Set("iss", "https://evil.example") }),
		"mix-up: empty issuer":      callback(oidc.ReasonMixUp, func(q url.Values) { q.Set("iss", "") }),
		"mix-up: no issuer":         callback(oidc.ReasonMixUp, func(q url.Values) { q.Del("iss") }),
		"mix-up: error of another": callback(oidc.ReasonMixUp, func(q url.Values) {
			q.Set("iss", "x")
			q.Set("error", "x")
		}),
	}
}

// tokenAttacks are attacks with ID tokens.
func tokenAttacks() map[string]attack {
	secret := withSigner(func(f *fakeProvider, payload []byte) string {
		return signWith(f.t, jose.HS256, []byte(clientSecret), "of RS256", payload)
	})
	return map[string]attack{
		"another nonce":           {want: oidc.ReasonNonce, edit: withClaim("nonce", "other")},
		"stored nonce":            {want: oidc.ReasonNonce, keep: func(s *oidc.Start) { s.Nonce = "other" }},
		"no nonce":                {want: oidc.ReasonNoNonce, edit: func(f *fakeProvider) { f.claims["nonce"] = nil }},
		"token of another issuer": {want: oidc.ReasonTokenOf, edit: withClaim("iss", "https://evil.example")},
		"issuer under another name": {want: oidc.ReasonTokenOf, edit: func(f *fakeProvider) {
			f.claims["ISS"] = f.claims["iss"]
			delete(f.claims, "iss")
		}},
		"alg none": {
			want: oidc.ReasonAlgorithm, edit: withSigner(func(_ *fakeProvider, p []byte) string { return unsigned(p) }),
		},
		"HS256, client secret": {want: oidc.ReasonAlgorithm, edit: secret},
		"HS256, public key": {want: oidc.ReasonAlgorithm, edit: withSigner(func(f *fakeProvider, payload []byte) string {
			return signWith(f.t, jose.HS256, publicPEM(), "of RS256", payload)
		})},
		"HS256 that the provider announces": {want: oidc.ReasonAlgorithm, edit: func(f *fakeProvider) {
			f.metadata["id_token_signing_alg_values_supported"] = []string{"HS256", "none"}
			f.keys = append(f.keys, map[string]any{"kty": "oct", "k": "AAAA", "kid": "x"})
			secret(f)
		}},
		"RS512": {want: oidc.ReasonAlgorithm, edit: withSigner(func(f *fakeProvider, payload []byte) string {
			return signWith(f.t, jose.RS512, signingKeys()[jose.RS256], "of RS256", payload)
		})},
		"another key": {want: oidc.ReasonSignature, edit: withSigner(func(f *fakeProvider, payload []byte) string {
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				panic(err)
			}
			return signWith(f.t, jose.ES256, key, "of ES256", payload)
		})},
		"changed claims": {want: oidc.ReasonSignature, edit: withSigner(func(f *fakeProvider, payload []byte) string {
			parts := strings.Split(signToken(f.t, jose.RS256, payload), ".")
			other := strings.Split(unsigned(bytes.Replace(payload, []byte("person-1"), []byte("person-2"), 1)), ".")
			return parts[0] + "." + other[1] + "." + parts[2]
		})},
		"key not in the set": {want: oidc.ReasonKey, edit: func(f *fakeProvider) { f.keys = []any{publicKey(jose.ES256)} }},
		"key for encryption": {want: oidc.ReasonKey, edit: func(f *fakeProvider) {
			key := publicKey(jose.RS256)
			key.Use = "enc"
			f.keys = []any{key}
		}},
		"key of another algorithm": {want: oidc.ReasonKey, edit: withSigner(func(f *fakeProvider, payload []byte) string {
			return signWith(f.t, jose.ES256, signingKeys()[jose.ES256], "of RS256", payload)
		})},
		"key in the token": {want: oidc.ReasonSignature, edit: withSigner(func(f *fakeProvider, payload []byte) string {
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				panic(err)
			}
			options := (&jose.SignerOptions{EmbedJWK: true}).WithType("JWT")
			signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
			if err != nil {
				panic(err)
			}
			signed, err := signer.Sign(payload)
			if err != nil {
				panic(err)
			}
			text, _ := signed.CompactSerialize()
			return text
		})},
	}
}

// claimAttacks are attacks with the claims of ID tokens that are signed as they should be.
func claimAttacks() map[string]attack {
	return map[string]attack{
		"no JWT": {want: oidc.ReasonToken, edit: withSigner(func(*fakeProvider, []byte) string { return "a.b" })},
		"no claims": {want: oidc.ReasonToken, edit: withSigner(func(f *fakeProvider, _ []byte) string {
			return signToken(f.t, jose.RS256, []byte("[]"))
		})},
		"other audience":       {want: oidc.ReasonAudience, edit: withClaim("aud", "other")},
		"no audience":          {want: oidc.ReasonAudience, edit: withClaim("aud", nil)},
		"audiences, no azp":    {want: oidc.ReasonIssuedTo, edit: withClaim("aud", []string{"wsd", "other"})},
		"azp of another":       {want: oidc.ReasonIssuedTo, edit: withClaim("azp", "other")},
		"azp that is no text":  {want: oidc.ReasonIssuedTo, edit: withClaim("azp", []string{"wsd"})},
		"expired":              {want: oidc.ReasonExpired, edit: withClaim("exp", now.Add(-61*time.Second).Unix())},
		"no end":               {want: oidc.ReasonClaims, edit: withClaim("exp", nil)},
		"not yet valid":        {want: oidc.ReasonEarly, edit: withClaim("nbf", now.Add(61*time.Second).Unix())},
		"issued in the future": {want: oidc.ReasonEarly, edit: withClaim("iat", now.Add(61*time.Second).Unix())},
		"no time of issue":     {want: oidc.ReasonClaims, edit: withClaim("iat", nil)},
		"no subject":           {want: oidc.ReasonClaims, edit: withClaim("sub", nil)},
		"empty subject":        {want: oidc.ReasonClaims, edit: withClaim("sub", "")},
		"long subject":         {want: oidc.ReasonClaims, edit: withClaim("sub", strings.Repeat("a", 256))},
		"subject with lines":   {want: oidc.ReasonClaims, edit: withClaim("sub", "a\nb")},
		"too many groups":      {want: oidc.ReasonClaims, edit: withClaim("groups", slicesOf(201, "a"))},
		"long group":           {want: oidc.ReasonClaims, edit: withClaim("groups", []string{strings.Repeat("a", 257)})},
		"groups of numbers":    {want: oidc.ReasonClaims, edit: withClaim("groups", []int{1})},
	}
}

// answerAttacks are attacks of or on the provider.
func answerAttacks() map[string]attack {
	large := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("a", 1<<20) + `"}`))
	}
	text := func(body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
	}
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	}
	at := func(path string, answer func(http.ResponseWriter, *http.Request)) func(f *fakeProvider) {
		return func(f *fakeProvider) { f.answers[path] = answer }
	}
	const discovery = "/.well-known/openid-configuration"
	return map[string]attack{
		"no ID token": {want: oidc.ReasonNoToken, edit: func(f *fakeProvider) {
			f.token = func(a map[string]any) { delete(a, "id_token") }
		}},
		"no tokens":     {want: oidc.ReasonAnswer, edit: func(f *fakeProvider) { f.token = func(a map[string]any) { clear(a) } }},
		"token as HTML": {want: oidc.ReasonAnswer, edit: at("/token", text("<html>"))},
		"wrong secret": {want: oidc.ReasonRefused, code: "invalid_client", edit: at("/token", func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		})},
		"discovery of another issuer": metadata(oidc.ReasonIssuer, "issuer", "https://evil.example"),
		"discovery with another slash": {want: oidc.ReasonIssuer, edit: func(f *fakeProvider) {
			f.metadata["issuer"] = f.server.URL + "/"
		}},
		"discovery that is no object": {want: oidc.ReasonDiscovery, edit: at(discovery, text("["))},
		"no discovery":                {want: oidc.ReasonAnswer, edit: at(discovery, http.NotFound)},
		"keys on http":                metadata(oidc.ReasonEndpoint, "jwks_uri", "http://id.acme.example/keys"),
		"keys in a file":              metadata(oidc.ReasonEndpoint, "jwks_uri", "file:///etc/passwd"),
		"token endpoint on http":      metadata(oidc.ReasonEndpoint, "token_endpoint", "http://id.acme.example/token"),
		"address of javascript":       metadata(oidc.ReasonEndpoint, "authorization_endpoint", "javascript:alert(1)"),
		"no token endpoint":           metadata(oidc.ReasonEndpoint, "token_endpoint", ""),
		"user info on http":           metadata(oidc.ReasonEndpoint, "userinfo_endpoint", "http://id.acme.example/"),
		"keys at an inner address":    metadata(oidc.ReasonBlocked, "jwks_uri", "https://10.0.0.1/keys"),
		"tokens of an inner address":  metadata(oidc.ReasonBlocked, "token_endpoint", "https://10.0.0.1/token"),
		"keys that are none":          {want: oidc.ReasonAnswer, edit: at("/keys", text("x"))},
		"large discovery":             {want: oidc.ReasonTooLarge, edit: at(discovery, large)},
		"large keys":                  {want: oidc.ReasonTooLarge, edit: at("/keys", large)},
		"large answer with tokens":    {want: oidc.ReasonTooLarge, edit: at("/token", large)},
		"large ID token":              {want: oidc.ReasonTooLarge, edit: withClaim("x", strings.Repeat("a", 256<<10))},
		"discovery redirects":         {want: oidc.ReasonRedirect, edit: at(discovery, redirect)},
		"keys redirect":               {want: oidc.ReasonRedirect, edit: at("/keys", redirect)},
		"tokens redirect":             {want: oidc.ReasonRedirect, edit: at("/token", redirect)},
		"no way to authenticate":      metadata(oidc.ReasonClient, "token_endpoint_auth_methods_supported", []string{"none"}),
		"user info of another": {want: oidc.ReasonUserInfo, edit: func(f *fakeProvider) {
			delete(f.claims, "email")
			f.userInfo = map[string]any{"sub": "person-2", "email": "b@acme.example", "email_verified": true}
		}},
		"user info is refused": {want: oidc.ReasonUserInfo, edit: func(f *fakeProvider) {
			delete(f.claims, "email")
			f.answers["/userinfo"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }
		}},
		"user info redirects": {want: oidc.ReasonRedirect, edit: func(f *fakeProvider) {
			delete(f.claims, "email")
			f.answers["/userinfo"] = redirect
		}},
	}
}

// TestAttacksAreRefused checks that each attack is refused for its own reason, and that the sign-in works without it.
func TestAttacksAreRefused(t *testing.T) {
	t.Parallel()
	for _, attacks := range []map[string]attack{callbackAttacks(), tokenAttacks(), claimAttacks(), answerAttacks()} {
		for name, a := range attacks {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newFakeProvider(t)
				if _, err := f.signIn(newClient(), nil); err != nil {
					t.Fatalf("without the attack: %v", err)
				}
				if a.edit != nil {
					a.edit(f)
				}
				got, err := f.signIn(newClient(), a.keep)
				refused, ok := errors.AsType[*oidc.Error](err)
				if !ok || refused.Reason != a.want || refused.Code != a.code || errors.Is(err, oidc.ErrUnavailable) {
					t.Fatalf("%+v %#v, want the reason %s", got, err, a.want)
				}
				if !reflect.DeepEqual(got, oidc.Identity{}) {
					t.Errorf("with an error: %+v", got)
				}
				if text := err.Error(); len(text) > 1000 || strings.Contains(text, "secret text") || strings.ContainsAny(text, "\n\x1b") {
					t.Errorf("the error has texts of the provider: %q", text)
				}
			})
		}
	}
}
