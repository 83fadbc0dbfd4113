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
func (p *reviewPage) Actions() []components.Action {
	all := []components.Action{
		{
			Name: "done", OfPage: true, Keys: []string{"ctrl+s"}, Help: page.DoneHelp, Hint: "send all",
			Do: p.send, ListQuestion: "Send the review?",
		},
		{
			Name: "verdict", OfPage: true, Keys: p.verdictKeys("tab", "right"),
			Help: "next verdict: comment only, approve, request changes",
			Hint: "verdict", Do: p.nextVerdict, DisabledReason: p.noVerdictReason,
		},
		{
			Name: "verdict-back", OfPage: true, Keys: p.verdictKeys("shift+tab", "left"), Help: "previous verdict", Do: func() tea.Cmd {
				return p.cycleVerdict(-1)
			}, DisabledReason: p.noVerdictReason,
		},
		{
			Name: "choose", Keys: []string{" "}, Help: "send this draft, or hold it back", Hint: "in or out", Do: p.toggleHeld,
			DisabledReason: p.noDraftReason,
		},
		{
			Name: "edit", Keys: []string{"e"}, Help: "edit the page, or your own text", Hint: "edit", Do: p.edit,
			DisabledReason: p.notEditableReason, OpensText: true,
		},
		{Name: "drop", Keys: []string{"X"}, Help: page.DropHelp, Hint: "drop", Do: p.drop, DisabledReason: p.noDraftReason},
		{
			Name: "approve", OfPage: true, Keys: []string{"a"}, Help: "approve", Do: func() tea.Cmd {
				return p.setVerdict(api.ReviewApproved)
			}, DisabledReason: p.noVerdictReason,
		},
		{Name: "weight", Help: page.WeightHelp, Do: p.chooseWeight, DisabledReason: p.noWeightReason},
		{
			Name: "thaw", OfPage: true, Help: "unlock the drafts of a review that got no answer",
			Do: p.confirmUnfreeze, DisabledReason: p.notFrozenReason,
		},
	}
	return append(all, p.digitActions()...)
}

// onVerdict reports whether the cursor is on the choice of the verdict.
func (p *reviewPage) onVerdict() bool {
	r, ok := p.Selected()
	return ok && r.Key == verdictKey && p.noVerdictReason() == ""
}

// verdictKeys returns key and, if the cursor is on the choice of the verdict, also arrow.
func (p *reviewPage) verdictKeys(key, arrow string) []string {
	if p.Session == nil || !p.onVerdict() { // nil session: table of keys
		return []string{key}
	}
	return []string{key, arrow}
}

// digitActions returns the actions that choose a verdict by its number.
func (p *reviewPage) digitActions() []components.Action {
	if p.Session == nil || !p.onVerdict() {
		return nil
	}
	var all []components.Action
	for i, v := range verdictNames {
		digit := strconv.Itoa(i + 1)
		all = append(all, components.Action{
			Name: "verdict-" + digit, Keys: []string{digit}, Help: "verdict: " + v.name, Do: func() tea.Cmd {
				return p.setVerdict(v.status)
			},
		})
	}
	return all
}

// readOnlyReason returns the reason why the review cannot be changed, or "".
func (p *reviewPage) readOnlyReason() string {
	if _, frozen := p.frozenSubmission(); frozen {
		return page.FrozenReason
	}
	return ""
}

func (p *reviewPage) noVerdictReason() string {
	switch {
	case p.readOnlyReason() != "":
		return p.readOnlyReason()
	case p.isAuthor():
		return "it is your own change request: others approve it"
	case p.isClosed():
		return "it is closed: no verdict any more, but comments can still be sent"
	default:
		return ""
	}
}

func (p *reviewPage) noDraftReason() string {
	if reason := p.readOnlyReason(); reason != "" {
		return reason
	}
	if _, ok := p.selectedDraft(); !ok {
		return "put the cursor on a draft first"
	}
	return ""
}

// notEditableReason returns the reason why there is no text of the user to edit under the cursor, or "".
func (p *reviewPage) notEditableReason() string {
	if r, _ := p.Selected(); r.Key == textKey {
		return p.readOnlyReason()
	}
	return p.noDraftReason()
}

