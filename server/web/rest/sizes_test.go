package rest_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestInputSizesAreLimitedCampaign checks that values at their limit are not refused for their size, and that larger ones, up to the
// size of the body, are. A refusal is a 4xx with a short message and takes little memory, for all callers.
//
//wsd:serial
func TestInputSizesAreLimitedCampaign(t *testing.T) { //nolint:paralleltest // it counts the bytes of the process
	w := servertest.NewWorld(t, storetest.Memory())
	s := w.Populate()
	w.UpdateIndex()
	before := w.Dump()
	var things []sizedPart
	for _, row := range api.Rows() {
		things = append(things, sizedParts(row)...)
	}
	n, seed := storetest.Campaign(t, "limits", 60, len(things))
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(things), func(i, j int) { things[i], things[j] = things[j], things[i] })
	requests := 0
	for _, z := range things[:n] {
		requests += sendSizes(w, s, z)
	}
	t.Logf("%d things of %d, %d requests", n, len(things), requests)
	servertest.WantUnchanged(w, before, "after requests of all sizes")
}

// sendSizes sends the request of a row with values of several sizes, as all persons.
func sendSizes(w *servertest.World, s *servertest.Sample, z sizedPart) (requests int) {
	input := api.NewCompiler().Input(z.row)
	sizes := []int{z.limit, z.limit + 1, 1000 * z.limit}
	for i, size := range sizes {
		capacity := 60 << 10 // limit of the listener
		if z.location == "body" {
			capacity = int(input.BodyLimit) - len(z.wrapper[0]) - len(z.wrapper[1])
		}
		if z.unit != "value" {
			size = min(size, capacity)
		}
		value := z.encode(size)
		switch {
		case len(value) <= capacity:
		case z.location == "body":
			value = z.largestValue(size, capacity)
		default:
			value = value[:capacity]
		}
		for _, as := range []string{"", "reader", "admin"} {
			requests++
			r := z.request(w, s, value)
			if i == 0 && z.row.Writes() && z.unit != "keys" {
				r.path = servertest.WithQuery(r.path, "dryRun=true")
			}
			a, allocated := sendMeasured(w, as, z.row, r)
			what := fmt.Sprintf("%s: %s %s of %d %s as %q", z.row.Name, z.location, z.path, size, z.unit, as)
			checkSmall(w, what, a, r, allocated)
			switch {
			case i == 0 && as == "admin":
				wantNotTooLarge(w, what, z, a)
			case i > 0 && as == "admin":
				wantTooLarge(w, what, z, a)
			case i > 0 && a.Status < http.StatusBadRequest:
				w.T.Errorf("%s is answered with %d", what, a.Status)
			}
		}
	}
	return requests
}

