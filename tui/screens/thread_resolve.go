package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// outcomeNames are the names of the outcomes of a thread.
var outcomeNames = map[api.CommentOutcome]string{
	api.OutcomeDone: "done: the text says it now", api.OutcomeAnswered: "answered: the replies say it",
	api.OutcomeDeclined: "declined: it stays as it is",
}

// offeredOutcomes are the outcomes that a user can choose. Their order is fixed, so that users can learn the numbers.
var offeredOutcomes = []api.CommentOutcome{api.OutcomeDone, api.OutcomeAnswered, api.OutcomeDeclined}

// likelyOutcome returns the probable outcome of a thread: answered for a question, done if the text was edited since.
func (th *commentThread) likelyOutcome() api.CommentOutcome {
	edited := th.Target.Page != nil && th.Target.Page.Outdated
	if a := th.Target.Anchor; a != nil {
		edited = a.State == api.AnchorFuzzy || a.State == api.AnchorOrphaned
	}
	replied := len(th.replies) > 0 && th.replies[len(th.replies)-1].PostedBy.ID != th.PostedBy.ID
	if th.Weight == api.WeightQuestion || replied && !edited {
		return api.OutcomeAnswered
	}
	return api.OutcomeDone
}

// resolve offers the outcomes of an open thread, or reopens a resolved one.
func (t *threadsPart) resolve() tea.Cmd {
	th, _ := t.selectedThread()
	if th.Status == api.CommentResolved {
		was := th.Outcome
		if was == api.OutcomeApplied { // only the server sets it
			was = ""
		}
		return t.setResolved(th.ID, false, "", t.setResolved(th.ID, true, was, nil))
	}
	ask := page.PickMsg{
		Question: fmt.Sprintf("Resolve it as (⏎: %s)", th.likelyOutcome()), Initial: slices.Index(offeredOutcomes, th.likelyOutcome()),
	}
	for _, outcome := range offeredOutcomes {
		ask.Choices = append(ask.Choices, components.Choice{
			Label: outcomeNames[outcome], Cmd: t.setResolved(th.ID, true, outcome, t.setResolved(th.ID, false, "", nil)),
		})
	}
	return page.Ask(t.frame.Session, ask)
}

// unsentNote returns a note if there are unsent replies of the user in the threads that are resolved, or "".
func (t *threadsPart) unsentNote(threads ...string) string {
	if len(t.unsentDrafts(func(d drafts.Draft) bool { return d.IsUnsent() && !d.Edit && slices.Contains(threads, d.Comment) })) == 0 {
		return ""
	}
	return " · your reply there is not sent yet"
}

// setResolved resolves a thread with an outcome, which may be empty, or reopens it; undo reverts it.
func (t *threadsPart) setResolved(id string, resolved bool, outcome api.CommentOutcome, undo tea.Cmd) tea.Cmd {
	body := api.CommentUpdate{Resolved: api.Some(resolved)}
	done := remote.ChangedMsg{Space: t.target.Space, Done: render.Choose(resolved, "resolved", "reopened"), Undo: undo}
	if outcome != "" {
		body.Outcome = api.Some(outcome)
		done.Done += " as " + string(outcome)
	}
	if resolved {
		done.Done += t.unsentNote(id)
	}
	done.Command = resolveCommand(t.target, id, resolved, outcome)
	content := t.frame.Session.Client.Content(t.target)
	return t.frame.Session.Write(done, func(ctx context.Context, key string) error { return content.UpdateComment(ctx, id, body, key) })
}

func resolveCommand(at remote.Target, id string, resolved bool, outcome api.CommentOutcome) string {
	words := []string{"update", id, fmt.Sprintf("--resolved=%v", resolved)}
	if outcome != "" {
		words = append(words, "--outcome", string(outcome))
	}
	return at.Command("comments", "change-request-comments", words...)
}

// noWeightReason returns the reason why the user cannot set a weight under the cursor, or "".
func (t *threadsPart) noWeightReason() string {
	if d, ok := t.selectedDraft(); ok {
		switch {
		case t.frame.Session.IsFrozen(d.ID()):
			return page.FrozenReason
		case d.Comment != "" || d.Review:
			return "only a comment has a weight"
		}
		return ""
	}
	th, reply := t.selectedThread()
	switch {
	case th == nil:
		return "put the cursor on a comment or a draft of yours first"
	case reply != nil:
		return "a reply has no weight"
	case th.PostedBy.ID != t.frame.Session.Me.ID:
		return "only its author can change its weight"
	default:
		return ""
	}
}

// chooseWeight offers the weights for the draft or the comment under the cursor.
func (t *threadsPart) chooseWeight() tea.Cmd {
	s := t.frame.Session
	if d, ok := t.selectedDraft(); ok {
		return page.ChooseWeight(d.Weight, func(w api.CommentWeight) tea.Cmd {
			d.Weight = w
			return page.Save(s, d)
		})
	}
	th, _ := t.selectedThread()
	return page.ChooseWeight(th.Weight, func(w api.CommentWeight) tea.Cmd {
		return t.setWeight(th.ID, w, t.setWeight(th.ID, th.Weight, nil))
	})
}