func (p *reviewPage) noWeightReason() string {
	if reason := p.noDraftReason(); reason != "" {
		return reason
	}
	if d, _ := p.selectedDraft(); d.Comment != "" {
		return "a reply has no weight"
	}
	return ""
}

func (p *reviewPage) nextVerdict() tea.Cmd { return p.cycleVerdict(1) }

// cycleVerdict selects another verdict, with a wrap around the end.
func (p *reviewPage) cycleVerdict(by int) tea.Cmd {
	now := p.ownDraft().Verdict
	at := 0
	for i, v := range verdictNames {
		if v.status == now {
			at = i
		}
	}
	return p.setVerdict(verdictNames[(at+by+len(verdictNames))%len(verdictNames)].status)
}

func (p *reviewPage) toggleHeld() tea.Cmd {
	d, _ := p.selectedDraft()
	d.Held = !d.Held
	delete(p.refusals, d.ID())
	return page.SaveNow(p.Session, d, "")
}

func (p *reviewPage) edit() tea.Cmd {
	if d, ok := p.selectedDraft(); ok {
		return page.Ask(p.Session, page.ComposeMsg{Draft: d})
	}
	return page.Ask(p.Session, page.ComposeMsg{Draft: p.ownDraft()})
}

func (p *reviewPage) drop() tea.Cmd {
	d, _ := p.selectedDraft()
	return page.Discard(p.Session, d)
}

func (p *reviewPage) chooseWeight() tea.Cmd {
	d, _ := p.selectedDraft()
	return page.ChooseWeight(d.Weight, func(w api.CommentWeight) tea.Cmd {
		d.Weight = w
		return page.Save(p.Session, d)
	})
}

// OpenHint returns the hint of Open.
func (p *reviewPage) OpenHint() string {
	switch r, _ := p.Selected(); {
	case r.Key == verdictKey && p.noVerdictReason() == "":
		return "write a summary"
	case r.Key == textKey:
		return "write"
	case r.Key == movedKey:
		return "show what changed"
	case r.About.Draft != "":
		return "go to it"
	case strings.HasPrefix(r.Key, unreadKeyPrefix):
		return "read it"
	default:
		return ""
	}
}

// Open opens the subject of the row under the cursor.
func (p *reviewPage) Open() tea.Cmd {
	r, _ := p.Selected()
	switch {
	case r.Key == verdictKey && p.noVerdictReason() != "":
		return components.Toast("%s", p.noVerdictReason())
	case r.Key == verdictKey:
		p.selectText()
		return p.edit()
	case r.Key == textKey && p.readOnlyReason() != "":
		return components.Toast("%s", p.readOnlyReason())
	case r.Key == textKey:
		return p.edit()
	case r.Key == movedKey:
		return p.links.openSince(p.request.Revision)
	case strings.HasPrefix(r.Key, unreadKeyPrefix):
		p.warnedState = "" // items that are still unread then cause the warning again
		return p.links.openItem(strings.TrimPrefix(r.Key, unreadKeyPrefix))
	}
	if d, ok := p.selectedDraft(); ok {
		return p.links.openDraft(d)
	}
	return nil
}

// selectText moves the cursor to the text of the review.
func (p *reviewPage) selectText() {
	p.List.SelectKey(textKey)
	p.Stale = true
}

// ShowNew shows the changes since the request was opened here; without any, it reloads.
func (p *reviewPage) ShowNew() tea.Cmd {
	if p.hasMoved() {
		return p.links.openSince(p.request.Revision)
	}
	return p.Load()
}

// LeaveWarning returns the message for unsent drafts when the user leaves the review, or "".
func (p *reviewPage) LeaveWarning() string {
	return unsentText(p.Session.UnsentCount(p.target), p.request.Number)
}

// unsentText returns the message for the number of unsent drafts of a change request, or "".
func unsentText(pending, number int) string {
	if pending == 0 {
		return ""
	}
	return fmt.Sprintf("%s on #%d not sent; they are kept, and p lists them", render.Plural(pending, "draft"), number)
}

