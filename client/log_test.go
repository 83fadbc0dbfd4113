package client_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// TestLogOmitsSecrets checks that no row logs a secret of its input, in whatever field it is, neither with nor without an answer.
func TestLogOmitsSecrets(t *testing.T) {
	t.Parallel()
	const secret = "k3y-of-a-thing"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req_9")
		_, _ = io.WriteString(w, "{}")
	}))
	defer s.Close()
	var b bytes.Buffer
	logger := client.WithLogger(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, row := range append(api.Rows(), api.Refusals()...) {
		in := reflect.New(row.In).Elem()
		setSecrets(in, secret)
		req, err := client.Encode(row, in.Interface())
		if err != nil {
			continue // a path without an id
		}
		for _, address := range []string{s.URL, closed.URL} {
			c := client.New(address, client.WithToken("wsd_"+secret), client.WithRetries(0), logger)
			_, _ = c.Do(t.Context(), req)
		}
		if strings.Contains(b.String(), secret) {
			t.Errorf("%s logs a secret: %s", row.Name, b.String())
		}
		b.Reset()
	}
	c := client.New(s.URL, client.WithToken("wsd_"+secret), logger)
	if _, err := c.Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"req_9", "status=200", "/v1/spaces/spc_1 "} {
		if log := b.String(); !strings.Contains(log, want) {
			t.Errorf("logged %s, want %q", log, want)
		}
	}
}

// setSecrets sets the texts of an input: a credential for each parameter of the path, and secret for the marked parameters of the
// query and the texts of the body.
func setSecrets(in reflect.Value, secret string) {
	for _, f := range reflect.VisibleFields(in.Type()) {
		field := in.FieldByIndex(f.Index)
		switch {
		case field.Kind() != reflect.String:
		case f.Tag.Get("path") != "":
			field.SetString("wsi_o_i_" + secret)
		case f.Tag.Get("secret") == "true":
			field.SetString(secret)
		}
	}
	body := in.FieldByName("Body")
	if !body.IsValid() || body.Kind() != reflect.Struct {
		return
	}
	for _, member := range body.Fields() {
		if member.Kind() == reflect.String {
			member.SetString(secret)
		}
	}
}

// TestErrorsOmitSecrets checks that the error for an answer that is not from wsd contains no credentials, also if it names the target
// of a redirect.
func TestErrorsOmitSecrets(t *testing.T) {
	t.Parallel()
	page := step{status: 200, body: "<html>", header: http.Header{"Content-Type": {"text/html"}}}
	redirect := step{status: 302, header: http.Header{"Location": {"https://u:pw@login.example/x?shareKey=hush&next=1"}}}
	s := serve(t, page, redirect)
	c := client.New(s.URL, client.WithRetries(0))
	in := api.JoinInviteInput{Organization: "o_1", Invite: "wsi_o_i_hush"}
	for _, want := range []string{"an HTML page", "a redirect to https://u:xxxxx@login.example/x"} {
		_, err := c.Invites.Join(t.Context(), in)
		if err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s in it", err, want)
		}
	}
}
