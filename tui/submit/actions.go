package submit

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/text"
)

// Actions implements page.Page.
func (p *Review) Actions() []components.Action {
	return []components.Action{
		{Name: "done", Keys: []string{"ctrl+s"}, Help: page.Done, Hint: "send all", Do: p.send},
		{Name: "verdict", Keys: []string{"tab"}, Help: "the next verdict", Hint: "verdict", Do: p.nextVerdict, WhyNot: p.noVerdict},
		{Name: "choose", Keys: []string{" "}, Help: "send it, or hold it back", Hint: "in or out", Do: p.turnHeld, WhyNot: p.notOnDraft},
		{Name: "edit", Keys: []string{"e"}, Help: "edit the page, or your own text", Hint: "edit", Do: p.edit, WhyNot: p.notEditable},
		{Name: "drop", Keys: []string{"X"}, Help: "drop the draft", Hint: "drop", Do: p.drop, WhyNot: p.notOnDraft},
		{Name: "approve", Keys: []string{"a"}, Help: "approve", Do: func() tea.Cmd { return p.choose(api.ReviewApproved) }, WhyNot: p.noVerdict},
		{Name: "weight", Help: page.Weight, Do: p.weigh, WhyNot: p.weightless},
		{Name: "thaw", Help: "take the review apart, whatever became of it", Do: p.askToThaw, WhyNot: p.nothingFrozen},
	}
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
		return "it is your own change request: others judge it"
	case p.finished():
		return "nothing can be decided about it any more; comments can still be sent"
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

func (p *Review) nextVerdict() tea.Cmd {
	now := p.own().Verdict
	at := 0
	for i, v := range verdictNames {
		if v.status == now {
			at = i
		}
	}
	return p.choose(verdictNames[(at+1)%len(verdictNames)].status)
}

func (p *Review) turnHeld() tea.Cmd {
	d, _ := p.selected()
	d.Held = !d.Held
	delete(p.refused, d.ID())
	return page.Save(p.Session, d)
}

func (p *Review) edit() tea.Cmd {
	if d, ok := p.selected(); ok {
		return components.Send(page.ComposeMsg{Draft: d})
	}
	return components.Send(page.ComposeMsg{Draft: p.own()})
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
	case r.Key == verdictKey:
		return "next verdict"
	case r.Key == textKey:
		return "write"
	case r.Key == movedKey:
		return "the difference"
	case r.About.Draft != "":
		return "its place"
	case strings.HasPrefix(r.Key, unreadKey):
		return "read it now"
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
		return p.nextVerdict()
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

// ShowNew shows what came in since the request was shown; without anything, it loads again.
func (p *Review) ShowNew() tea.Cmd {
	if p.hasMoved() {
		return p.places.Since(p.of.Revision)
	}
	return p.Load()
}

// Leaving says what stays behind unsent.
func (p *Review) Leaving() string { return Leaving(p.Session.Pending(p.at), p.of.Number) }

// Leaving says how many drafts of a change request are not sent, or nothing.
func Leaving(pending []drafts.Draft, number int) string {
	if len(pending) == 0 {
		return ""
	}
	return fmt.Sprintf("%s on #%d not sent; they are kept, and p lists them", text.Plural(len(pending), "draft"), number)
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
		return components.Toast("there is nothing to send yet: tab chooses a verdict, c comments on the change")
	}
	if s.Body.Status == api.ReviewApproved {
		if told := p.warn(); told != nil {
			return told
		}
		if slices.ContainsFunc(s.Drafts, func(d drafts.Draft) bool { return d.Weight == api.WeightBlocking }) {
			return components.Send(page.ConfirmMsg{
				Question: "You approve, and one of your comments is blocking. Send both?", Yes: components.Send(page.SubmitMsg{Submission: s}),
			})
		}
	}
	return components.Send(page.SubmitMsg{Submission: s})
}

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
		return components.Toast("it moved while you read: ctrl+s again approves what you saw, R shows the difference")
	}
	p.List.Want(unreadKey + unread[0].ID)
	return components.Toast("%s not read: ctrl+s again approves all the same", text.Plural(len(unread), "change"))
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
	return components.Send(page.ConfirmMsg{
		Question: "It may have arrived: what is sent again after this may stand there twice. Take it apart?", Typed: true, Yes: thaw,
	})
}
