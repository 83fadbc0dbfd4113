package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// setEditor sets the function that the editor applies to a text.
func (s *testScreen) setEditor(edit func(string) string) {
	s.editFile = func(path string) {
		s.files.mu.Lock()
		defer s.files.mu.Unlock()
		s.files.texts[path] = edit(s.files.texts[path])
	}
}

// A suggestion for selected words is written in the editor, shown as a change in the draft, and sent with the review.
func TestSuggestionForWords(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.setEditor(func(was string) string { return strings.Replace(was, "gateway", "station", 1) + "\n" })
	s.keys("enter", "]", "v", "g", "right", "v", "right", "right", "s")
	s.want(t, "suggestion for “the gateway in”", "suggests: the [-gateway-]{+station+} in", "█")
	s.keys("ctrl+t", "ctrl+s")
	s.want(t, "┆ ✎ draft · blocking · not sent · suggestion for “the gateway in”", "┆ suggests: the [-gateway-]{+station+} in")
	s.keys("S")
	s.want(t, "[x] Quick start · “the gateway in”", "blocking  suggestion", "suggests: the [-gateway-]{+station+} in")
	s.keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 “the gateway in”@5 blocking suggests \"the station in\" at r_7: Suggested edit."}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	if len(s.files.edits) > 0 {
		t.Errorf("still in the editor: %v", s.files.edits)
	}
}

// A suggestion covers one cell of a table or the whole block.
func TestSuggestionInTable(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.setEditor(func(was string) string { return was + "ish" })
	s.keys("enter", "/", `"paired`, "enter", "esc", "v")
	s.keys("right", "right", "right", "right", "right", "v", "left", "s")
	s.want(t, "a selection stays within one cell of a table")
	s.keys("v", "right", "v", "v", "s")
	s.want(t, "suggests: ")
	s.keys("ctrl+s", "s", "ctrl+s", "S", "ctrl+s")
	if len(s.fake.writes) != 1 {
		t.Fatalf("wrote %q", s.fake.writes)
	}
	for _, want := range []string{"p_quick/b_4 “ready”@44 suggests \"readyish\"", "p_quick/b_4 suggests \"| Light | Meaning |\\n"} {
		if !strings.Contains(s.fake.writes[0], want) {
			t.Errorf("%q is not in %s", want, s.fake.writes[0])
		}
	}
}

// A suggestion in the editor can be resumed after the screen ended. An unchanged text is not a suggestion.
func TestSuggestionSurvivesExit(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.keys("enter", "]", "s")
	s.want(t, "nothing was changed, and nothing suggested", "!✎")
	s.editFails = true
	s.setEditor(func(string) string { return "Other words.\n" })
	s.keys("s")
	s.want(t, "the editor failed", "is kept in", "p goes on with it")
	s.editFails, s.editFile = false, nil
	s.keys("p")
	s.want(t, "suggestion for “Plug the gateway in", "in the editor, not kept")
	s.keys("enter")
	s.want(t, "[-Plug the gateway in and wait until the light is green-]{+Other words+}", "█")
	s.keys(`"Shorter.`, "ctrl+s", "/", `"Shorter`, "enter", "esc")
	s.setEditor(func(was string) string {
		if was != "Other words." {
			t.Errorf("the editor begins with %q", was)
		}
		return "Yet other words.\n"
	})
	s.keys("s")
	s.want(t, "Shorter.█", "{+Yet other words+}")
	s.keys("esc", "S", "ctrl+s")
	if len(s.fake.writes) != 1 || !strings.Contains(s.fake.writes[0], "suggests \"Yet other words.\" at r_7: Shorter.") {
		t.Errorf("wrote %q", s.fake.writes)
	}
}

// addSuggestions adds two threads with suggestions.
func addSuggestions(s *testScreen) {
	for i := range s.fake.comments {
		if c := &s.fake.comments[i]; c.ID == "c_1" || c.ID == "c_4" {
			c.Suggestion = &api.Suggestion{Original: "until the light is green", Markdown: "until it is green"}
			c.Weight = api.WeightNit
		}
	}
}

// A suggestion is applied by its key to the displayed head. If there are several, one is selected.
func TestSuggestionsAreApplied(t *testing.T) {
	t.Parallel()
	s := openChange(t, addSuggestions, 120, 60)
	s.keys("A")
	s.want(t, "put the cursor on a thread first")
	s.keys("n")
	s.want(t, "┃ ● open Grace · 3h ago · nit", "┃ suggests: until [-the light-]{+it+} is green", "A apply")
	s.keys("A")
	s.want(t, "1 this suggestion, of Grace", "2 all 2 that are open on this page, all or none")
	s.keys("1")
	s.want(t, "#2 is a change request of Grace.", "Apply 1 suggestion?")
	s.keys("n")
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
	s.keys("A", "1", "y")
	s.want(t, "✓ 1 suggestion applied", "┃ ✓ applied · suggested by Grace 3h ago", "same as: wsctl change-requests apply-suggestions cr_2 --space s_1 --revision r_7 --comments c_1")
	s.keys("n", "A", "y")
	if diff := cmp.Diff([]string{"apply r_7 c_1", "apply r_7 c_4"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s.keys("/", `"✓ applied`, "enter", "esc", "A")
	s.want(t, "it has been applied")
}

// A rejection names the conflicting suggestions and reloads the page.
func TestConflictingSuggestionsAreNamed(t *testing.T) {
	t.Parallel()
	s := openChange(t, addSuggestions, 200, 60)
	wrong := api.Errorf(409, api.ReasonConflict, "Not all of them fit, and nothing was applied.")
	wrong.Fields = []api.FieldError{{Path: "comments[1]", Message: "is about a text that has changed since"}}
	s.fake.fail["apply"] = wrong
	s.keys("C", "n", "A", "2", "y")
	s.want(t, "nothing was applied: Grace on “until the light is green” is about a text that has changed since")
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %q", s.fake.writes)
	}
}

// The menu changes the weight of drafts and of the user's own comments only.
func TestWeights(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *testScreen) {
		for i := range s.fake.comments {
			if s.fake.comments[i].ID == "c_4" {
				s.fake.comments[i].PostedBy = newUser("u_1", "Ada")
			}
		}
	}, 120, 60)
	s.keys("n", ":", `"weight`, "enter")
	s.want(t, "only its author can change its weight")
	s.keys("n", ".", `"weight`, "enter", "1")
	s.want(t, "✓ the weight is blocking now", "u undo", "you · 3h ago · blocking")
	s.keys("u")
	s.want(t, "✓ undone: the weight is blocking now")
	s.keys("]", "g", "]", "c", `"Mine.`, "ctrl+s", "/", `"Mine.`, "enter", "esc", ".", `"weight`, "enter", "2")
	s.want(t, "✎ draft · question · not sent")
	s.keys("S", "j", "j", ".", `"weight`, "enter", "3", "ctrl+s")
	want := []string{"update-comment c_4 weight blocking", "update-comment c_4 weight ", "submit  of r_7\n  p_quick/b_1 nit at r_7: Mine."}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestReattachThread(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(*testScreen) {}, 120, 60)
	s.keys("/", `"On a block that is gone`, "enter", "esc", ".", `"move the thread`, "enter")
	s.want(t, "The thread is about", "Plug the gateway in")
	s.keys("2")
	s.want(t, "✓ it stands here now")
	s.keys("g", "n", "n", ".", `"move the thread`, "enter", "2")
	if diff := cmp.Diff([]string{"reattach c_2 to p_quick/b_1", "reattach c_4 to p_quick/b_1 “until the light is green”"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}
