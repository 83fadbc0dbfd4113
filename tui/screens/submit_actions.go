package screens

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// Actions implements page.Page.
func (p *Review) Actions() []components.Action {
	all := []components.Action{
		{Name: "done", Keys: []string{"ctrl+s"}, Help: page.Done, Hint: "send all", Do: p.send},
		{Name: "verdict", Keys: p.across("tab", "right"), Help: "next verdict: comment only, approve, request changes", Hint: "verdict", Do: p.nextVerdict, WhyNot: p.noVerdict},
		{Name: "verdict-back", Keys: p.across("shift+tab", "left"), Help: "previous verdict", Do: func() tea.Cmd { return p.turnVerdict(-1) }, WhyNot: p.noVerdict},
		{Name: "choose", Keys: []string{" "}, Help: "send this draft, or hold it back", Hint: "in or out", Do: p.turnHeld, WhyNot: p.notOnDraft},
		{Name: "edit", Keys: []string{"e"}, Help: "edit the page, or your own text", Hint: "edit", Do: p.edit, WhyNot: p.notEditable},
		{Name: "drop", Keys: []string{"X"}, Help: page.Drop, Hint: "drop", Do: p.drop, WhyNot: p.notOnDraft},
		{Name: "approve", Keys: []string{"a"}, Help: "approve", Do: func() tea.Cmd { return p.turnTo(api.ReviewApproved) }, WhyNot: p.noVerdict},
		{Name: "weight", Help: page.Weight, Do: p.weigh, WhyNot: p.weightless},
		{Name: "thaw", Help: "unlock the drafts of a review that got no answer", Do: p.askToThaw, WhyNot: p.nothingFrozen},
	}
	return append(all, p.digits()...)
}

// onVerdict reports whether the cursor is where the verdict is chosen.
func (p *Review) onVerdict() bool {
	r, ok := p.Selected()
	return ok && r.Key == verdictKey && p.noVerdict() == ""
}

// across are the keys of what goes to another verdict: the arrows, too, where it is chosen.
func (p *Review) across(key, arrow string) []string {
	if p.Session == nil || !p.onVerdict() { // the first for the table of keys
		return []string{key}
	}
	return []string{key, arrow}
}

// digits choose a verdict where it is chosen.
func (p *Review) digits() []components.Action {
	if p.Session == nil || !p.onVerdict() {
		return nil
	}
	var all []components.Action
	for i, v := range verdictNames {
		digit := strconv.Itoa(i + 1)
		all = append(all, components.Action{Name: "verdict-" + digit, Keys: []string{digit}, Help: "verdict: " + v.name, Do: func() tea.Cmd { return p.turnTo(v.status) }})
	}
	return all
}

// changeable says why nothing of the review can be changed.
func (p *Review) changeable() string {
	if _, frozen := p.frozen(); frozen {
		return page.OnItsWay
	}
	return ""
}

func (p *Review) noVerdict() string {
	switch {
	case p.changeable() != "":
		return p.changeable()
	case p.mine():
		return "it is your own change request: others approve it"
	case p.finished():
		return "it is closed: no verdict any more, but comments can still be sent"
	default:
		return ""
	}
}

func (p *Review) notOnDraft() string {
	if why := p.changeable(); why != "" {
		return why
	}
	if _, ok := p.selected(); !ok {
		return "put the cursor on a draft first"
	}
	return ""
}

// notEditable says why there is no text of the user's to edit under the cursor.
func (p *Review) notEditable() string {
	if r, _ := p.Selected(); r.Key == textKey {
		return p.changeable()
	}
	return p.notOnDraft()
}

func (p *Review) weightless() string {
	if why := p.notOnDraft(); why != "" {
		return why
	}
	if d, _ := p.selected(); d.Comment != "" {
		return "a reply has no weight"
	}
	return ""
}

func (p *Review) nextVerdict() tea.Cmd { return p.turnVerdict(1) }

// turnVerdict chooses another verdict, the first after the last.
func (p *Review) turnVerdict(by int) tea.Cmd {
	now := p.own().Verdict
	at := 0
	for i, v := range verdictNames {
		if v.status == now {
			at = i
		}
	}
	return p.turnTo(verdictNames[(at+by+len(verdictNames))%len(verdictNames)].status)
}

func (p *Review) turnHeld() tea.Cmd {
	d, _ := p.selected()
	d.Held = !d.Held
	delete(p.refused, d.ID())
	return page.Turn(p.Session, d, "")
}

func (p *Review) edit() tea.Cmd {
	if d, ok := p.selected(); ok {
		return page.Ask(p.Session, page.ComposeMsg{Draft: d})
	}
	return page.Ask(p.Session, page.ComposeMsg{Draft: p.own()})
}

func (p *Review) drop() tea.Cmd {
	d, _ := p.selected()
	return page.Discard(p.Session, d)
}

func (p *Review) weigh() tea.Cmd {
	d, _ := p.selected()
	return page.Weigh(d.Weight, func(w api.CommentWeight) tea.Cmd {
		d.Weight = w
		return page.Save(p.Session, d)
	})
}

