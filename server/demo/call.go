package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"docspace.dev/wsd/client/api"
)

// Handler is the type of the HTTP handler to which the demo sends its requests.
type Handler = http.Handler

// call executes an operation on the handler as the named user. first and rest are the path parameters; a nil body is
// not sent. After the first failure the loader does nothing.
func call[In, Out any](l *loader, as string, route api.Route[In, Out], first string, body any, rest ...string) Out {
	var out Out
	if l.err != nil {
		return out
	}
	target := route.Path
	for i, p := range route.PathParams() {
		v := first
		if i > 0 {
			v = rest[i-1]
		}
		target = strings.NewReplacer("{"+p.Name+"}", v, "{"+p.Name+"...}", v).Replace(target)
	}
	for name, value := range route.Sent() {
		target += "?" + name + "=" + value
	}
	l.err = l.run(as, route.Row, target, body, &out)
	return out
}

func (l *loader) run(as string, row api.Row, target string, body, out any) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return fmt.Errorf("%s: %w", row.Name, err)
		}
	}
	r, err := http.NewRequestWithContext(l.ctx, row.Method, target, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", row.Name, err)
	}
	r.Header.Set("Authorization", "Bearer "+l.tokens[as])
	r.Header.Set("Content-Type", "application/json")
	w := &response{header: http.Header{}}
	l.handler.ServeHTTP(w, r)
	if w.status != row.Status {
		return fmt.Errorf("%s %s: %d %s", row.Name, target, w.status, w.body.Bytes())
	}
	if err := json.Unmarshal(w.body.Bytes(), out); err != nil {
		return fmt.Errorf("%s: %w", row.Name, err)
	}
	return nil
}

// response is an http.ResponseWriter that stores the response in memory.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *response) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *response) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *response) Write(data []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.body.Write(data)
}
