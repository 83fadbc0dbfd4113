package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

var (
	refused = step{status: 401, body: `{"error":{"code":401,"message":"A valid token is needed.","reason":"unauthenticated"}}`}
	created = step{status: 200, body: space}
)

// renewing is a TokenSource that has other in the place of a refused token.
func renewing(first, other string, asked *[]string) client.TokenSource {
	return func(_ context.Context, refused string) (string, error) {
		*asked = append(*asked, refused)
		if refused != "" {
			return other, nil
		}
		return first, nil
	}
}

// TestRefusedTokenIsRenewedOnce checks that a request whose token is refused is sent once more, with the same body and key, if the
// source has another token.
func TestRefusedTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps []step
		other string
		code  int
		asked []string
		sent  []string
	}{
		"accepted":       {[]step{created}, "b", 0, []string{""}, []string{"Bearer a"}},
		"renewed":        {[]step{refused, created}, "b", 0, []string{"", "a"}, []string{"Bearer a", "Bearer b"}},
		"no other token": {[]step{refused}, "a", 401, []string{"", "a"}, []string{"Bearer a"}},
		"none at all":    {[]step{refused}, "", 401, []string{"", "a"}, []string{"Bearer a"}},
		"refused again":  {[]step{refused, refused}, "b", 401, []string{"", "a"}, []string{"Bearer a", "Bearer b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			s := serve(t, test.steps...)
			c := client.New(s.URL, client.WithTokenSource(renewing("a", test.other, &asked)))
			_, err := c.Spaces.Create(t.Context(), api.CreateSpaceInput{Organization: "o_1", Body: api.SpaceCreate{Title: "Title"}})
			if answer, ok := api.AsError(err); test.code != 0 && (!ok || answer.Code != test.code) || test.code == 0 && err != nil {
				t.Fatalf("error %v", err)
			}
			var sent []string
			for _, r := range s.requests() {
				sent = append(sent, r.header.Get("Authorization"))
				first := s.requests()[0]
				if r.Body != first.Body || r.header.Get("Idempotency-Key") != first.header.Get("Idempotency-Key") {
					t.Errorf("sent %+v, then %+v", first, r)
				}
			}
			if diff := cmp.Diff(test.asked, asked) + cmp.Diff(test.sent, sent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestContentIsSentAgainWithRenewedToken checks that content is sent again from its beginning, and not if it can be read once only.
func TestContentIsSentAgainWithRenewedToken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content io.Reader
		steps   []step
	}{
		"seeker":    {bytes.NewReader([]byte("zip")), []step{refused, {status: 200, body: `{}`}}},
		"read once": {io.MultiReader(strings.NewReader("zip")), []step{refused}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			s := serve(t, test.steps...)
			content := client.NewContent("application/zip", test.content)
			c := client.New(s.URL, client.WithTokenSource(renewing("a", "b", &asked)))
			_, err := c.Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/v1/x", Content: &content})
			if isRefused := err != nil; isRefused != (len(test.steps) == 1) {
				t.Errorf("error %v", err)
			}
			for _, r := range s.requests() {
				if r.Body != "zip" {
					t.Errorf("sent %q", r.Body)
				}
			}
			if len(s.requests()) != len(test.steps) {
				t.Errorf("%d requests", len(s.requests()))
			}
		})
	}
}

// TestTokenSourceError checks that an error of the source is that of the call, that nothing is sent, and that the outcome of a write
// is known.
func TestTokenSourceError(t *testing.T) {
	t.Parallel()
	s := serve(t)
	away := &client.TransportError{URL: s.URL, Err: errors.New("cut off")}
	c := client.New(s.URL, client.WithRetries(0), client.WithTokenSource(func(context.Context, string) (string, error) { return "", away }))
	_, err := c.Spaces.Create(t.Context(), api.CreateSpaceInput{Organization: "o_1", Body: api.SpaceCreate{Title: "Title"}})
	_, unknown := errors.AsType[*client.UnknownOutcomeError](err)
	if !errors.Is(err, away) || unknown || err.Error() != away.Error() {
		t.Errorf("error %v", err)
	}
}

// TestStreamRenewsToken checks that a stream goes on with another token when the server refuses the first for a new connection.
func TestStreamRenewsToken(t *testing.T) {
	t.Parallel()
	var asked []string
	stream := step{
		status: 200, header: http.Header{"Content-Type": {api.MediaEventStream}}, body: "id: 1\n\n",
	}
	s := serve(t, refused, stream)
	c := client.New(s.URL, client.WithTokenSource(renewing("a", "b", &asked)))
	for m, err := range c.Events.Tail(t.Context(), api.TailEventsInput{Organization: "o_1"}) {
		if err != nil {
			t.Fatalf("%+v %v", m, err)
		}
		break
	}
	if diff := cmp.Diff([]string{"", "a"}, asked); diff != "" {
		t.Error(diff)
	}
}
