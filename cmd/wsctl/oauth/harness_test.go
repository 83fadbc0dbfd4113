package oauth_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

func noon() time.Time { return time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC) }

// newClient returns a Client that sends its requests by h, with the clock of the tests.
func newClient(h *http.Client) oauth.Client {
	return oauth.Client{HTTP: h, Timeout: 10 * time.Second, UserAgent: "wsctl/test", Now: noon}
}

// discover returns a fake server with its metadata.
func discover(t *testing.T) (*apptest.AuthServer, oauth.Server) {
	t.Helper()
	fake := apptest.NewAuthServer(t, noon)
	s, err := oauth.Discover(t.Context(), client.New(fake.URL), fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	return fake, s
}
