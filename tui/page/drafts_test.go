package page_test

import (
	"errors"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

var requestTarget = remote.Target{Space: "s_1", ChangeRequest: "cr_2"}

func newSession() (*page.Session, *tuitest.Journal) {
	journal := tuitest.NewJournal()
	return tuitest.NewSession(tuitest.NewServer(), journal), journal
}

func TestDraftTextNamesSuggestion(t *testing.T) {
	t.Parallel()
	words, none := "three weeks", ""
	for want, d := range map[string]drafts.Draft{
		"Words.":                              {Text: "Words."},
		"suggests “three weeks”":              {Original: "two weeks", Suggestion: &words},
		"suggests “three weeks”: Longer.":     {Original: "two weeks", Suggestion: &words, Text: "Longer."},
		"suggests to take out “two weeks”":    {Original: "two weeks", Suggestion: &none, Text: " "},
		"suggests to take out “it”: Not here": {Original: "it", Suggestion: &none, Text: "Not here"},
	} {
		if got := page.DraftText(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSaveReplacesDraft checks that a saved draft has a new idempotency key and the time of its first save, and that an empty
// draft is deleted.
func TestSaveReplacesDraft(t *testing.T) {
	t.Parallel()
	s, journal := newSession()
	d := drafts.Draft{Target: requestTarget, Text: "Words.", Key: "old"}
	if msg := page.Save(s, d)(); msg != (page.CountMsg{}) {
		t.Fatalf("%+v", msg)
	}
	if saved := journal.Drafts[d.ID()]; saved.Key == "old" || saved.Text != "Words." || !saved.StartedAt.Equal(tuitest.Clock) {
		t.Errorf("saved %+v", saved)
	}
	d.Text = " \n"
	if msg := page.Save(s, d)(); msg != (page.CountMsg{}) || len(journal.Drafts) > 0 {
		t.Errorf("%+v, and the journal has %v", msg, journal.Drafts)
	}
	journal.Fail = errors.New("disk full")
	d.Text = "Words."
	if msg, ok := page.Save(s, d)().(remote.ErrorMsg); !ok || !errors.Is(msg.Err, journal.Fail) {
		t.Errorf("%+v", msg)
	}
}

// TestSaveNowUpdatesSession checks that SaveNow changes the list of the session before its command runs.
func TestSaveNowUpdatesSession(t *testing.T) {
	t.Parallel()
	s, _ := newSession()
	d := drafts.Draft{Target: requestTarget, Text: "Words."}
	page.SaveNow(s, d, "")
	if all := s.Pending(requestTarget); len(all) != 1 || all[0].Text != "Words." || s.Changes != 1 {
		t.Errorf("%v after %d changes", all, s.Changes)
	}
	d.Text = ""
	if page.SaveNow(s, d, "removed"); len(s.Unsent) > 0 || s.Changes != 2 {
		t.Errorf("%v after %d changes", s.Unsent, s.Changes)
	}
}

func TestDiscardedDraftIsRestored(t *testing.T) {
	t.Parallel()
	s, journal := newSession()
	d := drafts.Draft{Target: requestTarget, Text: "Words.", Key: "k"}
	if err := journal.Save(d); err != nil {
		t.Fatal(err)
	}
	done, ok := page.Discard(s, d)().(page.UndoableMsg)
	if !ok || len(journal.Drafts) > 0 {
		t.Fatalf("%+v, and the journal has %v", done, journal.Drafts)
	}
	if back, ok := done.Undo().(page.UndoableMsg); !ok || back.Undo != nil || journal.Drafts[d.ID()].Text != "Words." {
		t.Errorf("%+v, and the journal has %v", back, journal.Drafts)
	}
}

// TestDraftInUseIsNotChanged checks that a draft that another screen is writing, or that is part of a sent review, is neither
// changed nor discarded.
func TestDraftInUseIsNotChanged(t *testing.T) {
	t.Parallel()
	d := drafts.Draft{Target: requestTarget, Text: "Words.", Key: "k"}
	changed := d
	changed.Text = "Other words."
	for name, prepare := range map[string]func(*tuitest.Journal) (reason string, err error){
		"held": func(j *tuitest.Journal) (string, error) {
			_, err := j.Hold(d.ID())
			return drafts.ErrHeld.Error(), err
		},
		"sent": func(j *tuitest.Journal) (string, error) {
			return page.FrozenReason, j.Freeze(drafts.Submission{ID: "rv", Drafts: []drafts.Draft{d}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, journal := newSession()
			if err := journal.Save(d); err != nil {
				t.Fatal(err)
			}
			reason, err := prepare(journal)
			if err != nil {
				t.Fatal(err)
			}
			for _, cmd := range []tea.Cmd{page.Save(s, changed), page.Discard(s, d), page.SaveNow(s, changed, "done")} {
				if toast, ok := cmd().(components.ToastMsg); !ok || toast.Text != reason {
					t.Errorf("%+v, want %q", toast, reason)
				}
			}
			if diff := cmp.Diff(map[string]drafts.Draft{d.ID(): d}, journal.Drafts); diff != "" || s.Changes > 0 {
				t.Errorf("%d changes: %s", s.Changes, diff)
			}
		})
	}
}

// TestRetargetKeepsConflictingDrafts checks that the drafts of a change request by number move to its id, except if there is
// one for the same destination already.
func TestRetargetKeepsConflictingDrafts(t *testing.T) {
	t.Parallel()
	s, journal := newSession()
	byNumber := remote.Target{Space: "s_1", ChangeRequest: "2"}
	all := []drafts.Draft{
		{Target: byNumber, Page: "p_quick", Node: "b_1", Text: "Moves.", Key: "k"},
		{Target: byNumber, Text: "Stays.", Key: "k"},
		{Target: requestTarget, Text: "Was here.", Key: "k"},
	}
	for _, d := range all {
		if err := journal.Save(d); err != nil {
			t.Fatal(err)
		}
	}
	if msg := page.Retarget(s, byNumber, requestTarget)(); msg != (page.CountMsg{}) {
		t.Fatalf("%+v", msg)
	}
	got := map[string]remote.Target{}
	for _, d := range journal.Drafts {
		got[d.Text] = d.Target
	}
	if diff := cmp.Diff(map[string]remote.Target{"Moves.": requestTarget, "Stays.": byNumber, "Was here.": requestTarget},
		got); diff != "" {
		t.Error(diff)
	}
}

func TestUnsentTextsAreCountedByTarget(t *testing.T) {
	t.Parallel()
	space := remote.Target{Space: "s_1"}
	other, third := remote.Target{Space: "s_1", ChangeRequest: "cr_9"}, remote.Target{Space: "s_1", ChangeRequest: "cr_7"}
	text := func(at remote.Target) drafts.Draft { return drafts.Draft{Target: at, Text: "Words."} }
	const both = " · S sends · p lists"
	verdict := drafts.Draft{Target: requestTarget, Review: true, Verdict: "approved"} // has no text
	for name, c := range map[string]struct {
		drafts []drafts.Draft
		edits  []drafts.Edit
		at     remote.Target
		want   string
	}{
		"none":            {[]drafts.Draft{verdict}, nil, requestTarget, ""},
		"this request":    {[]drafts.Draft{text(requestTarget), verdict}, nil, requestTarget, "1 draft not sent · S sends"},
		"an edited page":  {nil, []drafts.Edit{{Target: requestTarget}}, requestTarget, "1 draft not sent · p lists"},
		"another request": {[]drafts.Draft{text(other)}, nil, requestTarget, "1 draft not sent in another request · p lists"},
		"other requests": {
			[]drafts.Draft{text(other), text(third)},
			nil, requestTarget,
			"2 drafts not sent in other requests · p lists",
		},
		"request and space": {[]drafts.Draft{text(requestTarget), text(space)}, nil, requestTarget, "1 not sent here, 1 elsewhere" + both},
		"space":             {[]drafts.Draft{text(requestTarget), text(space)}, nil, space, "2 drafts not sent · p lists"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newSession()
			s.Unsent, s.Editing = c.drafts, c.edits
			if got := s.UnsentText(c.at, "S"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestConfirmationNamesAuthorAndApprovals checks that a write to a change request of another user, or to an approved one, is
// confirmed.
func TestConfirmationNamesAuthorAndApprovals(t *testing.T) {
	t.Parallel()
	server := tuitest.NewServer()
	s := tuitest.NewSession(server, tuitest.NewJournal())
	foreign, own := api.ChangeRequest{CreatedBy: tuitest.UserGrace}, api.ChangeRequest{CreatedBy: s.Me}
	foreign.Number = 2
	server.ReviewList = []api.Review{tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, true)}
	if got := s.ConfirmQuestion(requestTarget, own, "save an edit", "Edit it?"); got != "" {
		t.Errorf("asked %q", got)
	}
	server.ReviewList = []api.Review{
		tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, false),
		tuitest.VerdictBy(tuitest.UserGrace, api.ReviewChangesRequested, false), // replaces the approval
		tuitest.VerdictBy(tuitest.UserGrace, api.ReviewApproved, false), tuitest.VerdictBy(s.Me, api.ReviewApproved, false),
	}
	want := "#2 is a change request of Grace.\n" +
		"! Lin and you approved it; when you save an edit, the approval may no longer count.\nEdit it?"
	if diff := cmp.Diff(want, s.ConfirmQuestion(requestTarget, foreign, "save an edit", "Edit it?")); diff != "" {
		t.Error(diff)
	}
	before := s.Approvers(requestTarget)
	if got := s.ApprovalNote(requestTarget, before); got != " · the approval of Lin and you still counts" {
		t.Error(got)
	}
	server.ReviewList[3].Outdated = true
	if got := s.ApprovalNote(requestTarget, before); got != " · your approval no longer counts: i asks again" {
		t.Error(got)
	}
	server.Fail["reviews"] = tuitest.ErrUnreachable
	if all := s.Approvers(requestTarget); all != nil {
		t.Errorf("approvers %v without an answer", all)
	}
}
