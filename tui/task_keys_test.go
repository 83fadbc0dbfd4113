package tui_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// The tasks of a review take no more keys than listed. Texts count as none. The answer No is preselected in questions, which
// adds one key to a merge and two to the application of a suggestion.
func TestTaskKeys(t *testing.T) {
	t.Parallel()
	ownSuggestions := func(s *tuitest.Screen) {
		tuitest.AddSuggestions(s)
		tuitest.OwnChangeRequest(s)
	}
	mergeable := func(s *tuitest.Screen) {
		s.Server.Gates = []api.MergeGate{{Rule: api.GateRole, State: api.GatePassed, Message: "Your role, reviewer, can merge."}}
	}
	for name, c := range map[string]struct {
		options tui.Options
		prepare func(*tuitest.Screen)
		open    []string // keys before the task
		keys    []string // keys of the task; texts begin with "
		most    int      // number of keys
		writes  string   // a part of what is sent in the end
		shows   string
	}{
		"from the inbox to a change": {options: tuitest.InboxOptions, keys: []string{"enter", "enter"}, most: 2, shows: "Quick start"},
		"comment on a block": {
			open: []string{"enter", "]"}, keys: []string{"c", `"Why?`, "ctrl+s"}, most: 2, shows: "comment on “Plug",
		},
		"comment on three words": {
			open: []string{"enter", "]"}, keys: []string{"v", "l", "l", "c", `"Why?`, "ctrl+s"}, most: 3 + 2, shows: "not sent",
		},
		"suggestion": {
			open: []string{"enter", "]"}, keys: []string{"s", `"Now `, "ctrl+s"}, most: 2, shows: "suggestion",
		},
		"reply":   {open: []string{"enter", "n"}, keys: []string{"r", `"Yes.`, "ctrl+s"}, most: 2, shows: "reply to Grace"},
		"resolve": {open: []string{"enter", "n"}, keys: []string{"x", "enter"}, most: 2, writes: "update-comment c_1 resolved true"},
		"request changes with a sentence": {
			keys: []string{"S", "3", "enter", `"Please check.`, "ctrl+s"}, most: 4, writes: "submit changes-requested of r_7: Please check.",
		},
		"approve":                  {keys: []string{"a", "ctrl+s", "ctrl+s"}, most: 3, writes: "submit approved"},
		"changes since the review": {keys: []string{"d"}, most: 1, shows: "since"},
		"merge despite warnings":   {keys: []string{"m", `"yes`, "enter"}, most: 2, writes: "merge"},
		"merge":                    {prepare: mergeable, keys: []string{"m", "tab", "enter"}, most: 3, writes: "merge"},
		"apply a suggestion": {
			prepare: ownSuggestions, open: []string{"n", "enter", "n"}, keys: []string{"A", "1", "tab", "enter"}, most: 4, writes: "apply",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.options.Organization == "" {
				c.options = tuitest.ReviewOptions
			}
			s := tuitest.StartPrepared(c.options, 80, 24, func(s *tuitest.Screen) {
				if c.prepare != nil {
					c.prepare(s)
				}
			})
			s.Keys(c.open...)
			s.Keys(c.keys...)
			n := 0
			for _, key := range c.keys {
				if !strings.HasPrefix(key, `"`) {
					n++
				}
			}
			if n > c.most {
				t.Errorf("%d keys, want at most %d", n, c.most)
			}
			if sent := strings.Join(s.Server.Writes, "\n"); !strings.Contains(sent, c.writes) {
				t.Errorf("sent %q, want %q\n%s", sent, c.writes, s.View())
			}
			s.Want(t, c.shows)
		})
	}
}
