package server_test

import (
	"bufio"
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

// TestRefusedRequestsWithExpect checks on a socket that a request with a wrong token and Expect: 100-continue is refused before its body
// is sent, and that a good one is asked for it, directly and by a trusted proxy.
func TestRefusedRequestsWithExpect(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for name, networks := range map[string]string{"client": "", "trusted proxy": "127.0.0.0/8"} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // they share a world
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
				_, err = fmt.Fprintf(c, "PATCH /v1/spaces/%s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\nContent-Type: application/json\r\n"+
					"Authorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", s.Handbook, token, size)
				w.Must(err)
				return c, bufio.NewReader(c)
			}
			body := `{"title":"Expected"}`
			refused, answer := ask("wrong", 2<<20)
			response, err := http.ReadResponse(answer, nil)
			if err != nil || response.StatusCode != http.StatusUnauthorized || !response.Close {
				t.Errorf("with a wrong token: %v, %v", response, err)
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
			if response, err = http.ReadResponse(answer, nil); err != nil || response.StatusCode != http.StatusOK || response.Close {
				t.Errorf("with its body: %v, %v", response, err)
			}
			w.Must(accepted.Close())
			w.Must(web.Close())
			w.Must(<-ended)
		})
	}
}
