package page

import (
	"fmt"
	"slices"

	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Waiting is where the texts that are not sent belong, one each: drafts, and pages that are edited and not saved. Whatever
// counts them counts these.
func (s *Session) Waiting() []remote.Target {
	var all []remote.Target
	for _, d := range s.Unsent {
		if d.Waits() {
			all = append(all, d.Target)
		}
	}
	for _, e := range s.Editing {
		all = append(all, e.Target)
	}
	return all
}

// WaitingAt counts the texts of one target that are not sent.
func (s *Session) WaitingAt(at remote.Target) (n int) {
	for _, t := range s.Waiting() {
		if t == at {
			n++
		}
	}
	return n
}

// SaysWaiting says how many texts are not sent: in a change request how many of it, and how many of others; nothing for none.
// key is what sends them where one is, "" for none.
func (s *Session) SaysWaiting(at remote.Target, key string) string {
	all := s.Waiting()
	here := s.WaitingAt(at)
	others := slices.DeleteFunc(all, func(t remote.Target) bool { return t == at })
	switch n, does := len(others), s.sends(at, key); {
	case here+n == 0:
		return ""
	case at.ChangeRequest == "":
		return render.Plural(here+n, "draft") + " not sent · p lists"
	case n == 0 && does != "":
		return render.Plural(here, "draft") + " not sent" + does
	case n == 0:
		return render.Plural(here, "draft") + " not sent · p lists"
	case here == 0:
		return fmt.Sprintf("%s not sent %s · p lists", render.Plural(n, "draft"), places(others))
	default:
		return fmt.Sprintf("%d not sent here, %d %s%s · p lists", here, n, places(others), does)
	}
}

// DecidedAt counts the decisions of conflicts of one target that are kept and not applied.
func (s *Session) DecidedAt(at remote.Target) (n int) {
	for _, d := range s.Decided {
		if d.Target == at {
			n++
		}
	}
	return n
}

// SaysDecided says that so many decisions of conflicts are kept, where it is said what else is not sent: at the start and at
// the end.
func SaysDecided(n int) string {
	if n == 1 {
		return "1 decision of a conflict is kept, not applied"
	}
	return fmt.Sprintf("%d decisions of conflicts are kept, not applied", n)
}

// sends says that a key sends what is not sent, where it does: an edit of a page or of a comment, it does not.
func (s *Session) sends(at remote.Target, key string) string {
	if key != "" && slices.ContainsFunc(s.Unsent, func(d drafts.Draft) bool { return d.Target == at && d.Waits() && (d.Posted() || d.Review) }) {
		return " · " + key + " sends"
	}
	return ""
}

// places says where texts belong that belong elsewhere.
func places(all []remote.Target) string {
	switch first := all[0]; {
	case slices.ContainsFunc(all, func(t remote.Target) bool { return t.ChangeRequest == "" }):
		return "elsewhere"
	case slices.ContainsFunc(all, func(t remote.Target) bool { return t != first }):
		return "in other requests"
	default:
		return "in another request"
	}
}

// ResumeMsg asks the app to open a page in the editor once more whose text was not saved.
type ResumeMsg struct{ Edit drafts.Edit }

// SaysEdit is a page in the editor, in a line.
func SaysEdit(e drafts.Edit) string {
	if e.Draft != nil {
		return e.Draft.About + ": in the editor, not kept"
	}
	return "page " + render.Titled(e.Title) + ": edited, not saved"
}
