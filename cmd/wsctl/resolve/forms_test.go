package resolve_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// TestNamesHaveForms checks that the help describes the names of every subject that has names.
func TestNamesHaveForms(t *testing.T) {
	t.Parallel()
	subjects := map[string]bool{resolve.TrashedSpace: true, resolve.TrashedCollection: true}
	for _, row := range api.Rows() {
		for _, p := range row.PathParams() {
			subjects[p.Subject] = true
		}
	}
	for subject := range subjects {
		if named := resolve.Forms(subject) != ""; named != resolve.HasNames(subject) {
			t.Errorf("%s: the help has forms: %v", subject, named)
		}
	}
	if len(subjects) < 30 {
		t.Errorf("%d subjects", len(subjects))
	}
}
