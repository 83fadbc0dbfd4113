package screens

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
)

// verdict is a part of the pages of a change request: it is judged from each of them, for the revision that is shown.
type verdict struct {
	session *page.Session
	at      remote.Target
	of      func() api.ChangeRequest // as it is shown; zero until it is loaded
}

func (v verdict) actions() []components.Action {
	return []components.Action{
		{Name: "approve", Keys: []string{"a"}, Help: "approve", Hint: "approve", Do: v.approve, WhyNot: v.closed},
		{Name: "submit", Keys: []string{"S"}, Help: "submit a review", Hint: "submit review", Do: v.submit, WhyNot: v.closed},
	}
}

// closed says why nothing can be decided about the request any more, or yet.
func (v verdict) closed() string { return closed(v.of()) }

func closed(r api.ChangeRequest) string {
	switch s := r.Status; {
	case r.ID == "":
		return "wait until it is loaded"
	case s == api.StatusMerged || s == api.StatusArchived:
		return fmt.Sprintf("already %s", s)
	default:
		return ""
	}
}

// approve has an approval of the revision that is shown confirmed.
func (v verdict) approve() tea.Cmd {
	r, s, at := v.of(), v.session, v.at
	body := api.ReviewCreate{Status: api.ReviewApproved, Revision: r.Revision}
	done := remote.ChangedMsg{Space: at.Space, Done: "approved", Command: approveCommand(at, r.Revision)}
	approve := s.Write(done, func(ctx context.Context, key string) error { return s.Client.Review(ctx, at, body, key) })
	unsent := v.session.Drafts
	return func() tea.Msg {
		question := fmt.Sprintf("Approve #%d as it is shown, last changed %s?", r.Number, s.Ago(r.UpdatedAt.Time))
		all, err := unsent.All()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		if n := draftsOf(all, at); n > 0 {
			question = fmt.Sprintf("You have not sent %s on it (p). ", text.Plural(n, "draft")) + question
		}
		return page.ConfirmMsg{Question: question, Yes: approve}
	}
}

func approveCommand(at remote.Target, revision string) string {
	return at.Command("", "change-request-reviews", "create", "--status", string(api.ReviewApproved), "--revision", revision)
}

// draftsOf counts the drafts of comments and replies of a target.
func draftsOf(all []drafts.Draft, at remote.Target) int {
	n := 0
	for _, d := range all {
		if d.Target == at && d.Conflict == "" {
			n++
		}
	}
	return n
}

// submit asks which verdict a review has, and begins to write why.
func (v verdict) submit() tea.Cmd {
	begin := func(status api.ReviewStatus, about string) tea.Cmd {
		return components.Send(page.ComposeMsg{Draft: drafts.Draft{Target: v.at, Verdict: status, Revision: v.of().Revision, About: about}})
	}
	return components.Send(page.PickMsg{
		Question: fmt.Sprintf("Your review of #%d", v.of().Number),
		Choices: []components.Choice{
			{Label: "Approve, with a word or two", Cmd: begin(api.ReviewApproved, "approval: what should be said with it?")},
			{Label: "Ask for changes", Cmd: begin(api.ReviewChangesRequested, "ask for changes: what?")},
			{Label: "Comment only", Cmd: components.Send(page.ComposeMsg{Draft: drafts.Draft{Target: v.at, About: "comment on the change request"}})},
		},
	})
}
