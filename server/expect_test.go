package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store/storetest"
)

// readAnswer reads a response and reports whether the connection closes after it.
func readAnswer(t *testing.T, r *bufio.Reader) (status int, closes bool) {
	t.Helper()
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		t.Error(err)
	}
	return response.StatusCode, response.Close
}

// TestRefusedRequestsWithExpect checks on a socket that a request with a wrong token and Expect: 100-continue is refused before its body
// is sent, and that a good one is asked for it, directly and by a trusted proxy.
func TestRefusedRequestsWithExpect(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for name, networks := range map[string]string{"client": "", "trusted proxy": "127.0.0.0/8"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trusted, err := listen.ParseNetworks(networks)
			w.Must(err)
			limits := listen.LimitsOf(budgets.Defaults())
			limits.BodyTime = time.Hour // a refusal that waits for the body fails the test
			listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			w.Must(err)
			web := listen.New(w.Handler, limits, trusted, slog.New(slog.DiscardHandler))
			ended := make(chan error)
			go func() { ended <- web.Serve(listener) }()
			ask := func(token string, size int) (net.Conn, *bufio.Reader) {
				c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
				w.Must(err)
				w.Must(c.SetDeadline(time.Now().Add(time.Minute)))
				_, err = fmt.Fprintf(c, "PATCH /v1/spaces/%s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\n"+
					"Content-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
					s.Handbook, token, size)
				w.Must(err)
				return c, bufio.NewReader(c)
			}
			body := `{"title":"Expected"}`
			refused, answer := ask("wrong", 2<<20)
			if status, closes := readAnswer(t, answer); status != http.StatusUnauthorized || !closes {
				t.Errorf("with a wrong token: %d, the connection closes: %t", status, closes)
			}
			if _, err := io.Copy(io.Discard, answer); err != nil {
				t.Errorf("the end of its connection: %v", err)
			}
			w.Must(refused.Close())
			accepted, answer := ask(w.Tokens["admin"], len(body))
			if line, err := answer.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
				t.Errorf("with a token: %q, %v", line, err)
			}
			_, err = answer.ReadString('\n')
			w.Must(err)
			_, err = io.WriteString(accepted, body)
			w.Must(err)
			if status, closes := readAnswer(t, answer); status != http.StatusOK || closes {
				t.Errorf("with its body: %d, the connection closes: %t", status, closes)
			}
			w.Must(accepted.Close())
			w.Must(web.Close())
			w.Must(<-ended)
		})
	}
}
