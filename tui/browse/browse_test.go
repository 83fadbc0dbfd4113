package browse_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/browse"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

// pages are the constructors of the pages of an organization, with the operation that loads their lists.
var pages = map[string]struct {
	open         func(*page.Session) page.Page
	operation    string
	emptyMessage string // message of an empty list
}{
	"organizations": {browse.Organizations, "organizations", "You are in no organization."},
	"spaces":        {newSpaces, "spaces", "There are no spaces that you can read."},
	"inbox":         {newInbox, "queued", "Nothing needs you. tab shows what waits for others, and everything that is open."},
	"activity":      {newActivity, "queued", "Nothing has happened in change requests that you may see."},
}

func newSpaces(s *page.Session) page.Page   { return browse.Spaces(s, "o_1") }
func newInbox(s *page.Session) page.Page    { return browse.New(s, "o_1") }
func newActivity(s *page.Session) page.Page { return browse.NewActivity(s, "o_1") }

// load returns a loaded page with a server that prepare has changed.
func load(open func(*page.Session) page.Page, prepare func(*tuitest.Server)) page.Page {
	server := tuitest.NewServer()
	prepare(server)
	p := open(tuitest.NewSession(server, tuitest.NewJournal()))
	tuitest.Update(p, p.Load())
	page.Layout(p, 90)
	return p
}

func prepareNothing(*tuitest.Server) {}

// keysOf returns the keys of the items of a page, without groups and second lines.
func keysOf(p page.Page) (keys []string) {
	page.MarkStale(p)
	page.Layout(p, 90)
	for _, r := range p.Base().List.All() {
		if r.Selectable() && !slices.Contains(keys, r.Key) {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// do runs the action of a page with the given name and returns the resulting messages. It fails the test if there is no such
// action.
func do(t *testing.T, p page.Page, name string) []tea.Msg {
	t.Helper()
	actions := p.Actions()
	at := slices.IndexFunc(actions, func(a components.Action) bool { return a.Name == name })
	if at < 0 {
		t.Fatalf("%s has no action %s", p.Kind(), name)
	}
	return tuitest.Update(p, actions[at].Do())
}

// checkShown checks that a page shows texts.
func checkShown(t *testing.T, shown string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Errorf("no %q in\n%s", text, shown)
		}
	}
}

// selectRow moves the cursor to a row by key.
func selectRow(p page.Page, key string) {
	p.Base().List.SelectKey(key)
	page.MarkStale(p)
	page.Layout(p, 90)
}

func TestEmptyListsAreExplained(t *testing.T) {
	t.Parallel()
	for name, c := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := load(c.open, func(s *tuitest.Server) { s.Empty = true })
			checkShown(t, tuitest.Text(p, 90, 20), c.emptyMessage)
			if p.Open() != nil {
				t.Error("the notice can be opened")
			}
		})
	}
}

// TestFailedListsAreExplained checks that the failure to load a list is explained, and that a list that was loaded before
// remains.
func TestFailedListsAreExplained(t *testing.T) {
	t.Parallel()
	denied := api.Errorf(403, api.ReasonForbidden, "Ask an admin.")
	for name, c := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := load(c.open, func(s *tuitest.Server) { s.Fail[c.operation] = denied })
			checkShown(t, tuitest.Text(p, 90, 20), "! You may not see this.", "Ask an admin.")
			var server *tuitest.Server
			p = load(c.open, func(s *tuitest.Server) { server = s })
			before := keysOf(p)
			server.Fail[c.operation] = denied
			tuitest.Update(p, p.Load())
			if diff := cmp.Diff(before, keysOf(p)); diff != "" || p.LoadState().Err == nil || len(before) < 2 {
				t.Errorf("after the failure, with the error %v: %s", p.LoadState().Err, diff)
			}
		})
	}
}

func TestOrganizationUnderCursorIsEntered(t *testing.T) {
	t.Parallel()
	p := load(browse.Organizations, prepareNothing)
	selectRow(p, "o_2")
	if msg, ok := p.Open()().(page.EnterMsg); !ok || msg.Organization.ID != "o_2" {
		t.Errorf("%+v", msg)
	}
	p.Base().List.Search("tidemark")
	if diff := cmp.Diff([]string{"o_1"}, keysOf(p)); diff != "" {
		t.Errorf("the filter leaves: %s", diff)
	}
}

