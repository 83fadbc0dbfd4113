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

// allActions returns the actions of a page and the shared ones.
func (k keyTable) allActions() []components.Action {
	if k.scope == "everywhere" || k.scope == "searching" || k.hasOwnKeys() {
		return k.actions
	}
	return append(k.actions, keyTables()[0].actions...)
}

// TestKeysHaveOneMeaning checks that a key has one meaning on all screens, and that the key table of the documentation is
// complete.
func TestKeysHaveOneMeaning(t *testing.T) {
	t.Parallel()
	meaning := map[string]string{}
	for _, table := range keyTables() {
		if table.hasOwnKeys() {
			continue
		}
		for _, a := range table.actions {
			for _, key := range a.Keys {
				if slices.ContainsFunc(exceptions, func(e map[string]string) bool { return e[key] == a.Name }) {
					continue
				}
				if other, taken := meaning[key]; taken && other != a.Name {
					t.Errorf("%s: %q means %s here, and %s elsewhere", table.scope, key, a.Name, other)
				}
				meaning[key] = a.Name
			}
		}
	}
	if len(exceptions) > 3 {
		t.Errorf("%d exceptions", len(exceptions))
	}
}

// TestKeysWithOneAction checks that some keys have one action wherever they are used outside of texts: c comments or replies, R
// shows what is newest, and < and > scroll sideways.
func TestKeysWithOneAction(t *testing.T) {
	t.Parallel()
	want := map[string]string{"c": "comment", "R": "refresh", "<": "scroll-left", ">": "scroll-right"}
	found := map[string]bool{}
	for _, table := range keyTables() {
		for _, a := range table.actions {
			for _, key := range a.Keys {
				if name, listed := want[key]; listed && !table.hasOwnKeys() {
					if found[key] = true; a.Name != name {
						t.Errorf("%s: %s is %s", table.scope, key, a.Name)
					}
				}
			}
		}
	}
	if len(found) != len(want) {
		t.Errorf("only %v are used", found)
	}
}

// TestTextAndSelectorKeysAreUnique checks that no key has two actions in a text field or in the selection of words.
func TestTextAndSelectorKeysAreUnique(t *testing.T) {
	t.Parallel()
	for _, table := range keyTables() {
		seen := map[string]string{}
		for _, a := range table.actions {
			for _, key := range a.Keys {
				if table.hasOwnKeys() && seen[key] != "" {
					t.Errorf("%s: %q is %s and %s", table.scope, key, seen[key], a.Name)
				}
				seen[key] = a.Name
			}
		}
	}
}

func TestActionsAreListedAndAvoidTerminalKeys(t *testing.T) {
	t.Parallel()
	known := map[string]string{}
	for _, table := range keyTables() {
		names := map[string]bool{}
		for _, a := range table.allActions() {
			if names[a.Name] || a.Help == "" || a.Do == nil {
				t.Errorf("%s: %+v is not complete, or named twice", table.scope, a)
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
