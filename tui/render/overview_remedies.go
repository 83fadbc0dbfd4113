package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// Reader is who reads the checks of a change request.
type Reader struct {
	Me    api.User
	Keys  bool              // i asks for reviews and a approves where they are read
	Asked func(string) bool // whether somebody was asked since the last verdict; nil where that is not known
	Free  bool              // no rule stops the merge
}

// Check is one thing that a merge depends on: its sign, why, whether and by which rule it stops the merge or is said for the
// user to know, and who has to do what. Only what stops a merge has the sign of that.
func (r Reader) Check(g api.MergeGate) Line {
	sign, tone := "! ", Warning
	switch g.State {
	case api.GateFailed:
		sign, tone = "✗ ", Failure
	case api.GatePassed:
		sign, tone = "✓ ", Added
	default:
	}
	note, remedy, says := r.noteOf(g), r.remedy(g), ForMe(g.Message, r.Me)
	if note != "" || remedy != "" { // the sentence goes on
		says = strings.TrimSuffix(says, ".")
	}
	line := Line{Of(Style{Tone: tone, Bold: true}, sign), Plain(says)}
	switch {
	case note != "" && strings.HasSuffix(says, ")"):
		line = append(line, In(Dim, " · "+note))
	case note != "":
		line = append(line, In(Dim, " ("+note+")"))
	}
	if remedy != "" {
		line = append(line, In(Dim, " · "+remedy))
	}
	return line
}

// titles are what the rules of a merge ask for.
var titles = map[api.MergeRuleName]string{
	api.RuleSpecificReviewers: "those whom it names approve", api.RuleOneOfSpecificReviewers: "one of those whom it names approves",
	api.RuleReview: "somebody reviews", api.RuleApproval: "somebody approves", api.RuleAllApproved: "all reviews are approvals",
	api.RuleUpToDate: "it is up to date with the space", api.RuleSubject: "it has a subject", api.RuleAuthorMerges: "its author merges",
	api.RuleThreads: "no comment is open", api.RuleBlocking: "no blocking comment is open",
}

// noteOf says which rule asks for a check that does not pass, or that none does.
func (r Reader) noteOf(g api.MergeGate) string {
	rule := titles[api.MergeRuleName(g.Rule)]
	if rule != "" {
		rule = "rule: " + rule
	}
	switch {
	case g.State == api.GatePassed:
		return ""
	case g.State == api.GateFailed:
		return rule
	case g.State == api.GateBypassed && rule != "":
		return rule + "; you can merge anyway"
	case g.State == api.GateBypassed:
		return "you can merge anyway"
	case g.Rule == api.GateBlocking:
		return "marked as blocking by the author; no rule stops the merge"
	case g.Rule == api.GateChangesRequested && !r.Free:
		return "would not stop it alone"
	case g.Rule == api.GateChangesRequested && r.Keys:
		return "no rule stops it: m asks first, and takes a typed yes"
	case g.Rule == api.GateChangesRequested:
		return "no rule stops it, but a merge asks first"
	default:
		return "only a warning"
	}
}

// OfVerdicts reports whether a check is about what reviewers said.
func OfVerdicts(rule string) bool {
	switch rule {
	case api.GateReview, api.GateChangesRequested, string(api.RuleReview), string(api.RuleApproval), string(api.RuleAllApproved),
		string(api.RuleSpecificReviewers), string(api.RuleOneOfSpecificReviewers):
		return true
	default:
		return false
	}
}

// Awaited are the others whose verdict a check waits for, and whether it waits for the user's own.
func Awaited(g api.MergeGate, me string) (others []api.User, mine bool) {
	if g.ClearedBy == nil || g.State == api.GatePassed || !OfVerdicts(g.Rule) {
		return nil, false
	}
	for _, u := range g.ClearedBy.Users {
		if u.ID == me {
			mine = true
		} else {
			others = append(others, u)
		}
	}
	return others, mine
}