// send sends the review. A verdict is sent only after the present state of the request is loaded, so that a revision that has
// changed is not approved without a warning.
func (p *reviewPage) send() tea.Cmd {
	if f, ok := p.frozenSubmission(); ok {
		return components.Send(page.SubmitMsg{Submission: f})
	}
	s := p.build(p.Session.NewKey())
	if reason := tooLargeReason(s.Body); reason != "" {
		return components.Toast("%s", reason)
	}
	for _, d := range s.Drafts {
		if reason := d.TooLongReason(); reason != "" {
			p.List.SelectKey(draftKeyPrefix + d.ID())
			p.Stale = true
			return components.Toast("%s: shorten it (e) or hold it back (space)", reason)
		}
	}
	if s.Review != nil && s.Review.TooLongReason() != "" {
		p.selectText()
		return components.Toast("%s: shorten it (⏎)", s.Review.TooLongReason())
	}
	if s.Body.Status == "" && s.Body.Comment == nil && len(s.Body.Drafts) == 0 {
		if !p.canDecide() {
			return components.Toast("nothing to send yet: c comments where you read, r replies")
		}
		return components.Toast("nothing to send yet: tab chooses a verdict, c comments on a page")
	}
	if s.Body.Status == "" {
		return components.Send(page.SubmitMsg{Submission: s})
	}
	if s.Body.Status == api.ReviewChangesRequested && s.Body.Comment == nil && len(s.Body.Drafts) == 0 && !p.noTextWarned {
		p.noTextWarned = true
		p.selectText()
		return components.Toast("say what has to change: nothing is written yet; ctrl+s again sends it without a word")
	}
	p.sendWhenLoaded = true
	return p.Load()
}

// sendVerdict sends a review with a verdict, after the warnings were shown. If the present state of the request could not
// be loaded, the verdict is about the state that was shown; the server decides whether it counts.
func (p *reviewPage) sendVerdict() tea.Cmd {
	s := p.build(p.Session.NewKey())
	if warning := p.warn(s.Body.Status); warning != nil {
		return warning
	}
	if s.Body.Status == api.ReviewApproved {
		if slices.ContainsFunc(s.Drafts, func(d drafts.Draft) bool { return d.Weight == api.WeightBlocking }) {
			return page.Ask(p.Session, page.ConfirmMsg{
				Question: "You approve, and one of your comments is blocking. Send both?",
				Yes:      components.Send(page.SubmitMsg{Submission: s}),
			})
		}
	}
	return components.Send(page.SubmitMsg{Submission: s})
}

// warn moves the cursor to the reason against a verdict, once for each state: the request has changed or, for an approval,
// items are unread.
func (p *reviewPage) warn(verdict api.ReviewStatus) tea.Cmd {
	unread := p.Session.Read.Unread(p.target)
	state := ""
	switch {
	case p.hasMoved():
		head, _ := p.Session.Heads.Head(p.target)
		state = "moved " + head.Revision
	case verdict == api.ReviewApproved && len(unread) > 0:
		state = fmt.Sprintf("unread %d", len(unread))
	}
	if state == "" || p.warnedState == state {
		return nil
	}
	p.warnedState, p.Stale = state, true
	if p.hasMoved() {
		p.List.SelectKey(movedKey)
		return components.Toast("it changed, nothing is sent: ctrl+s again sends it for %s", p.verdictScope())
	}
	p.List.SelectKey(unreadKeyPrefix + unread[0].ID)
	return components.Toast("%s not read: ctrl+s again approves anyway", render.Plural(len(unread), "change"))
}

// notFrozenReason returns the reason why there is no frozen review to unlock, or "".
func (p *reviewPage) notFrozenReason() string {
	if _, frozen := p.frozenSubmission(); !frozen {
		return "nothing is on its way"
	}
	if p.unknownOutcome == nil {
		return "wait for the answer first"
	}
	return ""
}

// confirmUnfreeze asks for confirmation before a review with an unknown outcome becomes editable again.
func (p *reviewPage) confirmUnfreeze() tea.Cmd {
	f, _ := p.frozenSubmission()
	journal := p.Session.Drafts
	thaw := func() tea.Msg {
		if err := journal.Thaw(f); err != nil {
			return page.SubmittedMsg{Submission: f, Err: err}
		}
		return page.CountMsg{}
	}
	return page.Ask(p.Session, page.ConfirmMsg{
		Question: "It may have arrived already: if you send its comments again, they may appear twice. Unlock the drafts?",
		Typed:    true, Yes: thaw,
	})
}
