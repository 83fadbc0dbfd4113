package tui

import (
	"slices"
	"testing"

	"docspace.dev/wsd/tui/components"
)

// exceptions lists keys with several meanings, by action name: n and N in searches and among conflicts, and space and
// tab where something is selected.
var exceptions = []map[string]string{
	{"n": "find-next", "N": "find-previous"},
	{"n": "conflict-next", "N": "conflict-previous"},
	{" ": "choose", "tab": "verdict", "shift+tab": "verdict-back"},
}

// all returns the actions of a page and the shared ones.
func (k keyTable) all() []components.Action {
	if k.where == "everywhere" || k.where == "searching" || k.where == "writing" {
		return k.actions
	}
	return append(k.actions, keyTables()[0].actions...)
}

// A key has one meaning on all screens, and the key table of the documentation is complete.
func TestKeysHaveOneMeaning(t *testing.T) {
	t.Parallel()
	meaning := map[string]string{}
	for _, table := range keyTables() {
		if table.where == "writing" { // letters are text while writing
			continue
		}
		for _, a := range table.actions {
			for _, key := range a.Keys {
				if slices.ContainsFunc(exceptions, func(e map[string]string) bool { return e[key] == a.Name }) {
					continue
				}
				if other, taken := meaning[key]; taken && other != a.Name {
					t.Errorf("%s: %q means %s here, and %s elsewhere", table.where, key, a.Name, other)
				}
				meaning[key] = a.Name
			}
		}
	}
	if len(exceptions) > 3 {
		t.Errorf("%d exceptions", len(exceptions))
	}
}

func TestActionsAreListedAndAvoidTerminalKeys(t *testing.T) {
	t.Parallel()
	known := map[string]string{}
	for _, table := range keyTables() {
		names := map[string]bool{}
		for _, a := range table.all() {
			if names[a.Name] || a.Help == "" || a.Do == nil {
				t.Errorf("%s: %+v is not complete, or named twice", table.where, a)
			}
			names[a.Name] = true
			says := components.KeyNames(a.Keys) + " " + a.Help
			if known[a.Name] != "" && known[a.Name] != says {
				t.Errorf("%s means %q and %q", a.Name, known[a.Name], says)
			}
			known[a.Name] = says
			for _, key := range a.Keys {
				if slices.Contains([]string{"ctrl+q", "ctrl+z", "ctrl+i", "ctrl+m"}, key) && a.Name+" "+key != "suspend ctrl+z" {
					t.Errorf("%s is on %s", a.Name, key)
				}
			}
		}
	}
}
