package e2e

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// maxPushCalls is the number of calls that a push of one page may make.
const maxPushCalls = 6

// TestFolderCommandsMakeFewCalls checks how many calls commands in a folder make, and that a command with nothing to send makes none
// that writes.
func TestFolderCommandsMakeFewCalls(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	k := newFolderKills(t, newRedisHost(t))
	dir, space := k.published()
	for _, step := range []struct {
		name     string
		text     string // that page-1.md gets, "" for no change
		args     []string
		isWriter bool
		most     int
	}{
		{name: "nothing after a merge", args: []string{"push", "docs"}, most: 1},
		{name: "dry run", text: "# Page 1\n\nFirst.\n", args: []string{"push", "docs", "--dry-run"}, most: 2},
		{name: "one page", args: []string{"push", "docs"}, isWriter: true, most: maxPushCalls},
		{name: "nothing with an open request", args: []string{"push", "docs"}, most: 1},
		{
			name: "one page to an open request", text: "# Page 1\n\nSecond.\n", args: []string{"push", "docs"}, isWriter: true,
			most: maxPushCalls,
		},
		{name: "merge", args: []string{"push", "docs", "--merge"}, isWriter: true, most: maxPushCalls},
		{name: "nothing to pull", args: []string{"pull", "docs"}, most: 1},
	} {
		if step.text != "" {
			k.write(dir, map[string]string{"group-1/page-1.md": step.text})
		}
		output := k.mustRun(dir, space, step.args...)
		calls := slices.Clone(k.proxy.calls)
		t.Logf("%s: %q", step.name, calls)
		isWriter := slices.ContainsFunc(calls, func(call string) bool { return !strings.HasPrefix(call, "GET ") })
		if isWriter != step.isWriter || len(calls) > step.most {
			t.Errorf("%s: %q, want at most %d calls, with writes: %t\n%s", step.name, calls, step.most, step.isWriter, output)
		}
	}
}
