package oidc_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"docspace.dev/wsd/server/app/signin/oidc"
	"docspace.dev/wsd/server/core/fetch"
)

// ada is the person who signs in at a fakeProvider.
func ada(f *fakeProvider) oidc.Identity {
	return oidc.Identity{
		Issuer: f.server.URL, Subject: "person-1", Email: "ada@acme.example", IsEmailVerified: true, HasEmailVerified: true,
		Name: "Ada Lovelace", Teams: []string{"writers", "staff"}, HasTeams: true,
	}
}

// protocolCases are variants of the protocol and of keys.
func protocolCases() map[string]func(f *fakeProvider, want *oidc.Identity) {
	signedBy := func(algorithm jose.SignatureAlgorithm) func(f *fakeProvider, want *oidc.Identity) {
		return func(f *fakeProvider, _ *oidc.Identity) {
			f.sign = func(payload []byte) string { return signToken(f.t, algorithm, payload) }
		}
	}
	return map[string]func(f *fakeProvider, want *oidc.Identity){
		"RS256": signedBy(jose.RS256), "PS256": signedBy(jose.PS256), "ES256": signedBy(jose.ES256), "EdDSA": signedBy(jose.EdDSA),
		"a token without key id": func(f *fakeProvider, _ *oidc.Identity) {
			f.sign = func(payload []byte) string { return signWith(f.t, jose.ES256, signingKeys()[jose.ES256], "", payload) }
		},
		"clocks that differ": func(f *fakeProvider, _ *oidc.Identity) {
			f.claims["iat"], f.claims["nbf"] = now.Add(59*time.Second).Unix(), now.Add(59*time.Second).Unix()
		},
		"a token that has just ended": func(f *fakeProvider, _ *oidc.Identity) { f.claims["exp"] = now.Add(-59 * time.Second).Unix() },
		"several audiences": func(f *fakeProvider, _ *oidc.Identity) {
			f.claims["aud"], f.claims["azp"] = []string{"other", "wsd"}, "wsd"
		},
		"no issuer in the callback": func(f *fakeProvider, _ *oidc.Identity) {
			delete(f.metadata, "authorization_response_iss_parameter_supported")
			f.callback = func(q url.Values) { q.Del("iss") }
		},
		"authentication in the body": func(f *fakeProvider, _ *oidc.Identity) {
			f.metadata["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
			f.answers["/token"] = func(w http.ResponseWriter, r *http.Request) {
				if _, _, ok := r.BasicAuth(); ok {
					f.t.Error("the client authenticates in the header")
				}
				r.SetBasicAuth(r.FormValue("client_id"), url.QueryEscape(r.FormValue("client_secret")))
				f.serveToken(w, r)
			}
		},
		"a key that is not known yet": func(f *fakeProvider, _ *oidc.Identity) {
			keys := f.keys
			f.keys = nil
			f.callback = func(url.Values) { f.keys = keys }
		},
		"keys of other kinds": func(f *fakeProvider, _ *oidc.Identity) {
			f.keys = append([]any{
				map[string]any{"kty": "OKP", "crv": "X448", "x": "AA"}, map[string]any{"kty": "oct", "k": "AAAA", "kid": "of RS256"}, 5,
			}, f.keys...)
		},
	}
}

// identityCases are ID tokens about other persons.
func identityCases() map[string]func(f *fakeProvider, want *oidc.Identity) {
	return map[string]func(f *fakeProvider, want *oidc.Identity){
		"an unverified e-mail address": func(f *fakeProvider, want *oidc.Identity) {
			f.claims["email_verified"], want.IsEmailVerified = false, false
		},
		"verified, as a text": func(f *fakeProvider, _ *oidc.Identity) { f.claims["email_verified"] = "true" },
		"unverified, as a text": func(f *fakeProvider, want *oidc.Identity) {
			f.claims["email_verified"], want.IsEmailVerified = "false", false
		},
		"verified, as a number": func(f *fakeProvider, want *oidc.Identity) {
			f.claims["email_verified"], want.IsEmailVerified = 1, false
		},
		"nothing about whether it is verified": func(f *fakeProvider, want *oidc.Identity) {
			delete(f.claims, "email_verified")
			want.IsEmailVerified, want.HasEmailVerified = false, false
		},
		"verified under another name": func(f *fakeProvider, want *oidc.Identity) {
			f.claims["email_verified"], f.claims["Email_Verified"], want.IsEmailVerified = false, true, false
		},
		"one group": func(f *fakeProvider, want *oidc.Identity) {
			f.claims["groups"], want.Teams = "staff", []string{"staff"}
		},
		"groups of null": func(f *fakeProvider, want *oidc.Identity) {
			f.claims["groups"], want.Teams, want.HasTeams = nil, nil, false
			f.userInfo = subject()
		},
		"the most groups": func(f *fakeProvider, want *oidc.Identity) {
			want.Teams = slicesOf(200, strings.Repeat("é", 256))
			f.claims["groups"] = want.Teams
		},
		"a name with control characters": func(f *fakeProvider, want *oidc.Identity) { f.claims["name"], want.Name = "a\x00b", "" },
		"an e-mail address with lines": func(f *fakeProvider, want *oidc.Identity) {
			f.claims["email"], want.Email, want.IsEmailVerified = "a@acme.example\nb", "", false
		},
		"the longest subject": func(f *fakeProvider, want *oidc.Identity) {
			want.Subject = strings.Repeat("a", 255)
			f.claims["sub"] = want.Subject
		},
	}
}

// userInfoCases are providers that do not send all claims in the ID token.
func userInfoCases() map[string]func(f *fakeProvider, want *oidc.Identity) {
	return map[string]func(f *fakeProvider, want *oidc.Identity){
		"user info": func(f *fakeProvider, want *oidc.Identity) {
			f.userInfo = subject()
			for _, name := range []string{"email", "email_verified", "name", "groups"} {
				f.userInfo[name] = f.claims[name]
				delete(f.claims, name)
			}
		},
		"user info with an unverified address": func(f *fakeProvider, want *oidc.Identity) {
			f.userInfo = map[string]any{"sub": "person-1", "email": "b@acme.example"}
			delete(f.claims, "email") // the claim email_verified of the token is about another one
			want.Email, want.IsEmailVerified, want.HasEmailVerified = "b@acme.example", false, false
		},
		"user info does not replace claims": func(f *fakeProvider, want *oidc.Identity) {
			f.userInfo = map[string]any{"sub": "person-1", "email": "b@acme.example", "name": "B", "groups": "admins"}
			delete(f.claims, "groups")
			want.Teams = []string{"admins"}
		},
	}
}

// TestSignIn checks sign-ins that succeed, and the identities that they result in.
func TestSignIn(t *testing.T) {
	t.Parallel()
	for _, cases := range []map[string]func(f *fakeProvider, want *oidc.Identity){protocolCases(), identityCases(), userInfoCases()} {
		for name, edit := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newFakeProvider(t)
				want := ada(f)
				edit(f, &want)
				got, err := f.signIn(newClient(), nil)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%+v %v, want %+v", got, err, want)
				}
			})
		}
	}
}

