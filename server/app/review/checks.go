package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// check is one thing that a merge depends on, and how it stands.
type check struct {
	rule    string
	state   api.GateState
	message string
	role    api.Role // who can clear it
	users   []string // or these
	unseen  []revision.ChangedItem
}

// checks are all that a merge depends on: what always does, what is worth knowing, and what the rules ask for. It is
// the one function that decides, for those who ask and inside the transaction of the merge.
func (f mergeFacts) checks() []check {
	all := []check{f.spaceCheck(), f.stateCheck(), f.roleCheck()}
	if Unfinished(f.request, "") != nil {
		return all
	}
	all = append(all, f.conflictCheck(), f.upToDateCheck(), f.reviewCheck(), f.changesCheck())
	for _, g := range []check{f.threadCheck(), f.blockingCheck()} {
		if !f.asksFor(g.rule) { // else it is among the rules below
			all = append(all, g.advice())
		}
	}
	all = append(all, f.linkCheck())
	bypass := slices.ContainsFunc(f.ruleSet.rules, func(r api.MergeRule) bool {
		return r.Rule == api.RuleBypass && slices.Contains(r.Users, f.caller.User)
	})
	for i, rule := range f.ruleSet.rules {
		g := f.ruleCheck(rule, i)
		if g.rule = string(rule.Rule); g.state == api.GateFailed && bypass {
			g.state = api.GateBypassed
		}
		all = append(all, g)
	}
	return all
}

func passed(rule, format string, args ...any) check {
	return check{rule: rule, state: api.GatePassed, message: fmt.Sprintf(format, args...)}
}

func failed(rule string, role api.Role, format string, args ...any) check {
	return check{rule: rule, state: api.GateFailed, role: role, message: fmt.Sprintf(format, args...)}
}

// advice is failed for what no rule asks for.
func (g check) advice() check {
	if g.state == api.GateFailed {
		g.state = api.GateAdvice
	}
	return g
}

func (g check) by(users ...string) check { g.users = users; return g }

func (f mergeFacts) spaceCheck() check {
	if f.trashed {
		return failed(api.GateSpace, api.RoleCreate, "The space is deleted; it has to be restored first.")
	}
	return passed(api.GateSpace, "The space exists.")
}

func (f mergeFacts) stateCheck() check {
	status := f.request.Fields.Status
	switch {
	case status == api.StatusArchived:
		return failed(api.GateStatus, api.RoleEdit, "The change request is archived; it has to be opened again.")
	case status == api.StatusMerged:
		return failed(api.GateStatus, "", "The change request is merged already.")
	case f.unchanged:
		return failed(api.GateStatus, api.RoleEdit, "The change request changes nothing: there is nothing to merge.")
	case status == api.StatusDraft:
		return passed(api.GateStatus, "The change request is a draft, which can be merged.")
	}
	return passed(api.GateStatus, "The change request is open.")
}

func (f mergeFacts) roleCheck() check {
	if !f.caller.ContentRole.AtLeast(api.RoleReview) {
		return failed(api.GateRole, api.RoleReview, "Merging takes the role of a reviewer; yours is %s.", roleName(f.caller.ContentRole))
	}
	return passed(api.GateRole, "Your role (%s) can merge.", roleName(f.caller.ContentRole))
}

func (f mergeFacts) conflictCheck() check {
	if f.conflicts > 0 {
		return failed(api.GateConflicts, api.RoleEdit, "%s to decide, by an update or with the merge.", counted(f.conflicts, "conflict"))
	}
	return passed(api.GateConflicts, "There are no conflicts.")
}

func (f mergeFacts) upToDateCheck() check {
	if f.outdated {
		return failed(api.GateUpToDate, api.RoleEdit, "The space has changed since; an update brings the changes in.").advice()
	}
	return passed(api.GateUpToDate, "Up to date with the space.")
}

func (f mergeFacts) reviewCheck() check {
	g := f.approval(func(v verdict) bool { return v.Status == api.ReviewApproved }, "approval")
	if g.rule = api.GateReview; len(g.unseen) > 0 && f.asksFor(string(api.RuleAllApproved)) {
		g.role = "" // that of another does not help
	}
	return g.advice()
}

func (f mergeFacts) changesCheck() check {
	var asking []string
	for _, v := range f.verdicts {
		if v.Status == api.ReviewChangesRequested {
			asking = append(asking, v.User)
		}
	}
	if len(asking) > 0 {
		return failed(api.GateChangesRequested, "", "%s", f.requested(asking)).by(asking...).advice()
	}
	return passed(api.GateChangesRequested, "Nobody requested changes.")
}

// requested names who asks for changes.
func (f mergeFacts) requested(users []string) string { return f.names(users) + " requested changes." }

