package oidc_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"docspace.dev/wsd/server/app/signin/oidc"
)

// refreshed returns the result of a refresh at a provider whose refresh token is r1.
func refreshed(t *testing.T, edit func(f *fakeProvider)) (*fakeProvider, oidc.SignedIn, error) {
	t.Helper()
	f := newFakeProvider(t)
	f.refresh = "r1"
	edit(f)
	in, err := newClient().Refresh(t.Context(), f.provider(), "person-1", "r1")
	return f, in, err
}

// TestRefresh checks what a provider may answer to a refresh token.
func TestRefresh(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		edit    func(f *fakeProvider)
		refresh string
		want    func(i *oidc.Identity)
	}{
		"ID token": {edit: func(*fakeProvider) {}, refresh: "r1", want: func(*oidc.Identity) {}},
		"another refresh token": {refresh: "r2", want: func(*oidc.Identity) {}, edit: func(f *fakeProvider) {
			f.token = func(answer map[string]any) { answer["refresh_token"] = "r2" }
		}},
		"user info in place of an ID token": {refresh: "r1", edit: func(f *fakeProvider) {
			f.token = func(answer map[string]any) { delete(answer, "id_token") }
			f.userInfo = map[string]any{"sub": "person-1", "groups": []string{"staff"}}
		}, want: func(i *oidc.Identity) {
			*i = oidc.Identity{Issuer: i.Issuer, Subject: i.Subject, Teams: []string{"staff"}, HasTeams: true}
		}},
		"neither": {refresh: "r1", edit: func(f *fakeProvider) {
			f.token = func(answer map[string]any) { delete(answer, "id_token") }
			delete(f.metadata, "userinfo_endpoint")
		}, want: func(i *oidc.Identity) { *i = oidc.Identity{Issuer: i.Issuer, Subject: i.Subject} }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, got, err := refreshed(t, c.edit)
			want := oidc.SignedIn{Identity: ada(f), Refresh: c.refresh}
			c.want(&want.Identity)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v %v, want %+v", got, err, want)
			}
		})
	}
}

// TestRefreshIsRefused checks which answers to a refresh token are refused, and which of them mean that it was revoked.
func TestRefreshIsRefused(t *testing.T) {
	t.Parallel()
	withoutToken := func(f *fakeProvider) { f.token = func(answer map[string]any) { delete(answer, "id_token") } }
	for name, c := range map[string]struct {
		edit      func(f *fakeProvider)
		reason    oidc.Reason
		isRevoked bool
	}{
		"revoked":        {edit: func(f *fakeProvider) { f.refresh = "r2" }, reason: oidc.ReasonRefused, isRevoked: true},
		"another person": {edit: func(f *fakeProvider) { f.claims["sub"] = "person-2" }, reason: oidc.ReasonClaims},
		"user info of another person": {edit: func(f *fakeProvider) {
			withoutToken(f)
			f.userInfo = map[string]any{"sub": "person-2"}
		}, reason: oidc.ReasonUserInfo},
		"another client": {edit: func(f *fakeProvider) { f.claims["aud"] = "other" }, reason: oidc.ReasonAudience},
		"another issuer": {edit: func(f *fakeProvider) { f.claims["iss"] = "https://b.example" }, reason: oidc.ReasonTokenOf},
		"unsigned":       {edit: func(f *fakeProvider) { f.sign = unsigned }, reason: oidc.ReasonAlgorithm},
		"user info refused": {edit: func(f *fakeProvider) {
			withoutToken(f)
			f.answers["/userinfo"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }
		}, reason: oidc.ReasonUserInfo},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := refreshed(t, c.edit)
			wantRefused(t, err, c.reason)
			if oidc.IsRevoked(err) != c.isRevoked || strings.Contains(err.Error(), "secret text") {
				t.Errorf("%v: revoked %t, want %t", err, oidc.IsRevoked(err), c.isRevoked)
			}
		})
	}
	_, _, err := refreshed(t, func(f *fakeProvider) {
		f.answers["/token"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	})
	if !errors.Is(err, oidc.ErrUnavailable) || oidc.IsRevoked(err) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}

// TestRefreshTokenIsAskedFor checks that the scope for a refresh token is sent to the providers that have it.
func TestRefreshTokenIsAskedFor(t *testing.T) {
	t.Parallel()
	f := newFakeProvider(t)
	f.metadata["scopes_supported"] = []string{"openid", "offline_access"}
	start, err := newClient().Start(t.Context(), f.provider())
	if err != nil || !strings.Contains(start.Address, "scope=openid+profile+email+offline_access&") {
		t.Errorf("%s %v", start.Address, err)
	}
}