// subject returns user info about the person of a fakeProvider.
func subject() map[string]any { return map[string]any{"sub": "person-1"} }

func slicesOf(n int, value string) (values []string) {
	for range n {
		values = append(values, value)
	}
	return values
}

// TestUnavailableProvider checks that a provider that does not answer is not taken for one that refuses.
func TestUnavailableProvider(t *testing.T) {
	t.Parallel()
	broken := func(status int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "text of the provider", status) }
	}
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_ = connection.Close()
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/keys", "/token", "/userinfo"} {
		for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
			"500": broken(500), "503": broken(503), "429": broken(429), "no answer": hangUp,
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				f := newFakeProvider(t)
				delete(f.claims, "email")
				f.answers[path] = answer
				_, err := f.signIn(newClient(), nil)
				if !errors.Is(err, oidc.ErrUnavailable) || strings.Contains(err.Error(), "text") {
					t.Errorf("%v, want ErrUnavailable", err)
				}
				if _, ok := errors.AsType[*oidc.Error](err); ok {
					t.Errorf("%v is a refusal, too", err)
				}
			})
		}
	}
	f := newFakeProvider(t)
	f.server.Close()
	if _, err := f.signIn(newClient(), nil); !errors.Is(err, oidc.ErrUnavailable) || strings.Contains(err.Error(), "refused") {
		t.Errorf("without a server: %v", err)
	}
}

// TestLoopbackIsRefusedByDefault checks that an issuer on the machine itself is reached only if the operator allows that.
func TestLoopbackIsRefusedByDefault(t *testing.T) {
	t.Parallel()
	f := newFakeProvider(t)
	c := oidc.NewClient(&http.Client{Transport: fetch.New(fetch.Options{}).Transport()}, func() time.Time { return now })
	_, err := f.signIn(c, nil)
	wantRefused(t, err, oidc.ReasonBlocked)
	if len(f.requests) > 0 {
		t.Errorf("the provider has got %v", f.requests)
	}
}

// TestTLSProvider checks a provider with https, which must not have an endpoint with http, not even on the loopback host.
func TestTLSProvider(t *testing.T) {
	t.Parallel()
	f := newFakeProvider(t)
	secure := httptest.NewTLSServer(f)
	t.Cleanup(secure.Close)
	plain := f.server.URL
	f.server.URL = secure.URL
	for _, name := range []string{"issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"} {
		f.metadata[name] = strings.Replace(f.metadata[name].(string), plain, secure.URL, 1)
	}
	f.claims["iss"] = secure.URL
	client := func() *oidc.Client { return oidc.NewClient(secure.Client(), func() time.Time { return now }) }
	if got, err := f.signIn(client(), nil); err != nil || got.Issuer != secure.URL {
		t.Errorf("%+v %v", got, err)
	}
	f.metadata["jwks_uri"] = plain + "/keys"
	_, err := f.signIn(client(), nil)
	wantRefused(t, err, oidc.ReasonEndpoint)
}

