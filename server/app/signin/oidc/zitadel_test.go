package oidc_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"

	"docspace.dev/wsd/server/app/signin/oidc"
	"docspace.dev/wsd/server/core/fetch"
)

// TestSignInAtZitadel checks a sign-in at a provider that was made by others, which sends the e-mail address in the user info only.
func TestSignInAtZitadel(t *testing.T) {
	t.Parallel()
	const redirect = "https://wsd.example/oidc/o_1/oidc_1/callback"
	var provider http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { provider.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	people := storage.NewStorageWithClients(storage.NewUserStore(server.URL), map[string]*storage.Client{
		"wsd": storage.WebClient("wsd", clientSecret, redirect),
	})
	made, err := op.NewProvider(&op.Config{CodeMethodS256: true}, people, op.StaticIssuer(server.URL), op.WithAllowInsecure())
	if err != nil {
		t.Fatal(err)
	}
	provider = made

	c := oidc.NewClient(&http.Client{Transport: fetch.New(fetch.Options{Allow: loopback()}).Transport()}, time.Now)
	p := oidc.Provider{Issuer: server.URL, ClientID: "wsd", ClientSecret: clientSecret, RedirectURL: redirect, TeamClaim: "groups"}
	start, err := c.Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	login := redirectOf(t, start.Address)
	request := login.Query().Get("authRequestID")
	if err := people.CheckUsernamePassword("test-user@127.0.0.1", "verysecure", request); err != nil {
		t.Fatalf("%s: %v", login, err)
	}
	callback := redirectOf(t, op.AuthCallbackURL(made)(op.ContextWithIssuer(t.Context(), server.URL), request))
	if !strings.HasPrefix(callback.String(), redirect+"?") {
		t.Fatalf("the browser comes to %s", callback)
	}
	_, err = c.Finish(t.Context(), p, start, url.Values{"state": {start.State}, "code": {"other"}})
	wantRefused(t, err, oidc.ReasonRefused)
	got, err := c.Finish(t.Context(), p, start, callback.Query())
	if err != nil || got.Subject != "id1" || got.Email != "test-user@zitadel.ch" || !got.IsEmailVerified || !got.HasEmailVerified ||
		got.Name != "Test User" || got.Issuer != server.URL {
		t.Errorf("%+v %v", got, err)
	}
	_, err = c.Finish(t.Context(), p, start, callback.Query())
	wantRefused(t, err, oidc.ReasonRefused) // a code works once
}

// redirectOf returns where an address sends a browser.
func redirectOf(t *testing.T, address string) *url.URL {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		t.Fatalf("%s: %d %v", address, resp.StatusCode, err)
	}
	return to
}
