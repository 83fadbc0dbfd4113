package render

import "docspace.dev/wsd/client/api"

// Viewer is the context in which the checks of a change request are shown.
type Viewer struct {
	Me              api.User
	ShowKeys        bool              // show the keys i (request a review) and a (approve)
	ReviewRequested func(string) bool // reports a review request since the last verdict of a user; nil if unknown
	Mergeable       bool              // no rule blocks the merge
}

// Check draws a merge gate in one line: its sign, its cause and the key for its remedy. Only blocking gates have the
// failure sign. Explanation has the rest.
func (r Viewer) Check(g api.MergeGate) Line {
	sign, tone := "! ", Warning
	switch g.State {
	case api.GateFailed:
		sign, tone = "✗ ", Failure
	case api.GatePassed:
		sign, tone = "✓ ", Added
	default:
	}
	line := Line{NewSpan(Style{Tone: tone, Bold: true}, sign), Plain(r.gateText(g))}
	others, mine := AwaitedReviewers(g, r.Me.ID)
	if hint := r.keyHint(others, mine); hint != "" {
		line = append(line, In(Dim, " · "+hint))
	}
	return line
}

// gateText returns the cause of a gate, or the subject of a passed gate.
func (r Viewer) gateText(g api.MergeGate) string {
	if g.State == api.GatePassed && len(g.Users) > 0 {
		verb := Choose(g.Rule == string(api.RuleReview), "reviewed", "approved")
		return capitalize(joinFirst(g.Users, r.Me.ID, " and ", 2)) + " " + verb + " it"
	}
	return GateTitle(g, r.Me.ID)
}

// Explanation returns the rest of a gate that is not passed, a line each: the rule that enforces it or a note that it is
// advice, who can clear it and how, what changed since it was reviewed, and which links would be broken.
func (r Viewer) Explanation(g api.MergeGate) (lines []string) {
	if g.State == api.GatePassed {
		return nil
	}
	for _, line := range []string{r.ruleNote(g), r.remedy(g)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return append(lines, GateDetails(g)...)
}

// ruleTitles maps merge rules to their requirement.
var ruleTitles = map[api.MergeRuleName]string{
	api.RuleSpecificReviewers: "those whom it names approve", api.RuleOneOfSpecificReviewers: "one of those whom it names approves",
	api.RuleReview: "somebody reviews", api.RuleApproval: "somebody approves", api.RuleAllApproved: "all reviews are approvals",
	api.RuleUpToDate: "it is up to date with the space", api.RuleSubject: "it has a subject", api.RuleAuthorMerges: "its author merges",
	api.RuleThreads: "no comment is open", api.RuleBlocking: "no blocking comment is open",
}

// ruleNote names the rule that enforces a failing check, or returns a note that the check does not block the merge. It returns
// "" for a passed check.
func (r Viewer) ruleNote(g api.MergeGate) string {
	rule := ruleTitles[api.MergeRuleName(g.Rule)]
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
		return "a comment is marked as blocking; no rule stops the merge"
	case g.Rule == api.GateChangesRequested && !r.Mergeable:
		return "would not stop it alone"
	case g.Rule == api.GateChangesRequested && r.ShowKeys:
		return "no rule stops it: m asks first, and takes a typed yes"
	case g.Rule == api.GateChangesRequested:
		return "no rule stops it, but a merge asks first"
	default:
		return "only a warning"
	}
}

// IsReviewGate reports whether a check concerns the verdicts of reviewers.
func IsReviewGate(rule string) bool {
	switch rule {
	case api.GateReview, api.GateChangesRequested, string(api.RuleReview), string(api.RuleApproval), string(api.RuleAllApproved),
		string(api.RuleSpecificReviewers), string(api.RuleOneOfSpecificReviewers):
		return true
	default:
		return false
	}
}