// TestProviderIsRemembered checks that the document and the keys are read once in ten minutes, that keys are not forgotten when
// the document is read again, and that the number of remembered providers is bounded.
func TestProviderIsRemembered(t *testing.T) {
	t.Parallel()
	f := newFakeProvider(t)
	at := now
	transport := fetch.New(fetch.Options{Allow: loopback()}).Transport()
	c := oidc.NewClient(&http.Client{Transport: transport}, func() time.Time { return at })
	read := func() int {
		t.Helper()
		if _, err := c.Start(t.Context(), f.provider()); err != nil {
			t.Fatal(err)
		}
		return f.requests["/.well-known/openid-configuration"]
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {10*time.Minute - time.Second, 1}, {10 * time.Minute, 2}, {0, 3}} { // the last: a clock that was set back
		if at = now.Add(step.after); read() != step.want || f.requests["/keys"] != step.want {
			t.Errorf("after %s: %v, want %d", step.after, f.requests, step.want)
		}
	}
	for i := range 100 {
		path := fmt.Sprintf("/%d", i)
		f.answers[path+"/.well-known/openid-configuration"] = func(w http.ResponseWriter, _ *http.Request) {
			document := maps.Clone(f.metadata)
			document["issuer"] = f.server.URL + path
			writeJSON(w, http.StatusOK, document)
		}
		p := f.provider()
		p.Issuer += path
		at = now.Add(time.Duration(i+1) * time.Second)
		if _, err := c.Start(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if read() != 4 { // the oldest one made room
		t.Errorf("after 100 others: %v", f.requests["/.well-known/openid-configuration"])
	}
}

// TestUnknownKeysDoNotProlongDocument checks that reading the keys again does not make the document younger.
func TestUnknownKeysDoNotProlongDocument(t *testing.T) {
	t.Parallel()
	f := newFakeProvider(t)
	f.keys = []any{publicKey(jose.ES256)}
	at := now
	c := oidc.NewClient(&http.Client{Transport: fetch.New(fetch.Options{Allow: loopback()}).Transport()}, func() time.Time { return at })
	for range 3 {
		_, err := f.signIn(c, nil)
		wantRefused(t, err, oidc.ReasonKey)
		at = at.Add(4 * time.Minute)
	}
	if _, err := c.Start(t.Context(), f.provider()); err != nil || f.requests["/.well-known/openid-configuration"] != 2 {
		t.Errorf("%v %v", f.requests, err)
	}
}

// TestConcurrentStartsReadOnce checks that sign-ins that wait for a provider share one request, and that one of them can be given up.
func TestConcurrentStartsReadOnce(t *testing.T) {
	t.Parallel()
	f, c := newFakeProvider(t), newClient()
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	var read atomic.Int32
	f.answers["/.well-known/openid-configuration"] = func(w http.ResponseWriter, _ *http.Request) {
		read.Add(1)
		arrived <- struct{}{}
		<-release
		writeJSON(w, http.StatusOK, f.metadata)
	}
	impatient, giveUp := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := c.Start(impatient, f.provider()); !errors.Is(err, context.Canceled) {
			t.Errorf("a sign-in that was given up: %v", err)
		}
	})
	<-arrived
	for range 10 {
		all.Go(func() {
			if _, err := c.Start(t.Context(), f.provider()); err != nil {
				t.Error(err)
			}
		})
	}
	giveUp()
	close(release)
	all.Wait()
	if n := read.Load(); n != 1 {
		t.Errorf("%d documents are read, want 1", n)
	}
}

// TestStartsDiffer checks that no two sign-ins have a random value in common.
func TestStartsDiffer(t *testing.T) {
	t.Parallel()
	f, c, seen := newFakeProvider(t), newClient(), map[string]bool{}
	for range 20 {
		s, err := c.Start(t.Context(), f.provider())
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{s.State, s.Nonce, s.Verifier} {
			if len(value) < 26 || seen[value] {
				t.Errorf("the value %q is short, or was used before", value)
			}
			seen[value] = true
		}
	}
}

// wantRefused fails the test unless err is an Error with a reason.
func wantRefused(t *testing.T, err error, want oidc.Reason) {
	t.Helper()
	if refused, ok := errors.AsType[*oidc.Error](err); !ok || refused.Reason != want {
		t.Errorf("%v, want the reason %s", err, want)
	}
}
