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

var onRequest = remote.Target{Space: "s_1", ChangeRequest: "cr_2"}

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

// A saved draft has a new idempotency key and the time of its first save. An empty one is deleted.
func TestSaveReplacesDraft(t *testing.T) {
	t.Parallel()
	s, journal := newSession()
	d := drafts.Draft{Target: onRequest, Text: "Words.", Key: "old"}
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

// SaveNow changes the list of the session before its command runs.
func TestSaveNowUpdatesSession(t *testing.T) {
	t.Parallel()
	s, _ := newSession()
	d := drafts.Draft{Target: onRequest, Text: "Words."}
	page.SaveNow(s, d, "")
	if all := s.Pending(onRequest); len(all) != 1 || all[0].Text != "Words." || s.Changes != 1 {
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
	d := drafts.Draft{Target: onRequest, Text: "Words.", Key: "k"}
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

// A draft that another screen is writing, or that is part of a sent review, is neither changed nor discarded.
func TestDraftInUseIsNotChanged(t *testing.T) {
	t.Parallel()
	d := drafts.Draft{Target: onRequest, Text: "Words.", Key: "k"}
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

// The drafts of a change request by number move to its id, except if there is one for the same place already.
func TestRetargetKeepsConflictingDrafts(t *testing.T) {
	t.Parallel()
	s, journal := newSession()
	byNumber := remote.Target{Space: "s_1", ChangeRequest: "2"}
	all := []drafts.Draft{
		{Target: byNumber, Page: "p_quick", Node: "b_1", Text: "Moves.", Key: "k"},
		{Target: byNumber, Text: "Stays.", Key: "k"},
		{Target: onRequest, Text: "Was here.", Key: "k"},
	}
	for _, d := range all {
		if err := journal.Save(d); err != nil {
			t.Fatal(err)
		}
	}
	if msg := page.Retarget(s, byNumber, onRequest)(); msg != (page.CountMsg{}) {
		t.Fatalf("%+v", msg)
	}
	got := map[string]remote.Target{}
	for _, d := range journal.Drafts {
		got[d.Text] = d.Target
	}
	if diff := cmp.Diff(map[string]remote.Target{"Moves.": onRequest, "Stays.": byNumber, "Was here.": onRequest}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnsentTextsAreCountedByTarget(t *testing.T) {
	t.Parallel()
	space := remote.Target{Space: "s_1"}
	other, third := remote.Target{Space: "s_1", ChangeRequest: "cr_9"}, remote.Target{Space: "s_1", ChangeRequest: "cr_7"}
	text := func(at remote.Target) drafts.Draft { return drafts.Draft{Target: at, Text: "Words."} }
	const both = " · S sends · p lists"
	verdict := drafts.Draft{Target: onRequest, Review: true, Verdict: "approved"} // has no text
	for name, c := range map[string]struct {
		drafts []drafts.Draft
		edits  []drafts.Edit
		at     remote.Target
		want   string
	}{
		"none":              {[]drafts.Draft{verdict}, nil, onRequest, ""},
		"here":              {[]drafts.Draft{text(onRequest), verdict}, nil, onRequest, "1 draft not sent · S sends"},
		"an edited page":    {nil, []drafts.Edit{{Target: onRequest}}, onRequest, "1 draft not sent · p lists"},
		"in another":        {[]drafts.Draft{text(other)}, nil, onRequest, "1 draft not sent in another request · p lists"},
		"in others":         {[]drafts.Draft{text(other), text(third)}, nil, onRequest, "2 drafts not sent in other requests · p lists"},
		"here and in space": {[]drafts.Draft{text(onRequest), text(space)}, nil, onRequest, "1 not sent here, 1 elsewhere" + both},
		"on a space":        {[]drafts.Draft{text(onRequest), text(space)}, nil, space, "2 drafts not sent · p lists"},
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

// A write to a change request of another user, or to an approved one, is confirmed.
func TestConfirmationNamesAuthorAndApprovals(t *testing.T) {
	t.Parallel()
	server := tuitest.NewServer()
	s := tuitest.NewSession(server, tuitest.NewJournal())
	foreign, own := api.ChangeRequest{CreatedBy: tuitest.UserGrace}, api.ChangeRequest{CreatedBy: s.Me}
	foreign.Number = 2
	server.ReviewList = []api.Review{tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, true)}
	if got := s.ConfirmQuestion(onRequest, own, "save an edit", "Edit it?"); got != "" {
		t.Errorf("asked %q", got)
	}
	server.ReviewList = []api.Review{
		tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, false),
		tuitest.VerdictBy(tuitest.UserGrace, api.ReviewChangesRequested, false), // replaces the approval
		tuitest.VerdictBy(tuitest.UserGrace, api.ReviewApproved, false), tuitest.VerdictBy(s.Me, api.ReviewApproved, false),
	}
	want := "#2 is a change request of Grace.\n" +
		"! Lin and you approved it; when you save an edit, the approval may no longer count.\nEdit it?"
	if diff := cmp.Diff(want, s.ConfirmQuestion(onRequest, foreign, "save an edit", "Edit it?")); diff != "" {
		t.Error(diff)
	}
	before := s.Approvers(onRequest)
	if got := s.ApprovalNote(onRequest, before); got != " · the approval of Lin and you still counts" {
		t.Error(got)
	}
	server.ReviewList[3].Outdated = true
	if got := s.ApprovalNote(onRequest, before); got != " · your approval no longer counts: i asks again" {
		t.Error(got)
	}
	server.Fail["reviews"] = tuitest.ErrUnreachable
	if all := s.Approvers(onRequest); all != nil {
		t.Errorf("approvers %v without an answer", all)
	}
}
