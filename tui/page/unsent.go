package page

import (
	"fmt"
	"slices"

	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// UnsentTargets returns the targets of the unsent texts, one for each text: drafts, and edited pages that were not saved.
// All counts of unsent texts use it.
func (s *Session) UnsentTargets() []remote.Target {
	var all []remote.Target
	for _, d := range s.Unsent {
		if d.IsUnsent() {
			all = append(all, d.Target)
		}
	}
	for _, e := range s.Editing {
		all = append(all, e.Target)
	}
	return all
}

// UnsentCount returns the number of unsent texts of a target.
func (s *Session) UnsentCount(at remote.Target) (n int) {
	for _, t := range s.UnsentTargets() {
		if t == at {
			n++
		}
	}
	return n
}

// UnsentText describes the number of unsent texts, or returns "" for none. In a change request it distinguishes the
// texts of the request from others. key is the key that sends them, or "".
func (s *Session) UnsentText(at remote.Target, key string) string {
	all := s.UnsentTargets()
	here := s.UnsentCount(at)
	others := slices.DeleteFunc(all, func(t remote.Target) bool { return t == at })
	switch n, hint := len(others), s.sendHint(at, key); {
	case here+n == 0:
		return ""
	case at.ChangeRequest == "":
		return render.Plural(here+n, "draft") + " not sent · p lists"
	case n == 0 && hint != "":
		return render.Plural(here, "draft") + " not sent" + hint
	case n == 0:
		return render.Plural(here, "draft") + " not sent · p lists"
	case here == 0:
		return fmt.Sprintf("%s not sent %s · p lists", render.Plural(n, "draft"), otherTargets(others))
	default:
		return fmt.Sprintf("%d not sent here, %d %s%s · p lists", here, n, otherTargets(others), hint)
	}
}

// DecisionCount returns the number of decisions on conflicts of a target that are not applied.
func (s *Session) DecisionCount(at remote.Target) (n int) {
	for _, d := range s.Decisions {
		if d.Target == at {
			n++
		}
	}
	return n
}

// DecisionsText describes n decisions on conflicts that are not applied, for the messages at the start and the end.
func DecisionsText(n int) string {
	if n == 1 {
		return "1 decision of a conflict is kept, not applied"
	}
	return fmt.Sprintf("%d decisions of conflicts are kept, not applied", n)
}

// sendHint returns a hint for the key that sends the texts of a target, or "" if the key does not send them: edits of
// pages and comments have their own keys.
func (s *Session) sendHint(at remote.Target, key string) string {
	if key != "" && slices.ContainsFunc(s.Unsent, func(d drafts.Draft) bool {
		return d.Target == at && d.IsUnsent() && (d.IsPostable() || d.Review)
	}) {
		return " · " + key + " sends"
	}
	return ""
}

// otherTargets describes the targets of texts that belong elsewhere.
func otherTargets(all []remote.Target) string {
	switch first := all[0]; {
	case slices.ContainsFunc(all, func(t remote.Target) bool { return t.ChangeRequest == "" }):
		return "elsewhere"
	case slices.ContainsFunc(all, func(t remote.Target) bool { return t != first }):
		return "in other requests"
	default:
		return "in another request"
	}
}

// ResumeMsg makes the app open the editor again for a page that was not saved.
type ResumeMsg struct{ Edit drafts.Edit }

// EditText describes an edit of a page in one line.
func EditText(e drafts.Edit) string {
	if e.Draft != nil {
		return e.Draft.About + ": in the editor, not kept"
	}
	return "page " + render.DisplayTitle(e.Title) + ": edited, not saved"
}