// TestSpacesAreListedByCollection checks that spaces are listed by collection, and that a folded collection hides all its
// contents.
func TestSpacesAreListedByCollection(t *testing.T) {
	t.Parallel()
	p := load(newSpaces, prepareNothing)
	if diff := cmp.Diff([]string{"l_1", "l_2", "s_2", "s_1", "s_3"}, keysOf(p)[:5]); diff != "" {
		t.Error(diff)
	}
	if row, _ := p.Base().Selected(); row.Key != "s_2" {
		t.Errorf("the cursor starts at %s, want the first space", row.Key)
	}
	selectRow(p, "l_2")
	do(t, p, "fold")
	if diff := cmp.Diff([]string{"l_1", "l_2", "s_1", "s_3"}, keysOf(p)[:4]); diff != "" {
		t.Error(diff)
	}
	selectRow(p, "l_1")
	tuitest.Update(p, p.Open()) // Open folds a collection, like the key
	if diff := cmp.Diff([]string{"l_1", "s_3"}, keysOf(p)[:2]); diff != "" {
		t.Error(diff)
	}
}

func TestSpaceActionsNeedSpace(t *testing.T) {
	t.Parallel()
	p := load(newSpaces, prepareNothing)
	for key, want := range map[string]string{"l_1": "put the cursor on a space first", "s_1": ""} {
		selectRow(p, key)
		for _, a := range p.Actions() {
			if a.DisabledReason != nil && a.DisabledReason() != want {
				t.Errorf("%s on %s: %q, want %q", a.Name, key, a.DisabledReason(), want)
			}
		}
	}
}

func TestInboxTabsHaveOwnLists(t *testing.T) {
	t.Parallel()
	p := load(newInbox, prepareNothing)
	want := [][]string{
		{"request/cr_31", "request/cr_2", "request/cr_27", "request/cr_9", "request/cr_14", "group/Waiting for others"},
		{"request/cr_33"},
		{"request/cr_33", "request/cr_2", "request/cr_31", "request/cr_27", "request/cr_9", "request/cr_14"},
		{"request/cr_5", "request/cr_4"},
	}
	for i, keys := range want {
		got := keysOf(p)
		slices.Sort(got)
		slices.Sort(keys)
		if diff := cmp.Diff(keys, got); diff != "" {
			t.Errorf("tab %d: %s", i, diff)
		}
		do(t, p, "tab-next")
	}
	if got := keysOf(p); len(got) != len(want[0]) {
		t.Errorf("after the last tab: %v", got)
	}
}

// The filter shows or hides a change request with all its rows, and the cursor is on a match.
func TestInboxFilterKeepsItems(t *testing.T) {
	t.Parallel()
	p := load(newInbox, prepareNothing)
	p.Base().List.Search("wind arm")
	if diff := cmp.Diff([]string{"request/cr_27"}, keysOf(p)); diff != "" {
		t.Error(diff)
	}
	if row, ok := p.Base().Selected(); !ok || row.Key != "request/cr_27" {
		t.Errorf("the cursor is on %q", row.Key)
	}
	p.Base().List.Search("")
	if got := keysOf(p); len(got) < 5 {
		t.Errorf("without a filter: %v", got)
	}
}

func TestUnsentTextsAreListedInInbox(t *testing.T) {
	t.Parallel()
	var session *page.Session
	p := load(func(s *page.Session) page.Page { session = s; return newInbox(s) }, prepareNothing)
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, About: "comment", Text: "Which gateway?"}
	edit := drafts.Edit{Path: "p", Target: d.Target, Title: "Quick start"}
	session.Unsent = []drafts.Draft{d, {Target: d.Target, Review: true, Verdict: api.ReviewApproved}}
	session.Editing = []drafts.Edit{edit}
	if got := keysOf(p); !slices.Contains(got, "draft/"+d.ID()) || !slices.Contains(got, "draft/p") || len(got) != 8 {
		t.Errorf("rows %v", got)
	}
	selectRow(p, "draft/"+d.ID())
	if msg, ok := p.Open()().(page.ComposeMsg); !ok || msg.Draft.Text != d.Text {
		t.Errorf("opening a draft sends %+v", msg)
	}
	selectRow(p, "draft/p")
	if msg, ok := p.Open()().(page.ResumeMsg); !ok || msg.Edit.Path != "p" {
		t.Errorf("opening an edit sends %+v", msg)
	}
}

