package rest_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
)

// TestLogContainsTrace checks that the log line of a request contains the ids of its traceparent, for operations, other routes and
// unknown paths, and that an invalid traceparent is ignored.
func TestLogContainsTrace(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	j := serveWithLog(w, 0)
	valid := "00-" + traceID + "-" + spanID + "-01"
	for _, path := range []string{"/v1/user", "/v1/spaces/s_1", "/v1/openapi.json", "/nowhere"} {
		w.Send("admin", "GET", path, nil, "traceparent", valid)
		lines := j.lines(t)
		if len(lines) != 1 || lines[0]["trace"] != traceID || lines[0]["span"] != spanID || lines[0]["request"] == nil {
			t.Errorf("%s: %v", path, lines)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/user", nil)
	r.Header["Traceparent"] = []string{valid, valid}
	w.Handler.ServeHTTP(httptest.NewRecorder(), r)
	if line := j.lines(t)[0]; line["trace"] != nil {
		t.Errorf("two headers: %v", line)
	}
	for value, isValid := range map[string]bool{
		"01-" + traceID + "-" + spanID + "-01":      true, // later versions may be longer
		"01-" + traceID + "-" + spanID + "-01-more": true,
		"":                                     false,
		valid + "-more":                        false,
		valid + "0":                            false,
		"ff-" + traceID + "-" + spanID + "-01": false,
		"0-" + traceID + "-" + spanID + "-01":  false,
		"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01":             false,
		"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01":            false,
		"00-" + strings.ToUpper(traceID) + "-" + spanID + "-01":            false,
		"00-" + traceID[1:] + "-" + spanID + "-01":                         false,
		"00-" + traceID + "-" + spanID + "-0g":                             false,
		"00-" + strings.Replace(traceID, "4", "x", 1) + "-" + spanID + "-": false,
		"00-" + traceID + "-" + spanID:                                     false,
	} {
		w.Send("admin", "GET", "/v1/user", nil, "traceparent", value)
		lines := j.lines(t)
		_, traced := lines[0]["trace"]
		if _, spanned := lines[0]["span"]; traced != isValid || spanned != isValid {
			t.Errorf("%q: %v", value, lines[0])
		}
	}
}
