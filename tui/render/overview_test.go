package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

func newUser(id, name string) *api.User {
	return &api.User{UserFields: api.UserFields{ID: id, DisplayName: name}}
}

func TestEventLine(t *testing.T) {
	t.Parallel()
	imke, tomas := newUser("i", "Imke"), newUser("t", "Tomás")
	for want, e := range map[string]api.TimelineEvent{
		"4 h   Imke replied on Power and battery": {Kind: api.TimelineReplied, By: imke, PageTitle: "Power and battery"},
		"4 h   Imke replied":                      {Kind: api.TimelineReplied, By: imke},
		"4 h   Imke edited Troubleshooting":       {Kind: api.TimelineEdited, By: imke, PageTitle: "Troubleshooting"},
		"4 h   Imke edited 3 pages":               {Kind: api.TimelineEdited, By: imke, Pages: 3},
		"4 h   Imke edited it":                    {Kind: api.TimelineEdited, By: imke},
		"4 h   Imke asked you and Jana":           {Kind: api.TimelineAsked, By: imke, Users: []api.User{*tomas, *newUser("j", "Jana")}},
		"4 h   Imke asked for a review":           {Kind: api.TimelineAsked, By: imke},
		"4 h   Imke no longer asks you":           {Kind: api.TimelineWithdrawn, By: imke, Users: []api.User{*tomas}},
		"4 h   you approved r6":                   {Kind: api.TimelineApproved, By: tomas, Revision: "rev"},
		"4 h   wsd updated it from the space":     {Kind: api.TimelineUpdated},
		"4 h   Imke changed something":            {Kind: "of a later version", By: imke},
		"4 h   Imke merged it":                    {Kind: api.TimelineMerged, By: imke},
	} {
		if got := EventLine(e, "t", "4 h", map[string]int{"rev": 6}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestEventPhrasesCoverAllKinds(t *testing.T) {
	t.Parallel()
	for _, k := range api.TimelineKind("").Values() {
		if _, known := eventPhrases[k]; !known {
			t.Errorf("%s has no words", k)
		}
	}
}

func TestNewsLineAndCountEvents(t *testing.T) {
	t.Parallel()
	of := func(kinds ...api.TimelineKind) (events []api.TimelineEvent) {
		for i, k := range kinds {
			events = append(events, api.TimelineEvent{Cursor: fmt.Sprint(i), Kind: k, By: newUser("i", "Imke")})
		}
		return events
	}
	some := of(api.TimelineReplied, api.TimelineReplied, api.TimelineEdited, api.TimelineAsked, api.TimelineMerged)
	for name, c := range map[string]struct{ got, want string }{
		"nothing":       {NewsLine(nil, "t", 80), ""},
		"one":           {NewsLine(some[:1], "t", 80), "Imke replied"},
		"several":       {NewsLine(some, "t", 80), "Imke merged it + 2 replies, 1 edit, 1 more"},
		"tally":         {CountEvents(some[:3]), "2 replies, 1 edit"},
		"nothing known": {CountEvents(of(api.TimelineAsked, api.TimelineOther)), "2 events"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	for cursor, want := range map[string]int{"": 5, "2": 2, "4": 0, "gone": 5} {
		news, known := EventsSince(some, cursor)
		if len(news) != want || known == (cursor == "gone") {
			t.Errorf("since %q: %d, %v", cursor, len(news), known)
		}
	}
	if n := len(EventsOfOthers(some, "i")); n != 0 {
		t.Errorf("%d of one's own", n)
	}
}

func TestMergeHeadingSeparatesBlockersFromAdvice(t *testing.T) {
	t.Parallel()
	gate := func(rule string, s api.GateState) api.MergeGate {
		return api.MergeGate{Rule: rule, State: s, Message: rule + "."}
	}
	passed, threads := gate(api.GateRole, api.GatePassed), gate(api.GateThreads, api.GateAdvice)
	asked := gate(api.GateChangesRequested, api.GateAdvice)
	failed := gate("approval", api.GateFailed)
	for want, m := range map[string]api.Mergeability{
		"Merge [CAN BE MERGED]":                                {Mergeable: true, Rules: []api.MergeGate{passed}},
		"Merge [CAN BE MERGED]  1 warning":                     {Mergeable: true, Rules: []api.MergeGate{passed, threads}},
		"Merge [NOT YET]  changes requested, 1 warning":        {Mergeable: true, Rules: []api.MergeGate{asked, threads}},
		"Merge [NOT YET]  1 check stops it, changes requested": {Rules: []api.MergeGate{failed, asked, passed}},
		"Merge [NOT YET]  conflicts to decide": {
			Mergeable: true, Rules: []api.MergeGate{gate(api.GateConflicts, api.GateAdvice)},
		},
	} {
		if got := NewTheme(NoStyle, 0).Paint(MergeHeading(m, api.StatusOpen)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	same := failed
	same.Rule, same.State = api.GateThreads, api.GateAdvice
	if stops, advice := MergeBlockers(api.Mergeability{Rules: []api.MergeGate{failed, same, passed}}); len(stops) != 1 || len(advice) != 0 {
		t.Errorf("listed twice: %v and %v", stops, advice)
	}
	twice := asked
	twice.Rule, twice.State = "all_approved", api.GateFailed
	if stops, _ := MergeBlockers(api.Mergeability{Rules: []api.MergeGate{asked, twice}}); len(stops) != 1 ||
		stops[0].State != api.GateFailed {
		t.Errorf("what a rule forbids is listed twice: %v", stops)
	}
	for want, g := range map[string]api.MergeGate{
		"! Changes-requested": asked, "! Threads": threads, "✗ Approval": failed, "✓ Role": passed,
	} {
		g.Message = strings.ReplaceAll(g.Rule, "_", "-") + "."
		if got := (Viewer{Me: *newUser("t", "Tomás")}).Check(g).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, rules := range map[string][]api.MergeGate{"✓ all 2 checks pass": {passed, passed}, "1 of 2 checks pass": {passed, threads}} {
		if got := PassedRules(rules).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	failed.Rule = string(api.RuleApproval)
	failed.ClearedBy = &api.GateClearers{Role: api.RoleReview, Users: []api.User{*newUser("t", "Tomás")}}
	if diff := cmp.Diff([]string{"rule: somebody approves", "up to you or any reviewer"},
		(Viewer{Me: *newUser("t", "Tomás")}).Explanation(failed)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"would not stop it alone"}, (Viewer{}).Explanation(asked)); diff != "" {
		t.Error(diff)
	}
}

func TestOverviewFitsWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 120).Draw(t, "width")
		r := api.ChangeRequest{}
		r.Subject, r.DescriptionMarkdown = rapid.String().Draw(t, "subject"), rapid.String().Draw(t, "description")
		r.Status, r.Number = rapid.SampledFrom(api.StatusOpen.Values()).Draw(t, "status"), rapid.IntRange(0, 1<<30).Draw(t, "number")
		lines := append(Title(r, width), Description(r, width, rapid.IntRange(1, 20).Draw(t, "most"))...)
		for _, line := range lines {
			if line.Width() > width {
				t.Fatalf("%d cells in %d: %q", line.Width(), width, line.String())
			}
		}
	})
}

// TestTimesOfEqualEvents checks that events with the same text get their time, with the date unless it is today.
func TestTimesOfEqualEvents(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 18, 0, 0, 0, time.UTC)
	imke := newUser("i", "Imke")
	edited := func(at time.Time) api.TimelineEvent {
		return api.TimelineEvent{Kind: api.TimelineEdited, By: imke, At: api.At(at)}
	}
	lines := EventLines([]api.TimelineEvent{
		edited(now.AddDate(0, 0, -17)), edited(now.AddDate(0, 0, -17).Add(time.Minute)), edited(now.Add(-time.Minute)),
	}, "t", func(time.Time) string { return "" }, nil, now)
	for i, want := range []string{"Imke edited it · 8 Nov 18:00:00", "Imke edited it · 8 Nov 18:01:00", "Imke edited it · 17:59:00"} {
		if got := strings.TrimSpace(lines[i].String()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestConflictTitles checks that the title of a conflict about a page as a whole names its kind.
func TestConflictTitles(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]api.Conflict{
		"Radio › paragraph 3":            {Kind: "text", Title: "Radio", Place: "paragraph 3", Block: "b"},
		"Radio › deleted on one side":    {Kind: "deleted", Title: "Radio", Place: "Table of contents"},
		"Radio › paragraph 1":            {Kind: "deleted", Title: "Radio", Place: "paragraph 1", Block: "b"},
		"Radio › moved to two places":    {Kind: "moved", Title: "Radio", Place: "Table of contents"},
		"Radio › Settings › Address":     {Kind: "slug", Title: "Radio", Place: "Settings", AttributeLabel: "Address"},
		"light.png › file":               {Kind: "file", Title: "light.png", Place: "Files"},
		"order among its neighbours":     {Kind: "order", Place: "Table of contents"},
		"Radio › pages below each other": {Kind: "cycle", Title: "Radio", Place: "Table of contents"},
	} {
		if got := ConflictTitle(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
