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

// check is the result of one condition of a merge.
type check struct {
	rule    string
	state   api.GateState
	message string
	role    api.Role // role that can clear it
	users   []string // users who can clear it
	unseen  []revision.ChangedItem
}

// checks returns the results of all conditions of a merge: the unconditional ones, the advisory ones and those of the
// merge rules. It is the only function that decides whether a merge is allowed, for previews and inside the
// transaction of the merge.
func (f mergeFacts) checks() []check {
	all := []check{f.spaceCheck(), f.stateCheck(), f.roleCheck()}
	if CheckUnfinished(f.request, "") != nil {
		return all
	}
	all = append(all, f.conflictCheck(), f.upToDateCheck(), f.reviewCheck(), f.changesCheck())
	for _, g := range []check{f.threadCheck(), f.blockingCheck()} {
		if !f.hasRule(g.rule) { // otherwise the rules below include it
			all = append(all, g.asAdvice())
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

// asAdvice downgrades a failed check to advice, for conditions that no rule requires.
func (c check) asAdvice() check {
	if c.state == api.GateFailed {
		c.state = api.GateAdvice
	}
	return c
}

func (c check) clearedBy(users ...string) check { c.users = users; return c }

func (f mergeFacts) spaceCheck() check {
	if f.spaceInTrash {
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
	case f.nothingToMerge:
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
		return failed(api.GateConflicts, api.RoleEdit, "%s to decide, by an update or with the merge.", pluralize(f.conflicts, "conflict"))
	}
	return passed(api.GateConflicts, "There are no conflicts.")
}

func (f mergeFacts) upToDateCheck() check {
	if f.outdated {
		return failed(api.GateUpToDate, api.RoleEdit, "The space has changed since; an update brings the changes in.").asAdvice()
	}
	return passed(api.GateUpToDate, "Up to date with the space.")
}

func (f mergeFacts) reviewCheck() check {
	g := f.approvalCheck(func(v verdict) bool { return v.Status == api.ReviewApproved }, "approval")
	if g.rule = api.GateReview; len(g.unseen) > 0 && f.hasRule(string(api.RuleAllApproved)) {
		g.role = "" // another reviewer's approval does not help
	}
	return g.asAdvice()
}

func (f mergeFacts) changesCheck() check {
	var asking []string
	for _, v := range f.verdicts {
		if v.Status == api.ReviewChangesRequested {
			asking = append(asking, v.User)
		}
	}
	if len(asking) > 0 {
		return failed(api.GateChangesRequested, "", "%s", f.changesRequestedMessage(asking)).clearedBy(asking...).asAdvice()
	}
	return passed(api.GateChangesRequested, "Nobody requested changes.")
}

// changesRequestedMessage returns a message that names the users who requested changes.
func (f mergeFacts) changesRequestedMessage(users []string) string {
	return f.joinNames(users) + " requested changes."
}

func (f mergeFacts) threadCheck() check {
	if f.openComments > 0 {
		return failed(api.GateThreads, api.RoleEdit, "%s to resolve.", pluralize(f.openComments, "open comment"))
	}
	return passed(api.GateThreads, "No comment is open.")
}

func (f mergeFacts) blockingCheck() check {
	if f.blockingComments > 0 {
		return failed(api.GateBlocking, api.RoleEdit, "%s to resolve.", pluralize(f.blockingComments, "blocking comment"))
	}
	return passed(api.GateBlocking, "No blocking comment is open.")
}

// hasRule reports whether the merge rules contain the given rule.
func (f mergeFacts) hasRule(rule string) bool {
	return slices.ContainsFunc(f.ruleSet.rules, func(r api.MergeRule) bool { return string(r.Rule) == rule })
}

func (f mergeFacts) linkCheck() check {
	if len(f.brokenLinks) == 0 {
		return passed(api.GateLinks, "It breaks no link.")
	}
	const shown = 5
	var list []string
	for _, l := range f.brokenLinks[:min(shown, len(f.brokenLinks))] {
		list = append(list, l.Href)
	}
	if more := len(f.brokenLinks) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return failed(api.GateLinks, api.RoleEdit, "%s would be broken: %s.", pluralize(len(f.brokenLinks), "link"),
		strings.Join(list, ", ")).asAdvice()
}

// ruleCheck evaluates one merge rule. index is its position in the rule set, which selects the result of a custom
// rule.
func (f mergeFacts) ruleCheck(rule api.MergeRule, index int) check {
	name := string(rule.Rule)
	switch rule.Rule {
	case api.RuleBypass:
		return passed(name, "%s can merge whatever the other rules say.", f.joinNames(rule.Users))
	case api.RuleReview:
		return f.approvalCheck(func(verdict) bool { return true }, "review")
	case api.RuleApproval:
		return f.approvalCheck(func(v verdict) bool { return v.Status == api.ReviewApproved }, "approval")
	case api.RuleAllApproved:
		return f.allApprovedCheck()
	case api.RuleSpecificReviewers, api.RuleOneOfSpecificReviewers:
		return f.specificReviewersCheck(rule)
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
			return failed(name, "", "Only its author, %s, can merge it.", f.joinNames([]string{author})).clearedBy(author)
		}
		return passed(name, "You are its author.")
	case api.RuleCustom:
		return customCheck(rule, f.customResults[index])
	}
	return failed(name, "", "This server does not know the rule.")
}

func customCheck(rule api.MergeRule, run customRuleResult) check {
	switch {
	case run.passed:
		return passed(string(rule.Rule), "%s: %s", rule.Message, rule.Expression)
	case run.problem != "":
		return failed(string(rule.Rule), "", "%s (%s)", rule.Message, run.problem)
	}
	return failed(string(rule.Rule), "", "%s", rule.Message)
}

// approvalCheck requires at least one current verdict that wanted accepts, from any reviewer but the author. what is
// the noun in the message.
func (f mergeFacts) approvalCheck(wanted func(verdict) bool, what string) check {
	var late []verdict
	own := false
	for _, v := range f.verdicts {
		switch {
		case !wanted(v):
		case v.isCurrent():
			return passed("", "%s by %s.", map[string]string{"approval": "Approved", "review": "Reviewed"}[what],
				f.joinNames([]string{v.User}))
		case v.byAuthor:
			own = true
		default:
			late = append(late, v)
		}
	}
	if len(late) > 0 {
		g := f.staleCheck(late)
		g.role = api.RoleReview
		return g
	}
	g := failed("", api.RoleReview, "There is no %s yet.", what).clearedBy(f.requestedReviewers()...)
	if own {
		g.message = "There is no " + what + " but the author's own, which does not count."
	}
	return g
}

// staleCheck returns a failed check for verdicts that are outdated. Their users can clear it by reviewing again.
func (f mergeFacts) staleCheck(late []verdict) check {
	var users []string
	var unseen []revision.ChangedItem
	for _, v := range late {
		users = append(users, v.User)
		for _, item := range v.unseen {
			if !slices.ContainsFunc(unseen, func(known revision.ChangedItem) bool {
				return known.ID == item.ID && known.Reason == item.Reason
			}) {
				unseen = append(unseen, item)
			}
		}
	}
	g := failed("", "", "What %s reviewed is not what would be merged: %s.", f.joinNames(users), describeUnseen(unseen)).clearedBy(users...)
	g.unseen = unseen
	return g
}

// describeUnseen lists at most five changed items with the reasons for the change.
func describeUnseen(items []revision.ChangedItem) string {
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

// allApprovedCheck requires that the last review of every reviewer is an approval of the content to be merged. Only
// the reviewers themselves can clear it.
func (f mergeFacts) allApprovedCheck() check {
	var asking []string
	var late []verdict
	reviewed := false
	for _, v := range f.verdicts {
		switch {
		case v.byAuthor:
			continue
		case v.Status != api.ReviewApproved:
			asking = append(asking, v.User)
		case !v.isCurrent():
			late = append(late, v)
		}
		reviewed = true
	}
	switch {
	case len(asking) > 0 && len(late) > 0:
		g := f.staleCheck(late)
		g.message = f.changesRequestedMessage(asking) + " " + g.message
		return g.clearedBy(append(asking, g.users...)...)
	case len(asking) > 0:
		return failed("", "", "%s", f.changesRequestedMessage(asking)).clearedBy(asking...)
	case len(late) > 0:
		return f.staleCheck(late)
	case !reviewed:
		return passed("", "There is no review that is not an approval.")
	default:
		return passed("", "All reviews are approvals.")
	}
}

// specificReviewersCheck requires approvals from all users of the rule, or from one of them.
func (f mergeFacts) specificReviewersCheck(rule api.MergeRule) check {
	missing := slices.DeleteFunc(slices.Clone(rule.Users), func(user string) bool {
		return slices.ContainsFunc(f.verdicts, func(v verdict) bool { return v.User == user && v.approves() })
	})
	one := rule.Rule == api.RuleOneOfSpecificReviewers
	if len(missing) == 0 || one && len(missing) < len(rule.Users) {
		return passed("", "Approved by everybody whose approval it needs.")
	}
	late := slices.DeleteFunc(slices.Clone(f.verdicts), func(v verdict) bool {
		return !slices.Contains(missing, v.User) || v.Status != api.ReviewApproved || v.byAuthor
	})
	switch {
	case len(late) > 0 && (one || len(late) == len(missing)):
		return f.staleCheck(late).clearedBy(missing...)
	case one:
		return failed("", "", "It needs approval from one of %s.", f.joinNames(missing)).clearedBy(missing...)
	}
	return failed("", "", "It needs approval from %s.", f.joinNames(missing)).clearedBy(missing...)
}

// requestedReviewers returns the users whose requested review is pending.
func (f mergeFacts) requestedReviewers() []string {
	var users []string
	for _, r := range f.request.Private.Reviewers {
		users = append(users, r.User)
	}
	return users
}

func (f mergeFacts) joinNames(users []string) string {
	list := make([]string, len(users))
	for i, user := range users {
		list[i] = cmp.Or(f.names[user], user)
	}
	return strings.Join(list, ", ")
}

func pluralize(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// checkRules evaluates the merge rules inside the transaction of the merge and returns an error if one fails. The
// inputs of the checks are in the read set or were verified before.
func (s *Service) checkRules(c *rest.Call, tx *store.Tx, l LoadedRequest, plan mergePlan) error {
	if err := plan.rules.checkUnchanged(tx, c.Org, l.Fields.Space); err != nil || len(plan.rules.rules) == 0 {
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
	return mergeRulesError(wrong)
}

// countThreads recounts the open comments that the rules depend on, inside the transaction of the merge, so that a
// comment posted concurrently is counted.
func (f *mergeFacts) countThreads(tx *store.Tx, org, request string) error {
	for _, counted := range []struct {
		rules []api.MergeRuleName
		index string
		n     *int
	}{
		{[]api.MergeRuleName{api.RuleCustom, api.RuleThreads}, string(api.CommentOpen), &f.openComments},
		{[]api.MergeRuleName{api.RuleBlocking}, store.BlockingFilter, &f.blockingComments},
	} {
		if !slices.ContainsFunc(f.ruleSet.rules, func(r api.MergeRule) bool { return slices.Contains(counted.rules, r.Rule) }) {
			continue
		}
		open, err := tx.Cardinality(store.CommentsKey(org, request, counted.index))
		if err != nil {
			return err
		}
		*counted.n = int(open)
	}
	return nil
}

// roleName returns the noun for a user with role r.
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