// AwaitedReviewers returns the other users whose verdict a check waits for, and whether it waits for the reader's own.
func AwaitedReviewers(g api.MergeGate, me string) (others []api.User, mine bool) {
	if g.ClearedBy == nil || g.State == api.GatePassed || !IsReviewGate(g.Rule) {
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

// roleActions maps checks to the action by which a role can clear them. The action of other checks is "can clear it".
var roleActions = map[string]string{
	api.GateThreads: "can resolve them", api.GateBlocking: "can resolve them", api.GateLinks: "can mend them",
	api.GateConflicts: "can decide them", api.GatePush: "can end it",
	api.GateUpToDate: "can update it", string(api.RuleUpToDate): "can update it", api.GateRole: "can merge it",
	string(api.RuleSubject): "can give it one", api.GateReview: "can approve", string(api.RuleApproval): "can approve",
	string(api.RuleReview): "can review",
}

// remedy describes who has to do what for a check to pass. It returns "" if the check is passed or its message is sufficient.
func (r Viewer) remedy(g api.MergeGate) string {
	if g.ClearedBy == nil || g.State == api.GatePassed {
		return ""
	}
	others, mine := AwaitedReviewers(g, r.Me.ID)
	if mine || len(others) > 0 {
		return r.reviewRemedy(g, others, mine)
	}
	if g.ClearedBy.Role == "" {
		return "" // the message names those who can clear the check
	}
	can, ok := roleActions[g.Rule]
	if !ok {
		can = "can clear it"
	}
	return roleHolders(g.ClearedBy.Role) + " " + can
}

// reviewRemedy describes whose verdict is awaited and how to get it.
func (r Viewer) reviewRemedy(g api.MergeGate, others []api.User, mine bool) string {
	or := g.Rule == string(api.RuleOneOfSpecificReviewers)
	who := joinUsers(g.ClearedBy.Users, r.Me.ID, Choose(or, " or ", " and "))
	one := !mine && (len(others) == 1 || or) // grammatical number
	verb := func(singular, plural string) string { return Choose(one, singular, plural) }
	anybody := ""
	if g.ClearedBy.Role != "" {
		anybody = ", or " + roleHolders(g.ClearedBy.Role) + " approves"
	}
	remedy := ""
	switch stale := len(g.Unseen) > 0; {
	case stale:
		remedy = who + verb(" has", " have") + " to review again" + anybody
	case g.Rule == api.GateChangesRequested || g.Rule == string(api.RuleAllApproved):
		remedy = "stands until " + who + verb(" approves", " approve")
	case g.ClearedBy.Role != "": // reviewers were already asked
		remedy = "up to " + joinUsers(g.ClearedBy.Users, r.Me.ID, " or ") + " or " + roleHolders(g.ClearedBy.Role)
	default:
		remedy = who + verb(" has", " have") + " to approve"
	}
	if hint := r.keyHint(others, mine); hint != "" {
		remedy += ": " + hint
	}
	return remedy
}

// keyHint names the key that requests or gives a verdict.
func (r Viewer) keyHint(others []api.User, mine bool) string {
	requested := func(u api.User) bool { return r.ReviewRequested != nil && r.ReviewRequested(u.ID) }
	all := len(others) > 0
	for _, u := range others {
		all = all && requested(u)
	}
	switch {
	case mine && r.ShowKeys:
		return "a approves"
	case all && !mine:
		return "asked"
	case len(others) > 0 && r.ShowKeys:
		return "i asks"
	default:
		return ""
	}
}

// roleHolders names the users with a role or a higher one.
func roleHolders(r api.Role) string {
	names := map[api.Role]string{
		api.RoleRead: "any reader", api.RoleComment: "any commenter", api.RoleEdit: "any editor", api.RoleReview: "any reviewer",
		api.RoleCreate: "any creator", api.RoleAdmin: "any admin",
	}
	if name, ok := names[r]; ok {
		return name
	}
	return "whoever has the role " + string(r)
}