// largestValue returns the largest value of at most the given size that fits into capacity bytes.
func (p sizedPart) largestValue(size, capacity int) string {
	low, high := p.limit+1, size
	for low < high {
		if middle := (low + high + 1) / 2; len(p.encode(middle)) <= capacity {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return p.encode(low)
}

// sendMeasured sends a request and returns the bytes that the server allocates for it. Nothing else may allocate in the process
// meanwhile.
func sendMeasured(w *servertest.World, as string, row api.Row, r request) (servertest.Response, uint64) {
	w.T.Helper()
	request := httptest.NewRequestWithContext(w.T.Context(), row.Method, r.path, bytes.NewReader(r.body))
	if r.body == nil {
		request = httptest.NewRequestWithContext(w.T.Context(), row.Method, r.path, nil)
	}
	request.Header.Set("Content-Type", "application/json")
	if as != "" {
		request.Header.Set("Authorization", "Bearer "+w.Tokens[as])
	}
	for i := 0; i+1 < len(r.headers); i += 2 {
		request.Header.Set(r.headers[i], r.headers[i+1])
	}
	recorder := httptest.NewRecorder()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.Handler.ServeHTTP(recorder, request)
	runtime.ReadMemStats(&after)
	return servertest.Response{
		Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes(),
	}, after.TotalAlloc - before.TotalAlloc
}

// checkSmall checks that a response is not a 5xx and that a refusal is short and allocates little memory.
func checkSmall(w *servertest.World, what string, a servertest.Response, r request, allocated uint64) {
	w.T.Helper()
	if a.Status >= http.StatusInternalServerError {
		w.T.Errorf("%s: %d %.300s", what, a.Status, a.Body)
	}
	if a.Status < http.StatusBadRequest {
		return
	}
	if fields := len(a.Error().Fields); fields > 50 || len(a.Body) > 64<<10 {
		w.T.Errorf("%s: %d fields, %d bytes", what, fields, len(a.Body))
	}
	if most := uint64(8*len(r.body) + 1<<20); allocated > most {
		w.T.Errorf("%s: %d bytes are allocated for a body of %d: %d %.300s", what, allocated, len(r.body), a.Status, a.Body)
	}
	for _, letter := range []string{"x", "é", "0"} {
		if strings.Contains(string(a.Body), strings.Repeat(letter, 101)) {
			w.T.Errorf("%s: too much of it is said again: %.600s", what, a.Body)
		}
	}
}

// wantNotTooLarge fails the test if a response refuses a value for its size.
func wantNotTooLarge(w *servertest.World, what string, z sizedPart, a servertest.Response) {
	w.T.Helper()
	e := a.Error()
	if a.Status == http.StatusRequestEntityTooLarge && e.Reason == api.ReasonTooLarge && strings.HasPrefix(e.Message, "The body") {
		w.T.Errorf("%s: %d %.300s", what, a.Status, a.Body)
	}
	if strings.Contains(e.Message, "nested deeper") || strings.Contains(e.Message, "The query has") {
		w.T.Errorf("%s: %d %.300s", what, a.Status, a.Body)
	}
	for _, f := range e.Fields {
		if f.Path == z.path && (strings.HasPrefix(f.Message, "must have") || z.unit == "value" &&
			strings.Contains(f.Message, fmt.Sprintf("to %d,", z.limit))) {
			w.T.Errorf("%s: %.300s", what, a.Body)
		}
	}
}

// wantTooLarge fails the test unless a response refuses a value and contains its path.
func wantTooLarge(w *servertest.World, what string, z sizedPart, a servertest.Response) {
	w.T.Helper()
	e := a.Error()
	named := func(f api.FieldError) bool {
		return f.Path == z.path || strings.HasPrefix(f.Path, strings.TrimSuffix(z.path, ".key"))
	}
	switch {
	case a.Status != http.StatusBadRequest && a.Status != http.StatusUnprocessableEntity:
		w.T.Errorf("%s: %d %.300s", what, a.Status, a.Body)
	case z.unit == "levels":
		if !strings.Contains(e.Message, "nested deeper") {
			w.T.Errorf("%s: %d %.300s", what, a.Status, a.Body)
		}
	case strings.Contains(e.Message, "The query has"):
	case !slices.ContainsFunc(e.Fields, named):
		w.T.Errorf("%s: the answer does not name it: %d %.300s", what, a.Status, a.Body)
	}
}

// untouchableBody is a body that fails the test when it is read.
type untouchableBody struct{ t *testing.T }

// Read implements io.Reader.
func (u untouchableBody) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

// endlessBody is a body without end that counts the bytes read.
type endlessBody struct{ bytesRead int }

// Read implements io.Reader.
func (e *endlessBody) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.bytesRead += len(p)
	return len(p), nil
}

// TestRefusedBodiesAreNotRead checks that a body with a too large Content-Length is not read, that reading stops at
// the first byte beyond the limit, and that bodies of anonymous callers are not read where a token is required.
func TestRefusedBodiesAreNotRead(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	s := w.Populate()
	send := func(as string, row api.Row, body io.Reader, length int64) servertest.Response {
		r := httptest.NewRequestWithContext(t.Context(), row.Method, w.SamplePath(row, s), body)
		r.ContentLength = length
		r.Header.Set("Content-Type", "application/json")
		if as != "" {
			r.Header.Set("Authorization", "Bearer "+w.Tokens[as])
		}
		recorder := httptest.NewRecorder()
		w.Handler.ServeHTTP(recorder, r)
		return servertest.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
	}
	servertest.EachRow(t, api.Row.Writes, func(t *testing.T, row api.Row) {
		input := api.NewCompiler().Input(row)
		limit := max(input.BodyLimit, 1)
		want := http.StatusRequestEntityTooLarge
		if !servertest.TakesBody(row) {
			want = http.StatusBadRequest
		}
		if a := send("admin", row, untouchableBody{t}, limit+1); a.Status != want {
			t.Errorf("declared: %d %s", a.Status, a.Body)
		}
		endless := &endlessBody{}
		if a := send("admin", row, endless, -1); a.Status != want || int64(endless.bytesRead) > 2*limit+1024 {
			t.Errorf("undeclared: %d after %d bytes: %s", a.Status, endless.bytesRead, a.Body)
		}
		if row.Name == api.AcceptInvite.Name {
			if limit > 16<<10 {
				t.Errorf("strangers may send %d bytes", limit)
			}
			return
		}
		if a := send("", row, untouchableBody{t}, 10); a.Status != http.StatusUnauthorized {
			t.Errorf("from a stranger: %d %s", a.Status, a.Body)
		}
	})
}
