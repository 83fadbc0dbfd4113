package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMap(t *testing.T) {
	t.Parallel()
	base := map[string]string{"same": "1", "ours": "1", "theirs": "1", "both": "1", "gone": "1", "edited": "1", "equal": "1"}
	ours := map[string]string{"same": "1", "ours": "2", "theirs": "1", "both": "2", "gone": "1", "equal": "2", "added": "1"}
	theirs := map[string]string{"same": "1", "ours": "1", "theirs": "2", "both": "3", "edited": "2", "equal": "2", "new": "1"}
	result, conflicts := Map(KindFile, base, ours, theirs)
	want := []string{`file "1" "2" "3"`, `file "1" - "2"`}
	if diff := cmp.Diff(want, summaries(conflicts)); diff != "" {
		t.Fatalf("conflicts (-want +got):\n%s", diff)
	}
	wantResult := map[string]string{
		"same": "1", "ours": "2", "theirs": "2", "both": "2", "edited": "2", "equal": "2", "added": "1", "new": "1",
	}
	if diff := cmp.Diff(wantResult, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	answers := Resolutions{conflicts[0].ID: conflicts[0].Theirs, conflicts[1].ID: nil}
	result, conflicts = ResolveMap(KindFile, base, ours, theirs, answers)
	wantResult["both"] = "3"
	delete(wantResult, "edited")
	if diff := cmp.Diff(wantResult, result); diff != "" || len(conflicts) > 0 {
		t.Errorf("resolved (-want +got), %v:\n%s", summaries(conflicts), diff)
	}
}
