package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestDryRunsInventNothingElse checks that api.WithoutProvisional removes what differs between two dry runs of any write, except
// times.
//
//wsd:serial
func TestDryRunsInventNothingElse(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for _, row := range orderedRows() {
		if !row.Writes() {
			continue
		}
		path, body := w.SamplePathWith(row, s, spareParams(w, row)), w.SampleBody(row, s)
		sent, err := json.Marshal(body)
		w.Must(err)
		var answers [2]any
		for i := range answers {
			a := w.Send("admin", row.Method, servertest.WithQuery(path, "dryRun=true"), body)
			if a.Status >= http.StatusBadRequest {
				t.Errorf("%s: %d %s", row.Name, a.Status, a.Body)
			}
			if len(a.Body) > 0 {
				w.Must(json.Unmarshal(api.WithoutProvisional(row, path+string(sent), a.Body), &answers[i]))
			}
		}
		reportDifference(t, row.Name, answers[0], answers[1])
	}
}

// reportDifference reports the first difference of two decoded JSON values, except in times.
func reportDifference(t *testing.T, at string, a, b any) {
	t.Helper()
	switch a := a.(type) {
	case map[string]any:
		for name, value := range a {
			other, _ := b.(map[string]any)
			reportDifference(t, at+"."+name, value, other[name])
		}
		return
	case []any:
		for i, value := range a {
			if other, _ := b.([]any); i < len(other) {
				reportDifference(t, fmt.Sprintf("%s[%d]", at, i), value, other[i])
			}
		}
		return
	case string:
		if _, err := time.Parse(time.RFC3339, a); err == nil {
			return
		}
	}
	if a != b {
		t.Errorf("%s: %v and %v", at, a, b)
	}
}