// TestPreviewFollowsCursor checks that the pane of a wide window previews the change request under the cursor, and that a
// preview is loaded once.
func TestPreviewFollowsCursor(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*page.Session) page.Page{"inbox": newInbox, "activity": newActivity} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var server *tuitest.Server
			p := load(open, func(s *tuitest.Server) { server = s })
			visit := func(key string) string {
				selectRow(p, key)
				tuitest.Update(p, page.Follow(p, 120))
				return tuitest.Text(p, 120, 40)
			}
			checkShown(t, visit("request/cr_2"), "Check the figures", "Pages 3", "Grace replied on Quick start")
			checkShown(t, visit("request/cr_27"), "│   OPEN  #27 Wind arm: torque, not feeling", "Pages 3")
			visit("request/cr_2")
			if diff := cmp.Diff([]string{"latest cr_2", "latest cr_27"}, server.Queue.Polls); diff != "" {
				t.Errorf("loads of timelines: %s", diff)
			}
		})
	}
}

func TestPreviewShowsError(t *testing.T) {
	t.Parallel()
	p := load(newInbox, func(s *tuitest.Server) { s.Fail["changes"] = tuitest.ErrUnreachable })
	selectRow(p, "request/cr_2")
	tuitest.Update(p, page.Follow(p, 120))
	checkShown(t, tuitest.Text(p, 120, 40), "Pages ! offline", "Grace replied on Quick start")
}

func TestActivityIsGroupedByAge(t *testing.T) {
	t.Parallel()
	p := load(newActivity, prepareNothing)
	var rows []string
	for _, r := range p.Base().List.All() {
		if group, ok := strings.CutPrefix(r.Key, "group/"); ok {
			rows = append(rows, group)
		} else if r.Begin {
			rows = append(rows, r.Key)
		}
	}
	want := []string{
		"Last 24 hours", "request/cr_14", "request/cr_27", "request/cr_2", "request/cr_31",
		"This week", "request/cr_9", "request/cr_5", "request/cr_33", "Earlier", "request/cr_4",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	selectRow(p, "request/cr_9")
	if msg, ok := p.Open()().(page.PushMsg); !ok || msg.Page.Kind() != "change request" {
		t.Errorf("opening sends %+v", msg)
	}
}

// typist is a page that accepts typed text.
type typist interface {
	Type(tea.KeyMsg) (tea.Cmd, bool)
}

func TestSearchNeedsWords(t *testing.T) {
	t.Parallel()
	server := tuitest.NewServer()
	session := tuitest.NewSession(server, tuitest.NewJournal())
	session.Names["s_1"] = "Skylark Handbook"
	p := browse.NewSearch(session, "s_1", "")
	tuitest.Update(p, p.Load())
	if checkShown(t, tuitest.Text(p, 90, 20), "Type some words"); len(server.Searched) > 0 {
		t.Errorf("searched for %q", server.Searched)
	}
	for _, key := range []string{`"gate`, `"way`, `"zz`} {
		cmd, taken := p.(typist).Type(tuitest.Key(key))
		if !taken {
			t.Fatalf("%s is not taken", key)
		}
		tuitest.Update(p, cmd)
	}
	if diff := cmp.Diff([]string{"s_1/gate", "s_1/gateway", "s_1/gatewayzz"}, server.Searched); diff != "" {
		t.Error(diff)
	}
	checkShown(t, tuitest.Text(p, 90, 20), "No page has “gatewayzz”.")
	if _, taken := p.(typist).Type(tuitest.Key("alt+1")); taken {
		t.Error("a key of a tab is text")
	}
}

// The scope key repeats the search in all spaces. A failed search is explained below the words.
func TestSearchScope(t *testing.T) {
	t.Parallel()
	server := tuitest.NewServer()
	p := browse.NewSearch(tuitest.NewSession(server, tuitest.NewJournal()), "s_1", "gateway")
	tuitest.Update(p, p.Load())
	selectRow(p, "hit/p_quick")
	if msg, ok := p.Open()().(page.PushMsg); !ok || msg.Page.Space() != "s_1" {
		t.Errorf("opening a hit sends %+v", msg)
	}
	server.Fail["search"] = tuitest.ErrUnreachable
	do(t, p, "tab-next")
	if diff := cmp.Diff([]string{"s_1/gateway", "/gateway"}, server.Searched); diff != "" {
		t.Error(diff)
	}
	shown := tuitest.Text(p, 90, 20)
	checkShown(t, shown, "/ gateway", "! The server cannot be reached.")
	if strings.Contains(shown, "p_quick") {
		t.Errorf("a hit of the search before is in\n%s", shown)
	}
	everywhere := browse.NewSearch(tuitest.NewSession(server, tuitest.NewJournal()), "", "gateway")
	messages := do(t, everywhere, "tab-next")
	if toast, ok := messages[0].(components.ToastMsg); !ok || toast.Text != "all spaces are searched already" {
		t.Errorf("%+v", messages)
	}
}
