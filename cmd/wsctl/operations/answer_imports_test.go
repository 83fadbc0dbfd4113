package operations_test

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

const secondImportJSON = `201 {"revision":"r_2","importedResources":3,"totalResources":4,"notes":["x.bin: it is too large"],"source":"src_1",
	"created":[{"page":"p_1","title":"New","path":"new.md"}],"updated":[],"conflicting":[{"page":"p_2","title":"Install",
	"path":"install.md"}],
	"gone":[],"kept":[{"page":"p_3","title":"Usage","path":"usage.md","reason":"It was edited here."}],
	"conflicts":[{"id":"c_1","kind":"text","page":"p_2","answers":[{"take":"ours","effect":"A."},{"take":"theirs","effect":"B."}]}],"brokenLinks":{"page_not_found":2}}`

// TestImportWithConflictsExitsWithConflict checks that an import with conflicts prints rows for programs and a sentence for
// people, and exits with the code of a conflict.
func TestImportWithConflictsExitsWithConflict(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"POST /v1/spaces/s_s/content/import": secondImportJSON,
		"POST /v1/spaces/s_u/content/import": `201 {"revision":"r_2","importedResources":3,"totalResources":3,"source":"src_1","created":[],"updated":[],"conflicting":[],"gone":[],"kept":[],"conflicts":[],"brokenLinks":{}}`,
	})
	again := s.Run("content import https://a.example --space s_s --name docs")
	again.Want(t, app.ExitConflict, "new\tNew\tnew.md\t\n", "conflict\tInstall\tinstall.md\t\n",
		"kept\tUsage\tusage.md\tIt was edited here.\n",
		"imported 3 of 4 resources from source src_1: 1 new, 1 in conflict, 1 gone there and kept, 2 broken links (page_not_found)",
		"note: x.bin: it is too large", "1 conflict; what is in conflict stays as it was", "--resolve 1=space|source")
	s.Run("content import https://a.example --space s_s --name docs --jq .source").Want(t, app.ExitConflict, "src_1")
	s.Run("content import https://a.example --space s_u --name docs --resolve c_1=ours").Want(t, app.ExitOK, "nothing has changed")
	s.Run("content import https://a.example --space s_u --resolve c_1=mine").Want(t, app.ExitUsage, "--resolve takes")
}
