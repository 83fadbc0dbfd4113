package screens

import (
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

// noSuggestion returns what says why nothing can be suggested for what is under the cursor; a suggestion that is a draft is
// edited again.
func (t *Threads) noSuggestion(offText func() string) func() string {
	words := t.noWords(offText)
	return func() string {
		if d, ok := t.Draft(); ok && d.Suggestion != nil {
			return ""
		}
		if t.at.ChangeRequest == "" {
			return "suggestions are made in a change request: e edits the page in one"
		}
		return words()
	}
}

// suggestBlock begins a suggestion for the block under the cursor, or goes on with the draft of one.
func (t *Threads) suggestBlock(title string) tea.Cmd {
	if d, ok := t.Draft(); ok {
		return components.Send(page.SuggestMsg{Draft: d})
	}
	about := t.frame.About()
	return t.suggest(drafts.Draft{Page: t.page, Title: title, Node: about.Block, Original: about.Quote, About: "suggestion for “" + render.Gist(about.Quote) + "”"})
}

// suggest has a suggestion written in the editor.
func (t *Threads) suggest(d drafts.Draft) tea.Cmd {
	return components.Send(page.SuggestMsg{Draft: t.here(d)})
}

// notApplied says why there is no suggestion to apply under the cursor.
func (t *Threads) notApplied() string {
	th, _ := t.Selected()
	switch {
	case th == nil:
		return t.notOnThread()
	case th.Suggestion == nil:
		return "this thread has no suggestion"
	case th.Outcome == api.OutcomeApplied:
		return "it has been applied already"
	case th.Status == api.CommentResolved:
		return "it is resolved: x reopens it first"
	case t.Head == nil || t.Head() == "":
		return "wait until it is loaded"
	default:
		return ""
	}
}

// apply applies the suggestion under the cursor; where there are more, it asks which of them.
func (t *Threads) apply() tea.Cmd {
	th, _ := t.Selected()
	var all []*Thread
	for _, other := range t.Shown(func(*Thread) bool { return true }) {
		if other.Suggestion != nil && other.Status == api.CommentOpen {
			all = append(all, other)
		}
	}
	if len(all) < 2 {
		return t.applyThese([]*Thread{th})
	}
	where := map[bool]string{true: "of the change request", false: "on this page"}[t.page == ""]
	return page.Ask(t.frame.Session, page.PickMsg{Question: "Apply", Choices: []components.Choice{
		{Label: "this suggestion, of " + t.frame.Session.NameOf(th.PostedBy), Cmd: t.applyThese([]*Thread{th})},
		{Label: fmt.Sprintf("all %d that are open %s, all or none", len(all), where), Cmd: t.applyThese(all)},
	}})
}

// applyThese writes suggestions as one revision, for the head that they are shown for: all of them, or none. What the user
// should know of the request is said before.
func (t *Threads) applyThese(list []*Thread) tea.Cmd {
	s, at, head := t.frame.Session, t.at, t.Head()
	ids, names := make([]string, len(list)), make([]string, len(list))
	for i, th := range list {
		ids[i], names[i] = th.ID, t.frame.Session.NameOf(th.PostedBy)+" on “"+render.Excerpt(th.Suggestion.Original)+"”"
	}
	done := remote.ChangedMsg{
		Space: at.Space, Done: render.Plural(len(ids), "suggestion") + " applied" + t.unsaid(ids...), Row: page.CommentKey(ids[0]), Command: applyCommand(at, head, ids),
	}
	key := s.NewKey()
	write := func() tea.Msg {
		stood := s.Approvers(at)
		if _, err := s.Client.Apply(s.Ctx, at, head, ids, key); err != nil {
			return remote.FailMsg{Err: named(err, names)}
		}
		done.Done += s.Lapsed(at, stood)
		return done
	}
	return func() tea.Msg {
		r, err := s.Client.ChangeRequest(s.Ctx, at)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		what := render.Plural(len(ids), "suggestion")
		if question := s.Against(at, r, "apply "+map[bool]string{true: "it", false: "them"}[len(ids) == 1], "Apply "+what+"?"); question != "" {
			return page.ConfirmMsg{Question: question, Yes: write}
		}
		return write()
	}
}

// named is a refusal that names the suggestions at fault.
func named(err error, names []string) error {
	wrong, ok := api.AsError(err)
	if !ok {
		return err
	}
	var faults []string
	for _, f := range wrong.Fields {
		at := -1
		if _, err := fmt.Sscanf(f.Path, "comments[%d]", &at); err == nil && at >= 0 && at < len(names) {
			faults = append(faults, names[at]+" "+f.Message)
		}
	}
	var whole *api.Error
	if len(faults) == 0 || !errors.As(err, &whole) {
		return err
	}
	told := *whole
	told.Message = "nothing was applied: " + strings.Join(faults, "; ")
	return &told
}

func applyCommand(at remote.Target, revision string, ids []string) string {
	return at.RequestCommand("apply-suggestions", "--revision", revision, "--comments", strings.Join(ids, ","))
}