func (f mergeFacts) threadCheck() check {
	if f.threads > 0 {
		return failed(api.GateThreads, api.RoleEdit, "%s to resolve.", counted(f.threads, "open comment"))
	}
	return passed(api.GateThreads, "No comment is open.")
}

func (f mergeFacts) blockingCheck() check {
	if f.blocking > 0 {
		return failed(api.GateBlocking, api.RoleEdit, "%s to resolve.", counted(f.blocking, "blocking comment"))
	}
	return passed(api.GateBlocking, "No blocking comment is open.")
}

// asksFor reports whether the merge rules have the one of a name.
func (f mergeFacts) asksFor(rule string) bool {
	return slices.ContainsFunc(f.ruleSet.rules, func(r api.MergeRule) bool { return string(r.Rule) == rule })
}

func (f mergeFacts) linkCheck() check {
	if len(f.broken) == 0 {
		return passed(api.GateLinks, "It breaks no link.")
	}
	const shown = 5
	var list []string
	for _, l := range f.broken[:min(shown, len(f.broken))] {
		list = append(list, l.Href)
	}
	if more := len(f.broken) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return failed(api.GateLinks, api.RoleEdit, "%s would be broken: %s.", counted(len(f.broken), "link"), strings.Join(list, ", ")).advice()
}

// ruleCheck holds one rule, the one at the place, against the facts.
func (f mergeFacts) ruleCheck(rule api.MergeRule, place int) check {
	name := string(rule.Rule)
	switch rule.Rule {
	case api.RuleBypass:
		return passed(name, "%s can merge whatever the other rules say.", f.names(rule.Users))
	case api.RuleReview:
		return f.approval(func(verdict) bool { return true }, "review")
	case api.RuleApproval:
		return f.approval(func(v verdict) bool { return v.Status == api.ReviewApproved }, "approval")
	case api.RuleAllApproved:
		return f.allApproved()
	case api.RuleSpecificReviewers, api.RuleOneOfSpecificReviewers:
		return f.specific(rule)
	case api.RuleUpToDate:
		g := f.upToDateCheck()
		if g.state == api.GateAdvice {
			g.state = api.GateFailed
		}
		return g
	case api.RuleSubject:
		if strings.TrimSpace(f.request.Fields.Subject) == "" {
			return failed(name, api.RoleEdit, "The change request has no subject.")
		}
		return passed(name, "It has a subject.")
	case api.RuleThreads:
		return f.threadCheck()
	case api.RuleBlocking:
		return f.blockingCheck()
	case api.RuleAuthorMerges:
		if author := f.request.Private.Creator; author != f.caller.User {
			return failed(name, "", "Only its author, %s, can merge it.", f.names([]string{author})).by(author)
		}
		return passed(name, "You are its author.")
	case api.RuleCustom:
		return customCheck(rule, f.custom[place])
	}
	return failed(name, "", "This server does not know the rule.")
}

func customCheck(rule api.MergeRule, run customRule) check {
	switch {
	case run.holds:
		return passed(string(rule.Rule), "%s: %s", rule.Message, rule.Expression)
	case run.problem != "":
		return failed(string(rule.Rule), "", "%s (%s)", rule.Message, run.problem)
	}
	return failed(string(rule.Rule), "", "%s", rule.Message)
}

// approval asks for one verdict of a kind that still stands: that of anybody who reviews will do.
func (f mergeFacts) approval(wanted func(verdict) bool, what string) check {
	var late []verdict
	own := false
	for _, v := range f.verdicts {
		switch {
		case !wanted(v):
		case v.stands():
			return passed("", "%s by %s.", map[string]string{"approval": "Approved", "review": "Reviewed"}[what], f.names([]string{v.User}))
		case v.own:
			own = true
		default:
			late = append(late, v)
		}
	}
	if len(late) > 0 {
		g := f.stale(late)
		g.role = api.RoleReview
		return g
	}
	g := failed("", api.RoleReview, "There is no %s yet.", what).by(f.asked()...)
	if own {
		g.message = "There is no " + what + " but the author's own, which does not count."
	}
	return g
}

// stale says why verdicts no longer count; those who gave them can do so anew.
func (f mergeFacts) stale(late []verdict) check {
	var users []string
	var unseen []revision.ChangedItem
	for _, v := range late {
		users = append(users, v.User)
		for _, item := range v.unseen {
			if !slices.ContainsFunc(unseen, func(known revision.ChangedItem) bool { return known.ID == item.ID && known.Reason == item.Reason }) {
				unseen = append(unseen, item)
			}
		}
	}
	g := failed("", "", "What %s reviewed is not what would be merged: %s.", f.names(users), seenDifferently(unseen)).by(users...)
	g.unseen = unseen
	return g
}

