package oauth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// TestDiscoverRefusesOtherOrigins checks that metadata is refused if an address is missing or of another origin than the server.
func TestDiscoverRefusesOtherOrigins(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"issuer", "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "revocation_endpoint",
	} {
		for value, want := range map[string]string{
			"": "without " + name, "https://elsewhere.example/x": "login --url https://elsewhere.example", "/oauth": "another address",
		} {
			fake := apptest.NewAuthServer(t, noon)
			fake.Metadata = map[string]string{name: value}
			_, err := oauth.Discover(t.Context(), client.New(fake.URL), fake.URL)
			refused, ok := errors.AsType[*oauth.Error](err)
			if !ok || !strings.Contains(refused.Message+refused.Hint, want) {
				t.Errorf("%s %q: %+v", name, value, err)
			}
		}
	}
}

func TestDiscoverServerWithoutLogin(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"wsd": `{"error":{"code":404,"message":"Not found."}}`, "other": "404 page not found"} {
		fake := apptest.NewAuthServer(t, noon)
		fake.Fail = func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, body, http.StatusNotFound)
			return true
		}
		_, err := oauth.Discover(t.Context(), client.New(fake.URL), fake.URL)
		if refused, ok := errors.AsType[*oauth.Error](err); !ok || !strings.Contains(refused.Hint, "--with-token") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"https://a.example/x", "https://A.example:443", true},
		{"http://a.example", "http://a.example:80/v1", true},
		{"http://[::1]:8080/", "http://[::1]:8080", true},
		{"https://a.example", "http://a.example", false},
		{"https://a.example:8443", "https://a.example", false},
		{"https://a.example@b.example", "https://b.example", false},
		{"//a.example", "//a.example", true},
		{"", "", false},
		{"/x", "/x", false},
	} {
		if got := oauth.SameOrigin(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
	}
}