// setWeight sets the weight of a comment; undo restores the previous one.
func (t *threadsPart) setWeight(id string, w api.CommentWeight, undo tea.Cmd) tea.Cmd {
	done := remote.ChangedMsg{
		Space: t.target.Space, Done: "the weight is " + string(w) + " now", Undo: undo, Command: weightCommand(t.target, id, w),
	}
	body := api.CommentUpdate{Weight: api.Some(w)}
	if w == "" {
		done.Done, body.Weight = "it has no weight now", api.Null[api.CommentWeight]()
	}
	content := t.frame.Session.Client.Content(t.target)
	return t.frame.Session.Write(done, func(ctx context.Context, key string) error { return content.UpdateComment(ctx, id, body, key) })
}

func weightCommand(at remote.Target, id string, w api.CommentWeight) string {
	if w == "" {
		return at.Command("comments", "change-request-comments", "update", id, "--no-weight")
	}
	return at.Command("comments", "change-request-comments", "update", id, "--weight", string(w))
}

// notAttachableReason returns the reason why the thread under the cursor cannot be attached to another block here, or
// "".
func (t *threadsPart) notAttachableReason() string {
	switch {
	case t.noThreadReason() != "":
		return t.noThreadReason()
	case t.page == "":
		return "go to it first: ⏎"
	default:
		return ""
	}
}

// reattach offers the shown blocks of the page as the new location of a thread. If a block contains the quoted words,
// the thread is attached to these words.
func (t *threadsPart) reattach() tea.Cmd {
	th, _ := t.selectedThread()
	seen := map[string]bool{}
	var choices []components.Choice
	for _, row := range t.frame.List.All() {
		if about := row.About; about.Block != "" && about.Page == t.page && !seen[about.Block] {
			seen[about.Block] = true
			to := api.CommentPlace{Page: t.page, Node: about.Block}
			if a := th.Target.Anchor; a != nil && a.Quote != about.Quote && strings.Count(about.Quote, a.Quote) == 1 {
				to.Quote = a.Quote
			}
			choices = append(choices, components.Choice{Label: render.Gist(about.Quote), Cmd: t.attach(th.ID, to)})
		}
	}
	choices = append(choices, components.Choice{Label: "the page as a whole", Cmd: t.attach(th.ID, api.CommentPlace{Page: t.page})})
	return page.Ask(t.frame.Session, page.PickMsg{Question: "The thread is about", Choices: choices})
}

// attach attaches a thread to another location.
func (t *threadsPart) attach(id string, to api.CommentPlace) tea.Cmd {
	content := t.frame.Session.Client.Content(t.target)
	done := remote.ChangedMsg{
		Space: t.target.Space, Done: "it stands here now", Row: page.CommentKey(id),
		Command: attachCommand(t.target, id, to),
	}
	return t.frame.Session.Write(done, func(ctx context.Context, key string) error { return content.Reattach(ctx, id, to, key) })
}

func attachCommand(at remote.Target, id string, to api.CommentPlace) string {
	words := []string{"reattach", id, "--page", to.Page}
	if to.Node != "" {
		words = append(words, "--node", to.Node)
	}
	if to.Quote != "" {
		words = append(words, "--quote", to.Quote)
	}
	return at.Command("comments", "change-request-comments", words...)
}

// headLine draws the state of a thread, its outcome with user and time, and its author. The sign shows the state even without
// colours.
func (t *threadsPart) headLine(th *commentThread) render.Line {
	s := t.frame.Session
	by, ago := render.NewSpan(render.Style{Bold: true}, s.UserName(th.PostedBy)), s.Ago(th.PostedAt.Time)
	if th.Status != api.CommentResolved {
		return render.Line{render.In(render.Warning, "● open "), by, render.In(render.Dim, " · "+ago)}
	}
	tone, outcome := render.Added, "resolved"
	if th.Outcome != "" {
		outcome = string(th.Outcome)
	}
	if th.Outcome == api.OutcomeDeclined {
		tone = render.Dim
	}
	line := render.Line{render.In(tone, "✓ "+outcome)}
	if th.ResolvedBy != nil {
		line = append(line, render.In(tone, " by "), render.NewSpan(render.Style{Bold: true}, s.UserName(*th.ResolvedBy)))
	}
	if !th.ResolvedAt.IsZero() {
		line = append(line, render.In(render.Dim, " "+s.Ago(th.ResolvedAt.Time)))
	}
	label := " · comment by "
	if th.Suggestion != nil {
		label = " · suggested by "
	}
	return append(line, render.In(render.Dim, label), by, render.In(render.Dim, " "+ago))
}
