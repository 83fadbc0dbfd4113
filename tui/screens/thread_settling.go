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

// outcomes are what may come of a thread, in words.
var outcomes = map[api.CommentOutcome]string{
	api.OutcomeDone: "done: the text says it now", api.OutcomeAnswered: "answered: the replies say it", api.OutcomeDeclined: "declined: it stays as it is",
}

// offered are the outcomes that people give a thread, always in this order: who has learnt the numbers need not read them.
var offered = []api.CommentOutcome{api.OutcomeDone, api.OutcomeAnswered, api.OutcomeDeclined}

// likely is the outcome that a thread probably has: of a question an answer, of words that were edited since a deed.
func (th *Thread) likely() api.CommentOutcome {
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

// resolve offers what may have come of an open thread, and reopens a resolved one.
func (t *Threads) resolve() tea.Cmd {
	th, _ := t.Selected()
	if th.Status == api.CommentResolved {
		was := th.Outcome
		if was == api.OutcomeApplied { // only the server says so
			was = ""
		}
		return t.settle(th.ID, false, "", t.settle(th.ID, true, was, nil))
	}
	ask := page.PickMsg{Question: fmt.Sprintf("Resolve it as (⏎: %s)", th.likely()), Likely: slices.Index(offered, th.likely())}
	for _, outcome := range offered {
		ask.Choices = append(ask.Choices, components.Choice{Label: outcomes[outcome], Cmd: t.settle(th.ID, true, outcome, t.settle(th.ID, false, "", nil))})
	}
	return page.Ask(t.frame.Session, ask)
}

// unsaid says that the user has written replies in threads that are closed, and not sent them.
func (t *Threads) unsaid(threads ...string) string {
	if len(t.unsent(func(d drafts.Draft) bool { return d.Waits() && !d.Edit && slices.Contains(threads, d.Comment) })) == 0 {
		return ""
	}
	return " · your reply there is not sent yet"
}

// settle resolves a thread, with an outcome if there is one, or reopens it; undo takes that back.
func (t *Threads) settle(id string, resolved bool, outcome api.CommentOutcome, undo tea.Cmd) tea.Cmd {
	body := api.CommentUpdate{Resolved: api.Some(resolved)}
	done := remote.ChangedMsg{Space: t.at.Space, Done: map[bool]string{true: "resolved", false: "reopened"}[resolved], Undo: undo}
	if outcome != "" {
		body.Outcome = api.Some(outcome)
		done.Done += " as " + string(outcome)
	}
	if resolved {
		done.Done += t.unsaid(id)
	}
	done.Command = settleCommand(t.at, id, resolved, outcome)
	content := t.frame.Session.Client.Content(t.at)
	return t.frame.Session.Write(done, func(ctx context.Context, key string) error { return content.UpdateComment(ctx, id, body, key) })
}

func settleCommand(at remote.Target, id string, resolved bool, outcome api.CommentOutcome) string {
	words := []string{"update", id, fmt.Sprintf("--resolved=%v", resolved)}
	if outcome != "" {
		words = append(words, "--outcome", string(outcome))
	}
	return at.Command("comments", "change-request-comments", words...)
}

// weightless says why what is under the cursor has no weight that the user may change.
func (t *Threads) weightless() string {
	if d, ok := t.Draft(); ok {
		switch {
		case t.frame.Session.IsFrozen(d.ID()):
			return page.OnItsWay
		case d.Comment != "" || d.Review:
			return "only a comment has a weight"
		}
		return ""
	}
	th, reply := t.Selected()
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

// weigh offers the weights for the draft or the comment under the cursor.
func (t *Threads) weigh() tea.Cmd {
	s := t.frame.Session
	if d, ok := t.Draft(); ok {
		return page.Weigh(d.Weight, func(w api.CommentWeight) tea.Cmd {
			d.Weight = w
			return page.Save(s, d)
		})
	}
	th, _ := t.Selected()
	return page.Weigh(th.Weight, func(w api.CommentWeight) tea.Cmd { return t.setWeight(th.ID, w, t.setWeight(th.ID, th.Weight, nil)) })
}

// setWeight gives a comment another weight; undo gives it the one that it had.
func (t *Threads) setWeight(id string, w api.CommentWeight, undo tea.Cmd) tea.Cmd {
	done := remote.ChangedMsg{Space: t.at.Space, Done: "the weight is " + string(w) + " now", Undo: undo, Command: weightCommand(t.at, id, w)}
	body := api.CommentUpdate{Weight: api.Some(w)}
	if w == "" {
		done.Done, body.Weight = "it has no weight now", api.Null[api.CommentWeight]()
	}
	content := t.frame.Session.Client.Content(t.at)
	return t.frame.Session.Write(done, func(ctx context.Context, key string) error { return content.UpdateComment(ctx, id, body, key) })
}

func weightCommand(at remote.Target, id string, w api.CommentWeight) string {
	if w == "" {
		return at.Command("comments", "change-request-comments", "update", id, "--no-weight")
	}
	return at.Command("comments", "change-request-comments", "update", id, "--weight", string(w))
}

// notAttached says why the thread under the cursor cannot be given another place here.
func (t *Threads) notAttached() string {
	switch {
	case t.notOnThread() != "":
		return t.notOnThread()
	case t.page == "":
		return "go to it first: ⏎"
	default:
		return ""
	}
}

// reattach offers the blocks of the page that are shown as the new place of a thread: where the words that it is about stand
// in one, they are it.
func (t *Threads) reattach() tea.Cmd {
	th, _ := t.Selected()
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

// attach gives a thread another place.
func (t *Threads) attach(id string, to api.CommentPlace) tea.Cmd {
	content := t.frame.Session.Client.Content(t.at)
	done := remote.ChangedMsg{Space: t.at.Space, Done: "it stands here now", Row: page.CommentKey(id), Command: attachCommand(t.at, id, to)}
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

// ThreadCommands are one of each that the room names, for a test that wsctl has them.
func ThreadCommands() []string {
	var all []string
	request := remote.Target{Space: "s", ChangeRequest: "2"}
	for _, at := range []remote.Target{{Space: "s"}, request} {
		all = append(all, settleCommand(at, "c", true, api.OutcomeDone), weightCommand(at, "c", api.WeightNit), weightCommand(at, "c", ""),
			attachCommand(at, "c", api.CommentPlace{Page: "p", Node: "n", Quote: "q"}), deleteCommand(at, "c", ""), deleteCommand(at, "c", "r"))
	}
	return append(all, applyCommand(request, "r", []string{"c", "d"}))
}

// head says whether a thread is open or what came of it, by whom and when, and then who began it; the sign says it without the
// colour.
func (t *Threads) head(th *Thread) render.Line {
	s := t.frame.Session
	by, ago := render.Of(render.Style{Bold: true}, s.NameOf(th.PostedBy)), s.Ago(th.PostedAt.Time)
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
		line = append(line, render.In(tone, " by "), render.Of(render.Style{Bold: true}, s.NameOf(*th.ResolvedBy)))
	}
	if !th.ResolvedAt.IsZero() {
		line = append(line, render.In(render.Dim, " "+s.Ago(th.ResolvedAt.Time)))
	}
	what := " · comment by "
	if th.Suggestion != nil {
		what = " · suggested by "
	}
	return append(line, render.In(render.Dim, what), by, render.In(render.Dim, " "+ago))
}
