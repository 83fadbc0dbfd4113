package listen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// authorized is a handler that refuses requests without the header Authorization and reads the body of others.
func authorized(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	echo(w, r)
}

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

// TestExpectContinue checks that a request with Expect: 100-continue that is refused is answered before its body is sent, on a
// connection that then closes, and that the client of another one is asked for the body, also by a proxy.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	const size = 2 << 20
	for name, address := range map[string]string{"client": "192.0.2.1", "trusted proxy": "198.51.100.7"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				trusted, err := ParseNetworks("198.51.100.0/24")
				if err != nil {
					t.Fatal(err)
				}
				s := newTestServer(t, defaultLimits(), trusted, authorized)
				header := fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\nContent-Length: %d\r\n"+
					"Expect: 100-continue\r\n", size)
				refused, start := s.dial(address), time.Now()
				send(t, refused, header+"\r\n")
				if status, closes := readAnswer(t, bufio.NewReader(refused)); status != http.StatusUnauthorized || !closes {
					t.Errorf("a refused request: %d, the connection closes: %t", status, closes)
				}
				if _, err := io.Copy(io.Discard, refused); err != nil {
					t.Errorf("the end of the connection: %v", err)
				}
				if took := time.Since(start); took > time.Second {
					t.Errorf("the refusal took %s", took)
				}
				accepted := s.dial(address)
				send(t, accepted, header+"Authorization: yes\r\n\r\n")
				answers := bufio.NewReader(accepted)
				if line, err := answers.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
					t.Errorf("an accepted request: %q, %v", line, err)
				}
				if line, err := answers.ReadString('\n'); err != nil || line != "\r\n" {
					t.Errorf("after the status: %q, %v", line, err)
				}
				send(t, accepted, strings.Repeat("b", size))
				if status, closes := readAnswer(t, answers); status != http.StatusOK || closes {
					t.Errorf("with its body: %d, the connection closes: %t", status, closes)
				}
			})
		})
	}
}

// TestFlushedAnswerDoesNotWaitForBody checks that an answer that is flushed before the handler returns waits at most one BodyTime for a
// body that the handler does not read, or of which it reads a part.
func TestFlushedAnswerDoesNotWaitForBody(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]int{"unread": 0, "partly read": 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newTestServer(t, defaultLimits(), nil, func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadFull(r.Body, make([]byte, read)); err != nil {
						t.Error(err)
					}
					w.WriteHeader(http.StatusForbidden)
					_ = http.NewResponseController(w).Flush()
				})
				c, start := s.dial("192.0.2.1"), time.Now()
				send(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n")
				send(t, c, strings.Repeat("b", read))
				if status, body := readResponse(c); status != http.StatusForbidden {
					t.Errorf("%d %s", status, body)
				}
				if took := time.Since(start); took > 11*time.Second {
					t.Errorf("the answer took %s", took)
				}
			})
		})
	}
}
