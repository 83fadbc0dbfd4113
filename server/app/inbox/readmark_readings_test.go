package inbox

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/store"
)

// TestUpdateMarksDropsOldest checks that beyond the maximum the oldest marks are dropped, and a mark that is set again becomes
// the newest.
func TestUpdateMarksDropsOldest(t *testing.T) {
	t.Parallel()
	seen := map[string]revision.Fingerprint{}
	var d store.ReadingPrivate
	for n := range 5 {
		body := api.ReadingUpdate{}
		for i := range 5000 {
			id := fmt.Sprintf("p_%d_%d", n, i)
			body.Read, seen[id] = append(body.Read, id), revision.Fingerprint{Hash: "x"}
		}
		if n == 4 {
			body.Read[0] = "p_0_4999" // marks the item again, because it would be the next one to be dropped
		}
		updateMarks(&d, body, seen, api.Time{})
	}
	marked := map[string]bool{}
	for _, m := range d.Marks {
		marked[m.ID] = true
	}
	if len(d.Marks) != api.MaxReadMarks || len(marked) != api.MaxReadMarks {
		t.Errorf("%d marks, %d of them different, want %d", len(d.Marks), len(marked), api.MaxReadMarks)
	}
	for id, want := range map[string]bool{"p_0_4998": false, "p_0_4999": true, "p_1_0": true} {
		if marked[id] != want {
			t.Errorf("%s is kept: %t, want %t", id, marked[id], want)
		}
	}
}
