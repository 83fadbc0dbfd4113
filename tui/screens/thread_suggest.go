package screens

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// noSuggestionReason returns a function for the reason why the row under the cursor does not admit a suggestion. The
// draft of a suggestion can be edited again.
func (t *threadsPart) noSuggestionReason(offText func() string) func() string {
	words := t.noWordsReason(offText)
	return func() string {
		if d, ok := t.selectedDraft(); ok && d.Suggestion != nil {
			return ""
		}
		if t.target.ChangeRequest == "" {
			return "suggestions are made in a change request: e edits the page in one"
		}
		return words()
	}
}

// suggestBlock starts a suggestion for the block under the cursor, or continues the draft of one.
func (t *threadsPart) suggestBlock(title string) tea.Cmd {
	if d, ok := t.selectedDraft(); ok {
		return page.Ask(t.frame.Session, page.SuggestMsg{Draft: d})
	}
	about := t.frame.About()
	return t.suggest(drafts.Draft{
		Page: t.page, Title: title, Node: about.Block, Original: about.Quote, About: "suggestion for “" + render.Gist(about.Quote) + "”",
	})
}

// suggest opens the field for a suggestion.
func (t *threadsPart) suggest(d drafts.Draft) tea.Cmd {
	return page.Ask(t.frame.Session, page.SuggestMsg{Draft: t.newDraft(d)})
}

// notApplicableReason returns the reason why there is no suggestion to apply under the cursor, or "".
func (t *threadsPart) notApplicableReason() string {
	th, _ := t.selectedThread()
	switch {
	case th == nil:
		return t.noThreadReason()
	case th.Suggestion == nil:
		return "this thread has no suggestion"
	case th.Outcome == api.OutcomeApplied:
		return "it has been applied already"
	case th.Status == api.CommentResolved:
		return "it is resolved: x reopens it first"
	case t.shownRevision == nil || t.shownRevision() == "":
		return "wait until it is loaded"
	default:
		return ""
	}
}

// apply applies the suggestion under the cursor; if there are more, it offers them as well.
func (t *threadsPart) apply() tea.Cmd {
	th, _ := t.selectedThread()
	var all []*commentThread
	for _, other := range t.filter(func(*commentThread) bool { return true }) {
		if other.Suggestion != nil && other.Status == api.CommentOpen {
			all = append(all, other)
		}
	}
	if len(all) < 2 {
		return page.AskAfter(t.frame.Session, t.confirmApply([]*commentThread{th}))
	}
	where := render.Choose(t.page == "", "of the change request", "on this page")
	return page.Ask(t.frame.Session, page.PickMsg{Question: "Apply", Choices: []components.Choice{
		t.applyChoice("this suggestion, of "+t.frame.Session.UserName(th.PostedBy), []*commentThread{th}),
		t.applyChoice(fmt.Sprintf("all %d that are open %s, all or none", len(all), where), all),
	}})
}

// applyChoice returns the choice to apply suggestions, which has to be confirmed.
func (t *threadsPart) applyChoice(label string, list []*commentThread) components.Choice {
	s, load := t.frame.Session, t.confirmApply(list)
	return components.Choice{
		Label: label, Do: func() { s.AwaitsInput = true }, Cmd: func() tea.Msg { return page.AskedMsg{Msg: load()} },
	}
}

// confirmApply returns the question before suggestions are applied in one revision to the head that is shown: all of
// them, or none. It includes the warnings about the request.
func (t *threadsPart) confirmApply(list []*commentThread) func() tea.Msg {
	s, at, head := t.frame.Session, t.target, t.shownRevision()
	ids, names := make([]string, len(list)), make([]string, len(list))
	for i, th := range list {
		ids[i], names[i] = th.ID, t.frame.Session.UserName(th.PostedBy)+" on “"+render.Excerpt(th.Suggestion.Original)+"”"
	}
	count := render.Plural(len(ids), "suggestion")
	done := remote.ChangedMsg{Space: at.Space, Done: count + " applied" + t.unsentNote(ids...), Row: page.CommentKey(ids[0])}
	var ask func(shown, when string) tea.Msg
	write := func(head, key string) tea.Msg {
		approvers := s.Approvers(at)
		switch _, err := s.Client.Apply(s.Ctx, at, head, ids, key); {
		case api.IsReason(err, api.ReasonPrecondition):
			return ask(head, "while you were asked")
		case err != nil:
			return remote.ErrorMsg{Err: nameSuggestions(err, names)}
		}
		done.Command = applyCommand(at, head, ids)
		done.Done += s.ApprovalNote(at, approvers)
		return done
	}
	ask = func(shown, when string) tea.Msg {
		now, err := findMovedRequest(s.Ctx, s.Connection, at, shown)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		question := fmt.Sprintf("Apply %s to #%d?", count, now.Number)
		question = cmp.Or(s.ConfirmQuestion(at, now.ChangeRequest, "apply "+render.Choose(len(ids) == 1, "it", "them"), question), question)
		if now.Revision != shown {
			question = now.describe(when) + "\n" + question
		}
		key := s.NewKey()
		return page.ConfirmMsg{Question: question, Yes: func() tea.Msg { return write(now.Revision, key) }}
	}
	return func() tea.Msg { return ask(head, "since it was shown") }
}

// nameSuggestions returns an error that names the suggestions at fault.
func nameSuggestions(err error, names []string) error {
	apiErr, ok := api.AsError(err)
	if !ok {
		return err
	}
	var faults []string
	for _, f := range apiErr.Fields {
		at := -1
		if _, err := fmt.Sscanf(f.Path, "comments[%d]", &at); err == nil && at >= 0 && at < len(names) {
			faults = append(faults, names[at]+" "+f.Message)
		}
	}
	var whole *api.Error
	if len(faults) == 0 || !errors.As(err, &whole) {
		return err
	}
	combined := *whole
	combined.Message = "nothing was applied: " + strings.Join(faults, "; ")
	return &combined
}

func applyCommand(at remote.Target, revision string, ids []string) string {
	return at.RequestCommand("apply-suggestions", "--revision", revision, "--comments", strings.Join(ids, ","))
}