// Opens says what Open does.
func (p *Review) Opens() string {
	switch r, _ := p.Selected(); {
	case r.Key == verdictKey && p.noVerdict() == "":
		return "write a summary"
	case r.Key == textKey:
		return "write"
	case r.Key == movedKey:
		return "show what changed"
	case r.About.Draft != "":
		return "go to it"
	case strings.HasPrefix(r.Key, unreadKey):
		return "read it"
	default:
		return ""
	}
}

// Open goes to what the row under the cursor speaks of.
func (p *Review) Open() tea.Cmd {
	r, _ := p.Selected()
	switch {
	case r.Key == verdictKey && p.noVerdict() != "":
		return components.Toast("%s", p.noVerdict())
	case r.Key == verdictKey:
		p.toText()
		return p.edit()
	case r.Key == textKey && p.changeable() != "":
		return components.Toast("%s", p.changeable())
	case r.Key == textKey:
		return p.edit()
	case r.Key == movedKey:
		return p.places.Since(p.of.Revision)
	case strings.HasPrefix(r.Key, unreadKey):
		return p.places.Item(strings.TrimPrefix(r.Key, unreadKey))
	}
	if d, ok := p.selected(); ok {
		return p.places.Draft(d)
	}
	return nil
}

// toText puts the cursor on what is said with the verdict.
func (p *Review) toText() {
	p.List.Want(textKey)
	p.Stale = true
}

// ShowNew shows what came in since the request was shown; without anything, it loads again.
func (p *Review) ShowNew() tea.Cmd {
	if p.hasMoved() {
		return p.places.Since(p.of.Revision)
	}
	return p.Load()
}

// Leaving says what stays behind unsent.
func (p *Review) Leaving() string { return Leaving(p.Session.WaitingAt(p.at), p.of.Number) }

// Leaving says how many drafts of a change request are not sent, or nothing.
func Leaving(pending, number int) string {
	if pending == 0 {
		return ""
	}
	return fmt.Sprintf("%s on #%d not sent; they are kept, and p lists them", render.Plural(pending, "draft"), number)
}

func (p *Review) hasMoved() bool { return p.now.Loaded && p.now.Latest.Revision != p.of.Revision }

// send freezes and sends the review, after what is against that was said.
func (p *Review) send() tea.Cmd {
	if f, ok := p.frozen(); ok {
		return components.Send(page.SubmitMsg{Submission: f})
	}
	s := p.build(p.Session.NewKey())
	if why := tooMuch(s.Body); why != "" {
		return components.Toast("%s", why)
	}
	if s.Body.Status == "" && s.Body.Comment == nil && len(s.Body.Drafts) == 0 {
		if !p.judges() {
			return components.Toast("nothing to send yet: c comments where you read, r replies")
		}
		return components.Toast("nothing to send yet: tab chooses a verdict, c comments on a page")
	}
	if s.Body.Status == api.ReviewChangesRequested && s.Body.Comment == nil && len(s.Body.Drafts) == 0 && p.warned != wordless {
		p.warned = wordless
		p.toText()
		return components.Toast("say what has to change: nothing is written yet; ctrl+s again sends it without a word")
	}
	if s.Body.Status == api.ReviewApproved {
		if told := p.warn(); told != nil {
			return told
		}
		if slices.ContainsFunc(s.Drafts, func(d drafts.Draft) bool { return d.Weight == api.WeightBlocking }) {
			return page.Ask(p.Session, page.ConfirmMsg{
				Question: "You approve, and one of your comments is blocking. Send both?", Yes: components.Send(page.SubmitMsg{Submission: s}),
			})
		}
	}
	return components.Send(page.SubmitMsg{Submission: s})
}

// wordless is the state of a review that asks for changes and does not say which.
const wordless = "wordless"

// warn goes to what is against an approval, once for each state of it.
func (p *Review) warn() tea.Cmd {
	unread := p.Session.Read.Unread(p.at)
	state := fmt.Sprintf("%d %s", len(unread), p.now.Latest.Revision)
	if p.warned == state || len(unread) == 0 && !p.hasMoved() {
		return nil
	}
	p.warned, p.Stale = state, true
	if p.hasMoved() {
		p.List.Want(movedKey)
		return components.Toast("it changed while you read: ctrl+s again approves what you saw, R shows what changed")
	}
	p.List.Want(unreadKey + unread[0].ID)
	return components.Toast("%s not read: ctrl+s again approves anyway", render.Plural(len(unread), "change"))
}

// nothingFrozen says why there is nothing to take apart.
func (p *Review) nothingFrozen() string {
	if _, frozen := p.frozen(); !frozen {
		return "nothing is on its way"
	}
	if p.open == nil {
		return "wait for the answer first"
	}
	return ""
}

// askToThaw has it confirmed that a review whose outcome stays unknown is taken apart.
func (p *Review) askToThaw() tea.Cmd {
	f, _ := p.frozen()
	journal := p.Session.Drafts
	thaw := func() tea.Msg {
		if err := journal.Thaw(f); err != nil {
			return page.SubmittedMsg{Submission: f, Err: err}
		}
		return page.CountMsg{}
	}
	return page.Ask(p.Session, page.ConfirmMsg{
		Question: "It may have arrived already: if you send its comments again, they may appear twice. Unlock the drafts?", Typed: true, Yes: thaw,
	})
}
