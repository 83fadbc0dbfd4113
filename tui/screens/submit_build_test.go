package screens

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

func TestBuildSubmissionObeysServerLimits(t *testing.T) {
	t.Parallel()
	at := remote.Target{Space: "s", ChangeRequest: "c"}
	comment := drafts.Draft{Target: at, Page: "p", Node: "n", Text: "x"}
	suggestion := "y"
	many := func(n int, d drafts.Draft) []drafts.Draft {
		out := make([]drafts.Draft, n)
		for i := range out {
			out[i] = d
		}
		return out
	}
	with := func(d drafts.Draft, change func(*drafts.Draft)) drafts.Draft {
		change(&d)
		return d
	}
	for name, c := range map[string]struct {
		pending []drafts.Draft
		drafts  int
		much    bool
	}{
		"none":       {nil, 0, false},
		"as many":    {many(maxDrafts, comment), maxDrafts, false},
		"too many":   {many(maxDrafts+1, comment), maxDrafts + 1, true},
		"held back":  {append(many(maxDrafts, comment), with(comment, func(d *drafts.Draft) { d.Held = true })), maxDrafts, false},
		"as long":    {many(32, with(comment, func(d *drafts.Draft) { d.Text = strings.Repeat("x", 64<<10) })), 32, false},
		"too long":   {many(33, with(comment, func(d *drafts.Draft) { d.Text = strings.Repeat("x", 64<<10) })), 33, true},
		"a reply":    {many(1, drafts.Draft{Target: at, Comment: "c", Text: "x", Weight: api.WeightNit, Revision: "r"}), 1, false},
		"a wordless": {many(1, with(comment, func(d *drafts.Draft) { d.Text, d.Suggestion = "", &suggestion })), 1, false},
	} {
		s := buildSubmission("i", at, api.ChangeRequest{Revision: "r"}, drafts.Draft{Review: true, Verdict: api.ReviewApproved},
			true, c.pending)
		if got := len(s.Body.Drafts); got != c.drafts || len(s.Drafts) != got {
			t.Errorf("%s: %d drafts", name, got)
		}
		refused := len(s.Body.Validate()) > 0 || len(s.Body.Drafts) > 200
		if much := tooLargeReason(s.Body) != ""; much != c.much || much != refused {
			t.Errorf("%s: too much %v, refused %v: %v", name, much, refused, s.Body.Validate())
		}
		for _, d := range s.Body.Drafts {
			if d.Body.Text() == "" {
				t.Errorf("%s: a draft without a word", name)
			}
		}
	}
}

func TestIsRefusedByStatus(t *testing.T) {
	t.Parallel()
	for code, want := range map[int][2]bool{
		400: {true, true}, 401: {false, false}, 403: {true, false}, 404: {true, false}, 409: {true, true}, 422: {true, true},
		429: {false, false}, 500: {false, false}, 503: {false, false},
	} {
		err := api.Errorf(code, api.ReasonInvalid, "no")
		if first, after := isRefused(err, false), isRefused(err, true); first != want[0] || after != want[1] {
			t.Errorf("%d: %v at first, %v after a lost answer", code, first, after)
		}
	}
}
