package screens_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

func TestSuggestionsAreMarkedInLists(t *testing.T) {
	t.Parallel()
	now := "three weeks"
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 200, 60, func(s *tuitest.Screen) {
		tuitest.AddSuggestions(s)
		tuitest.AddDrafts(s, drafts.Draft{
			Target: remote.Target{
				Space: "s_1", ChangeRequest: "cr_2",
			}, Page: "p_quick", Node: "b_1", Original: "two weeks", Suggestion: &now, Text: "Longer.", About: "comment on “two weeks”",
		})
	})
	s.Want(t, "● Grace suggested an edit nit “Is green right?")
	s.Keys("p")
	s.Want(t, "comment on “two weeks”: suggests “three weeks”: Longer.")
	s.Keys("esc", "enter")
	s.Want(t, "● edit “")
	s.Keys("alt+1")
	s.Want(t, "suggests “three weeks”: Longer.")
}

// A suggestion is written in a field that initially contains the original words; its comment is optional.
func TestSuggestionInField(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("enter", "]", "v", "g", "right", "v", "right", "right", "s")
	s.Want(t, "suggestion for “the gateway in”", "the gateway in█", "tab goes to the comment", "!suggests")
	s.Keys("ctrl+s")
	s.Want(t, "nothing was changed, and nothing suggested", "!✎", "!█")
	s.Keys("v", "g", "right", "v", "right", "right", "s", "ctrl+left", `"station `, "tab")
	s.Want(t, "the gateway {+station+}", "█")
	s.Keys(`"Shorter.`, "tab")
	s.Want(t, "Comment: Shorter.")
	s.Keys("esc")
	s.Want(t, "kept, not sent")
	if all, err := s.Journal.All(); err != nil || len(all) != 1 || *all[0].Suggestion != "the gateway station in" {
		t.Fatalf("the journal has %v, %v", all, err)
	}
	s.Keys("s")
	s.Want(t, "the gateway station in█", "Comment: Shorter.")
	s.Keys("ctrl+u", `"the gateway in`, "tab")
	s.Want(t, "Shorter.█")
	s.Keys("tab", `" now`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{
		"submit  of r_7\n  p_quick/b_1 “the gateway in”@5 suggests \"the gateway in now\" at r_7: Shorter.",
	}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestSuggestionWithCarriageReturns checks that words that a field would change, such as carriage returns, are written in the
// editor.
func TestSuggestionWithCarriageReturns(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	opened := ""
	s.SetEditor(func(was string) string { opened = was; return was + "!" })
	s.Send(page.SuggestMsg{Draft: drafts.Draft{
		Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", Original: "one\r\ntwo", About: "x",
	}})
	s.Drain()
	if opened != "one\r\ntwo" {
		t.Errorf("the editor has %q", opened)
	}
	s.Want(t, "suggests", "█", "!tab goes")
	s.Keys(`"Why.`, "ctrl+s")
	all, err := s.Journal.All()
	if err != nil || len(all) != 1 || *all[0].Suggestion != "one\r\ntwo!" || all[0].Text != "Why." {
		t.Errorf("the journal has %v, %v", all, err)
	}
}

// TestSuggestionForWords checks that a suggestion for selected words is written in the editor, shown as a change in the draft,
// and sent with the review.
func TestSuggestionForWords(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.SetEditor(func(was string) string { return strings.Replace(was, "gateway", "station", 1) + "\n" })
	s.Keys("enter", "]", "v", "g", "right", "v", "right", "right", "s", "ctrl+e")
	s.Want(t, "suggestion for “the gateway in”", "suggests: the [-gateway-]{+station+} in", "█")
	s.Keys("ctrl+t", "ctrl+s")
	s.Want(t, "┆ ✎ draft · blocking · not sent · suggestion for “the gateway in”", "┆ suggests: the [-gateway-]{+station+} in")
	s.Keys("S")
	s.Want(t, "[x] Quick start · “the gateway in”", "blocking  suggestion", "suggests: the [-gateway-]{+station+} in")
	s.Keys("ctrl+s")
	if diff := cmp.Diff([]string{
		"submit  of r_7\n  p_quick/b_1 “the gateway in”@5 blocking suggests \"the station in\" at r_7: Suggested edit.",
	}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if len(s.Files.ByPath) > 0 {
		t.Errorf("still in the editor: %v", s.Files.ByPath)
	}
}

// TestSuggestionInTable checks that a suggestion covers one cell of a table or the whole block.
func TestSuggestionInTable(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("enter", "/", `"paired`, "enter", "esc", "v")
	s.Keys("right", "right", "right", "right", "right", "v", "left", "s")
	s.Want(t, "a selection stays within one cell of a table")
	s.Keys("v", "right", "v", "v", "s", `"ish`, "tab")
	s.Want(t, "suggests: ")
	s.Keys("ctrl+s", "s", `" `, "ctrl+s", "S", "ctrl+s")
	if len(s.Server.Writes) != 1 {
		t.Fatalf("wrote %q", s.Server.Writes)
	}
	for _, want := range []string{"p_quick/b_4 “ready”@44 suggests \"readyish\"", "p_quick/b_4 suggests \"| Light | Meaning |\\n"} {
		if !strings.Contains(s.Server.Writes[0], want) {
			t.Errorf("%q is not in %s", want, s.Server.Writes[0])
		}
	}
}

// TestSuggestionSurvivesExit checks that a suggestion in the editor can be resumed after the screen ended, and that an
// unchanged text is not a suggestion.
func TestSuggestionSurvivesExit(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("enter", "]", "s", "ctrl+e")
	s.Want(t, "nothing was changed, and nothing suggested", "!✎")
	s.EditFails = true
	s.SetEditor(func(string) string { return "Other words.\n" })
	s.Keys("s", "ctrl+e")
	s.Want(t, "the editor failed", "is kept in", "p goes on with it")
	s.EditFails, s.OnEdit = false, nil
	s.Keys("p")
	s.Want(t, "suggestion for “Plug the gateway in", "in the editor, not kept")
	s.Keys("enter")
	s.Want(t, "[-Plug the gateway in and wait until the light is green-]{+Other words+}", "█")
	s.Keys(`"Shorter.`, "ctrl+s", "/", `"Shorter`, "enter", "esc")
	s.SetEditor(func(was string) string {
		if was != "Other words." {
			t.Errorf("the editor begins with %q", was)
		}
		return "Yet other words.\n"
	})
	s.Keys("s", "ctrl+e")
	s.Want(t, "Shorter.█", "{+Yet other words+}")
	s.Keys("esc", "S", "ctrl+s")
	if len(s.Server.Writes) != 1 || !strings.Contains(s.Server.Writes[0], "suggests \"Yet other words.\" at r_7: Shorter.") {
		t.Errorf("wrote %q", s.Server.Writes)
	}
}

// TestSuggestionsAreApplied checks that a suggestion is applied by its key to the displayed head, and that one is selected if
// there are several.
func TestSuggestionsAreApplied(t *testing.T) {
	t.Parallel()
	s := openChange(t, tuitest.AddSuggestions, 120, 60)
	s.Keys("A")
	s.Want(t, "put the cursor on a thread first")
	s.Keys("n")
	s.Want(t, "┃ ● open Grace · 3h ago · nit", "┃ suggests: until [-the light-]{+it+} is green", "A apply")
	s.Keys("A")
	s.Want(t, "1 this suggestion, of Grace", "2 all 2 that are open on this page, all or none")
	s.Keys("1")
	s.Want(t, "#2 is a change request of Grace.", "Apply 1 suggestion to #2?")
	s.Keys("n")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Keys("A", "1", "tab", "enter")
	s.Want(t, "✓ 1 suggestion applied", "┃ ✓ applied · suggested by Grace 3h ago",
		"same as: wsctl change-requests apply-suggestions cr_2 --space s_1 --revision r_7 --comments c_1")
	s.Keys("n", "A", "tab", "enter")
	if diff := cmp.Diff([]string{"apply r_7 c_1", "apply r_7 c_4"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s.Keys("/", `"✓ applied`, "enter", "esc", "A")
	s.Want(t, "it has been applied")
}

// TestConflictingSuggestionsAreNamed checks that a rejection names the conflicting suggestions and reloads the page.
func TestConflictingSuggestionsAreNamed(t *testing.T) {
	t.Parallel()
	s := openChange(t, tuitest.AddSuggestions, 200, 60)
	wrong := api.Errorf(409, api.ReasonConflict, "Not all of them fit, and nothing was applied.")
	wrong.Fields = []api.FieldError{{Path: "comments[1]", Message: "is about a text that has changed since"}}
	s.Server.Fail["apply"] = wrong
	s.Keys("C", "n", "A", "2", "tab", "enter")
	s.Want(t, "nothing was applied: Grace on “until the light is green” is about a text that has changed since")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %q", s.Server.Writes)
	}
}

// TestWeights checks that the menu changes the weight of drafts and of the user's own comments only.
func TestWeights(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *tuitest.Screen) {
		for i := range s.Server.CommentList {
			if s.Server.CommentList[i].ID == "c_4" {
				s.Server.CommentList[i].PostedBy = tuitest.NewUser("u_1", "Ada")
			}
		}
	}, 120, 60)
	s.Keys("n", ":", `"weight`, "enter")
	s.Want(t, "only its author can change its weight")
	s.Keys("n", ".", `"weight`, "enter", "1")
	s.Want(t, "✓ the weight is blocking now", "u undo", "you · 3h ago · blocking")
	s.Keys("u")
	s.Want(t, "✓ undone: the weight is blocking now")
	s.Keys("]", "g", "]", "c", `"Mine.`, "ctrl+s", "/", `"Mine.`, "enter", "esc", ".", `"weight`, "enter", "2")
	s.Want(t, "✎ draft · question · not sent")
	s.Keys("S", "j", "j", ".", `"weight`, "enter", "3", "ctrl+s")
	want := []string{"update-comment c_4 weight blocking", "update-comment c_4 weight ", "submit  of r_7\n  p_quick/b_1 nit at r_7: Mine."}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestReattachThread(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(*tuitest.Screen) {}, 120, 60)
	s.Keys("/", `"On a block that is gone`, "enter", "esc", ".", `"move the thread`, "enter")
	s.Want(t, "The thread is about", "Plug the gateway in")
	s.Keys("2")
	s.Want(t, "✓ it stands here now")
	s.Keys("g", "n", "n", ".", `"move the thread`, "enter", "2")
	if diff := cmp.Diff([]string{"reattach c_2 to p_quick/b_1", "reattach c_4 to p_quick/b_1 “until the light is green”"},
		s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}