// seenDifferently names what is not as it was seen.
func seenDifferently(items []revision.ChangedItem) string {
	const shown = 5
	var list []string
	for _, item := range items[:min(shown, len(items))] {
		list = append(list, fmt.Sprintf("%s (%s)", item.Title, item.Reason))
	}
	if more := len(items) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// allApproved asks that everybody who reviewed has approved what would be merged: nobody can do that for another.
func (f mergeFacts) allApproved() check {
	var asking []string
	var late []verdict
	reviewed := false
	for _, v := range f.verdicts {
		switch {
		case v.own:
			continue
		case v.Status != api.ReviewApproved:
			asking = append(asking, v.User)
		case !v.stands():
			late = append(late, v)
		}
		reviewed = true
	}
	switch {
	case len(asking) > 0 && len(late) > 0:
		g := f.stale(late)
		g.message = f.requested(asking) + " " + g.message
		return g.by(append(asking, g.users...)...)
	case len(asking) > 0:
		return failed("", "", "%s", f.requested(asking)).by(asking...)
	case len(late) > 0:
		return f.stale(late)
	case !reviewed:
		return passed("", "There is no review that is not an approval.")
	default:
		return passed("", "All reviews are approvals.")
	}
}

// specific asks for approvals of people that the rule names.
func (f mergeFacts) specific(rule api.MergeRule) check {
	missing := slices.DeleteFunc(slices.Clone(rule.Users), func(user string) bool {
		return slices.ContainsFunc(f.verdicts, func(v verdict) bool { return v.User == user && v.approves() })
	})
	one := rule.Rule == api.RuleOneOfSpecificReviewers
	if len(missing) == 0 || one && len(missing) < len(rule.Users) {
		return passed("", "Approved by everybody whose approval it needs.")
	}
	late := slices.DeleteFunc(slices.Clone(f.verdicts), func(v verdict) bool {
		return !slices.Contains(missing, v.User) || v.Status != api.ReviewApproved || v.own
	})
	switch {
	case len(late) > 0 && (one || len(late) == len(missing)):
		return f.stale(late).by(missing...)
	case one:
		return failed("", "", "It needs approval from one of %s.", f.names(missing)).by(missing...)
	}
	return failed("", "", "It needs approval from %s.", f.names(missing)).by(missing...)
}

// asked are those who were asked for a review and have not made it.
func (f mergeFacts) asked() []string {
	var users []string
	for _, r := range f.request.Private.Reviewers {
		users = append(users, r.User)
	}
	return users
}

func (f mergeFacts) names(users []string) string {
	list := make([]string, len(users))
	for i, user := range users {
		list[i] = cmp.Or(f.people[user], user)
	}
	return strings.Join(list, ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// allowed refuses a merge that a rule stands in the way of, inside its transaction: what the facts rest on is in the
// read set, or was checked before.
func (s *Service) allowed(c *rest.Call, tx *store.Tx, l Loaded, plan mergePlan) error {
	if err := plan.rules.held(tx, c.Org, l.Fields.Space); err != nil || len(plan.rules.rules) == 0 {
		return err
	}
	f := plan.facts
	if err := f.countThreads(tx, c.Org, l.Key); err != nil {
		return err
	}
	var wrong []api.FieldError
	for _, g := range f.checks() {
		if g.state == api.GateFailed {
			wrong = append(wrong, api.FieldError{Path: g.rule, Message: g.message})
		}
	}
	return blocked(wrong)
}

// countThreads counts the open comments that a rule asks about anew, inside the transaction of the merge: one that is
// posted meanwhile stands in its way.
func (f *mergeFacts) countThreads(tx *store.Tx, org, request string) error {
	for _, counted := range []struct {
		rules []api.MergeRuleName
		index string
		n     *int
	}{
		{[]api.MergeRuleName{api.RuleCustom, api.RuleThreads}, string(api.CommentOpen), &f.threads},
		{[]api.MergeRuleName{api.RuleBlocking}, store.BlockingFilter, &f.blocking},
	} {
		if !slices.ContainsFunc(f.ruleSet.rules, func(r api.MergeRule) bool { return slices.Contains(counted.rules, r.Rule) }) {
			continue
		}
		open, err := tx.Card(store.CommentsKey(org, request, counted.index))
		if err != nil {
			return err
		}
		*counted.n = int(open)
	}
	return nil
}

// roleName is what those who have a role are called.
func roleName(r api.Role) string {
	names := map[api.Role]string{
		api.RoleRead: "reader", api.RoleComment: "commenter", api.RoleEdit: "editor", api.RoleReview: "reviewer",
		api.RoleCreate: "creator", api.RoleAdmin: "admin",
	}
	if name, ok := names[r]; ok {
		return name
	}
	return string(r)
}
