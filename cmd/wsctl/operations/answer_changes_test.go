package operations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
)

const (
	changesJSON = `200 {"base":"r_1","revision":"r_2","changes":[
		{"type":"page_edited","page":{"id":"p_1","type":"document","title":"Power","path":"power"},"attributes":{"document":{"before":"a",
		"after":"b"}}},
		{"type":"page_created","page":{"id":"p_2","type":"document","title":"N\u0007ew","path":"new"}},
		{"type":"file_created","file":{"id":"f_1","name":"light.png","contentType":"image/png","downloadURL":"x"}}],"more":2}`
	diffJSON = `200 {"base":"r_1","revision":"r_2","documents":[{"change":"edited","page":{"id":"p_1","type":"document","title":"Power","path":"power"},
		"words":{"added":1,"removed":1},"blocks":[
		{"change":"same","id":"b_1","kind":"paragraph","runs":[{"change":"same","text":"One.\n\n"}]},
		{"change":"same","id":"b_2","kind":"paragraph","runs":[{"change":"same","text":"Two.\n\n"}]},
		{"change":"edited","id":"b_3","kind":"paragraph","runs":[{"change":"same","text":"It is "},{"change":"removed","text":"red"},{"change":"added","text":"green"},{"change":"same","text":".\n"}]}]}]}`
)

// TestChangesOutput checks that changes are drawn for people and are written unchanged for programs.
func TestChangesOutput(t *testing.T) {
	t.Parallel()
	request := "GET /v1/spaces/s_s/change-requests/2/"
	s := newHarness(t, map[string]string{request + "changes": changesJSON, request + "diff": diffJSON})
	for command, want := range map[string]string{
		"cr changes 2 --space s_s -o table": "~ Power  power  edited\n+ New  new  new\n+ file light.png\n",
		"cr changes 2 --space s_s --no-headers": "page_edited\tp_1\tpower\tPower\t\t\npage_created\tp_2\tnew\tNew\t\t\n" +
			"file_created\t\t\t\tlight.png\t\n",
		"cr changes 2 --space s_s --jq .more": "2\n",
		"cr diff 2 --space s_s": "~ Power  power  +1 -1 words\n\n  ··· 1 block unchanged\n\n  Two.\n\n" +
			"~ It is [-red-]{+green+}.\n\n",
		"cr diff 2 --space s_s --jq .documents[].words.added": "1\n",
	} {
		got := s.Run(command)
		if diff := cmp.Diff(want, got.Stdout); diff != "" {
			t.Errorf("%s (%s):\n%s", command, got.Stderr, diff)
		}
	}
	s.Run("cr changes 2 --space s_s -o table").Want(t, app.ExitOK, "2 more")
}