// does are what those who have a role can do about a check; they can clear the others.
var does = map[string]string{
	api.GateThreads: "can resolve them", api.GateBlocking: "can resolve them", api.GateLinks: "can mend them", api.GateConflicts: "can decide them",
	api.GateUpToDate: "can update it", string(api.RuleUpToDate): "can update it", api.GateRole: "can merge it",
	string(api.RuleSubject): "can give it one", api.GateReview: "can approve", string(api.RuleApproval): "can approve", string(api.RuleReview): "can review",
}

// remedy says who has to do what for a check to pass.
func (r Reader) remedy(g api.MergeGate) string {
	if g.ClearedBy == nil || g.State == api.GatePassed {
		return ""
	}
	others, mine := Awaited(g, r.Me.ID)
	if mine || len(others) > 0 {
		return r.verdict(g, others, mine)
	}
	if g.ClearedBy.Role == "" {
		return "" // the message says who
	}
	can, ok := does[g.Rule]
	if !ok {
		can = "can clear it"
	}
	return whoHas(g.ClearedBy.Role) + " " + can
}

// verdict says whose verdict is awaited, and how it is had.
func (r Reader) verdict(g api.MergeGate, others []api.User, mine bool) string {
	or := g.Rule == string(api.RuleOneOfSpecificReviewers)
	who := joinUsers(g.ClearedBy.Users, r.Me.ID, map[bool]string{true: " or ", false: " and "}[or])
	one := !mine && (len(others) == 1 || or) // in the grammar
	says := func(singular, plural string) string { return map[bool]string{true: singular, false: plural}[one] }
	anybody := ""
	if g.ClearedBy.Role != "" {
		anybody = ", or " + whoHas(g.ClearedBy.Role) + " approves"
	}
	said := ""
	switch stale := len(g.Unseen) > 0; {
	case stale:
		said = who + says(" has", " have") + " to review again" + anybody
	case g.Rule == api.GateChangesRequested || g.Rule == string(api.RuleAllApproved):
		said = "stands until " + who + says(" approves", " approve")
	case g.ClearedBy.Role != "": // they were asked
		said = "up to " + joinUsers(g.ClearedBy.Users, r.Me.ID, " or ") + " or " + whoHas(g.ClearedBy.Role)
	default:
		said = who + says(" has", " have") + " to approve"
	}
	return said + r.key(others, mine)
}

// key says how a verdict is asked for, or given.
func (r Reader) key(others []api.User, mine bool) string {
	asked := func(u api.User) bool { return r.Asked != nil && r.Asked(u.ID) }
	all := len(others) > 0
	for _, u := range others {
		all = all && asked(u)
	}
	switch {
	case mine && r.Keys:
		return ": a approves"
	case all && !mine:
		return " (asked)"
	case len(others) > 0 && r.Keys:
		return ": i asks"
	default:
		return ""
	}
}

// whoHas names those who have a role, or more.
func whoHas(r api.Role) string {
	names := map[api.Role]string{
		api.RoleRead: "any reader", api.RoleComment: "any commenter", api.RoleEdit: "any editor", api.RoleReview: "any reviewer",
		api.RoleCreate: "any creator", api.RoleAdmin: "any admin",
	}
	if name, ok := names[r]; ok {
		return name
	}
	return "whoever has the role " + string(r)
}

// ForMe is what a server says of people, to one of them: you, where it has their name.
func ForMe(said string, me api.User) string {
	name := me.DisplayName
	if name == "" {
		return said
	}
	var b strings.Builder
	for {
		at := strings.Index(said, name)
		if at < 0 {
			b.WriteString(said)
			return b.String()
		}
		before, _ := utf8.DecodeLastRuneInString(said[:at])
		after, _ := utf8.DecodeRuneInString(said[at+len(name):])
		you := "you"
		switch {
		case at > 0 && inWord(before) || inWord(after) && at+len(name) < len(said):
			you = name // a part of another one
		case at == 0 && b.Len() == 0:
			you = "You"
		}
		b.WriteString(said[:at] + you)
		said = said[at+len(name):]
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
