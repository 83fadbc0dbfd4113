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
	role    api.Role // role that can clear the check
	users   []string // users who can clear the check

	cause          api.GateCause // why the check is not passed, or ""
	namedUsers     []string      // users whom the cause names
	staleReviewers []string      // users whose reviews are outdated
	unseen         []revision.ChangedItem
	count          int      // conflicts, comments or links
	links          []string // the first broken links
}

// checks returns the results of all conditions of a merge: the unconditional ones, the advisory ones and those of the
// merge rules. It is the only function that decides whether a merge is allowed, for previews and inside the
// transaction of the merge.
func (f mergeFacts) checks() []check {
	all := []check{f.spaceCheck(), f.stateCheck(), f.roleCheck()}
	if CheckUnfinished(f.request, "") != nil {
		return all
	}
	if f.request.Private.Pushing != nil {
		all = append(all, f.pushCheck())
	}
	all = append(all, f.conflictCheck(), f.upToDateCheck(), f.reviewCheck(), f.changesCheck())
	for _, g := range []check{f.threadCheck(), f.blockingCheck()} {
		if !f.hasRule(g.rule) { // checks that are merge rules are added below
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

func passedCheck(rule, format string, args ...any) check {
	return check{rule: rule, state: api.GatePassed, message: fmt.Sprintf(format, args...)}
}

// failedCheck returns a failed check that a role can clear.
func failedCheck(rule string, cause api.GateCause, role api.Role, format string, args ...any) check {
	return check{rule: rule, state: api.GateFailed, cause: cause, role: role, message: fmt.Sprintf(format, args...)}
}

// asAdvice downgrades a failed check to advice, for conditions that no rule requires.
func (c check) asAdvice() check {
	if c.state == api.GateFailed {
		c.state = api.GateAdvice
	}
	return c
}

func (c check) withUsers(users ...string) check { c.users = users; return c }

// withNamedUsers sets the users whom the cause names.
func (c check) withNamedUsers(users ...string) check { c.namedUsers = users; return c }

// withCount sets the number of conflicts, comments or links.
func (c check) withCount(n int) check { c.count = n; return c }

func (f mergeFacts) spaceCheck() check {
	if f.spaceInTrash {
		return failedCheck(api.GateSpace, api.CauseTrash, api.RoleCreate, "The space is in the trash. Restore it first.")
	}
	return passedCheck(api.GateSpace, "The space exists.")
}

func (f mergeFacts) stateCheck() check {
	status := f.request.Fields.Status
	switch {
	case status == api.StatusArchived:
		return failedCheck(api.GateStatus, api.CauseArchived, api.RoleEdit, "The change request is archived. Open it again first.")
	case status == api.StatusMerged:
		return failedCheck(api.GateStatus, api.CauseMerged, "", "The change request is already merged.")
	case f.nothingToMerge:
		return failedCheck(api.GateStatus, api.CauseEmpty, api.RoleEdit,
			"The change request changes nothing, so there is nothing to merge.")
	case status == api.StatusDraft:
		return passedCheck(api.GateStatus, "The change request is a draft. Drafts can be merged.")
	}
	return passedCheck(api.GateStatus, "The change request is open.")
}

// pushCheck returns the failed check for a push that is not complete. It is no merge rule, so nobody can bypass it.
func (f mergeFacts) pushCheck() check {
	p := *f.request.Private.Pushing
	return failedCheck(api.GatePush, api.CausePushing, api.RoleAdmin, "%s", pushMessage(f.joinNames([]string{p.User}, ""), p)).
		withUsers(p.User).withNamedUsers(p.User)
}

func (f mergeFacts) roleCheck() check {
	if !f.caller.ContentRole.AtLeast(api.RoleReview) {
		return failedCheck(api.GateRole, api.CauseRole, api.RoleReview, "A merge needs the role reviewer; your role is %s.",
			roleName(f.caller.ContentRole))
	}
	return passedCheck(api.GateRole, "Your role, %s, can merge.", roleName(f.caller.ContentRole))
}

func (f mergeFacts) conflictCheck() check {
	if f.conflicts > 0 {
		return failedCheck(api.GateConflicts, api.CauseConflicts, api.RoleEdit, "%s to be decided, in an update or in the merge.",
			haveClause(f.conflicts, "conflict")).withCount(f.conflicts)
	}
	return passedCheck(api.GateConflicts, "There are no conflicts.")
}

func (f mergeFacts) upToDateCheck() check {
	if f.outdated {
		return failedCheck(api.GateUpToDate, api.CauseOutdated, api.RoleEdit, "The space has changed since the last update.").asAdvice()
	}
	return passedCheck(api.GateUpToDate, "It is up to date with the space.")
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
		return f.changesRequestedCheck(asking).asAdvice()
	}
	return passedCheck(api.GateChangesRequested, "Nobody requested changes.")
}

// changesRequestedCheck returns the failed check for users who requested changes.
func (f mergeFacts) changesRequestedCheck(users []string) check {
	return failedCheck(api.GateChangesRequested, api.CauseChangesRequested, "", "%s requested changes.", f.joinNames(users, "and")).
		withUsers(users...).withNamedUsers(users...)
}

func (f mergeFacts) threadCheck() check {
	if f.openComments > 0 {
		return failedCheck(api.GateThreads, api.CauseComments, api.RoleEdit, "%s open.", areClause(f.openComments, "comment")).
			withCount(f.openComments)
	}
	return passedCheck(api.GateThreads, "No comment is open.")
}

func (f mergeFacts) blockingCheck() check {
	if f.blockingComments > 0 {
		return failedCheck(api.GateBlocking, api.CauseBlockingComments, api.RoleEdit, "%s open.",
			areClause(f.blockingComments, "blocking comment")).withCount(f.blockingComments)
	}
	return passedCheck(api.GateBlocking, "No blocking comment is open.")
}

// hasRule reports whether the merge rules contain the given rule.
func (f mergeFacts) hasRule(rule string) bool {
	return slices.ContainsFunc(f.ruleSet.rules, func(r api.MergeRule) bool { return string(r.Rule) == rule })
}

func (f mergeFacts) linkCheck() check {
	if len(f.brokenLinks) == 0 {
		return passedCheck(api.GateLinks, "It breaks no links.")
	}
	const shown = 5
	var links []string
	for _, l := range f.brokenLinks[:min(shown, len(f.brokenLinks))] {
		links = append(links, l.Href)
	}
	g := failedCheck(api.GateLinks, api.CauseLinks, api.RoleEdit, "It would break %s: %s.", pluralize(len(f.brokenLinks), "link"),
		joinSome(links, len(f.brokenLinks))).withCount(len(f.brokenLinks)).asAdvice()
	g.links = links
	return g
}

// ruleCheck evaluates one merge rule. index is its position in the rule set, which selects the result of a custom
// rule.
func (f mergeFacts) ruleCheck(rule api.MergeRule, index int) check {
	name := string(rule.Rule)
	switch rule.Rule {
	case api.RuleBypass:
		return passedCheck(name, "%s can merge without the other rules.", f.joinNames(rule.Users, "and"))
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
			return failedCheck(name, api.CauseNoSubject, api.RoleEdit, "The change request has no subject.")
		}
		return passedCheck(name, "The change request has a subject.")
	case api.RuleThreads:
		return f.threadCheck()
	case api.RuleBlocking:
		return f.blockingCheck()
	case api.RuleAuthorMerges:
		if author := f.request.Private.Creator; author != f.caller.User {
			return failedCheck(name, api.CauseNotAuthor, "", "Only its author, %s, can merge it.", f.joinNames([]string{author}, "")).
				withUsers(author).withNamedUsers(author)
		}
		return passedCheck(name, "You are its author.")
	case api.RuleCustom:
		return customCheck(rule, f.customResults[index])
	}
	return failedCheck(name, api.CauseUnknownRule, "", "This server does not know the rule.")
}

func customCheck(rule api.MergeRule, run customRuleResult) check {
	switch {
	case run.passed:
		return passedCheck(string(rule.Rule), "%s: %s", rule.Message, rule.Expression)
	case run.problem != "":
		return failedCheck(string(rule.Rule), api.CauseCustom, "", "%s (%s)", rule.Message, run.problem)
	}
	return failedCheck(string(rule.Rule), api.CauseCustom, "", "%s", rule.Message)
}

// approvalCheck requires at least one current verdict that wanted accepts, from any person but the author. what is the noun in
// the message.
func (f mergeFacts) approvalCheck(wanted func(verdict) bool, what string) check {
	var late []verdict
	own := false
	verb, none := "approved", api.CauseNotApproved
	if what == "review" {
		verb, none = "reviewed", api.CauseNotReviewed
	}
	for _, v := range f.verdicts {
		switch {
		case !wanted(v), v.Service:
		case v.isCurrent():
			return passedCheck("", "%s %s it.", f.joinNames([]string{v.User}, ""), verb).withNamedUsers(v.User)
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
	if own {
		return failedCheck("", api.CauseOwnVerdict, api.RoleReview, "Only its author %s it, which does not count.", verb).
			withUsers(f.requestedReviewers()...)
	}
	return failedCheck("", none, api.RoleReview, "Nobody has %s it yet.", verb).withUsers(f.requestedReviewers()...)
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
	g := failedCheck("", api.CauseStale, "", "It changed after %s reviewed it: %s.", f.joinNames(users, "and"), describeUnseen(unseen)).
		withUsers(users...)
	g.unseen, g.staleReviewers = unseen, users
	return g
}

// describeUnseen lists at most five changed items with the reasons for the change.
func describeUnseen(items []revision.ChangedItem) string {
	const shown = 5
	var list []string
	for _, item := range items[:min(shown, len(items))] {
		list = append(list, fmt.Sprintf("%s (%s)", item.Title, item.Reason))
	}
	return joinSome(list, len(items))
}

// joinSome lists the first of total items and counts the others.
func joinSome(first []string, total int) string {
	if more := total - len(first); more > 0 {
		first = append(slices.Clone(first), fmt.Sprintf("%d more", more))
	}
	return strings.Join(first, ", ")
}

// allApprovedCheck requires that the last review of every person but the author is an approval of the content to be merged.
// Only the reviewers themselves can clear it.
func (f mergeFacts) allApprovedCheck() check {
	var asking []string
	var late []verdict
	reviewed := false
	for _, v := range f.verdicts {
		switch {
		case !v.countsUnnamed():
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
		g, stale := f.changesRequestedCheck(asking), f.staleCheck(late)
		g.message += " " + stale.message
		g.staleReviewers, g.unseen = stale.staleReviewers, stale.unseen
		return g.withUsers(slices.Concat(asking, stale.users)...)
	case len(asking) > 0:
		return f.changesRequestedCheck(asking)
	case len(late) > 0:
		return f.staleCheck(late)
	case !reviewed:
		return passedCheck("", "Nobody has reviewed it, so all reviews are approvals.")
	default:
		return passedCheck("", "All reviews are approvals.")
	}
}

// specificReviewersCheck requires approvals from all users of the rule, or from one of them.
func (f mergeFacts) specificReviewersCheck(rule api.MergeRule) check {
	missing := slices.DeleteFunc(slices.Clone(rule.Users), func(user string) bool {
		return slices.ContainsFunc(f.verdicts, func(v verdict) bool { return v.User == user && v.approves() })
	})
	one := rule.Rule == api.RuleOneOfSpecificReviewers
	if len(missing) == 0 || one && len(missing) < len(rule.Users) {
		return passedCheck("", "Everybody who has to approve it has approved it.")
	}
	late := slices.DeleteFunc(slices.Clone(f.verdicts), func(v verdict) bool {
		return !slices.Contains(missing, v.User) || v.Status != api.ReviewApproved || v.byAuthor
	})
	switch {
	case len(late) > 0 && (one || len(late) == len(missing)):
		return f.staleCheck(late).withUsers(missing...)
	case one:
		return failedCheck("", api.CauseNoneApproved, "", "%s has to approve it.", f.joinNames(missing,
			"or")).withUsers(missing...).withNamedUsers(missing...)
	case len(missing) == 1:
		return failedCheck("", api.CauseNotApproved, "", "%s has to approve it.", f.joinNames(missing,
			"")).withUsers(missing...).withNamedUsers(missing...)
	}
	return failedCheck("", api.CauseNotApproved, "", "%s have to approve it.", f.joinNames(missing,
		"and")).withUsers(missing...).withNamedUsers(missing...)
}

// requestedReviewers returns the users whose requested review is pending.
func (f mergeFacts) requestedReviewers() []string {
	var users []string
	for _, r := range f.request.Private.Reviewers {
		users = append(users, r.User)
	}
	return users
}

// joinNames returns the names of users as an English list with a conjunction.
func (f mergeFacts) joinNames(users []string, conjunction string) string {
	list := make([]string, len(users))
	for i, user := range users {
		list[i] = cmp.Or(f.names[user], user)
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " " + conjunction + " " + list[n-1]
	}
	return strings.Join(list, "")
}

// haveClause returns the start of a sentence about n things: "2 conflicts have".
func haveClause(n int, what string) string {
	if n == 1 {
		return "1 " + what + " has"
	}
	return pluralize(n, what) + " have"
}

// areClause returns the start of a sentence about n things: "2 comments are".
func areClause(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return pluralize(n, what) + " are"
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
	return mergeRulesError(l.Fields, wrong)
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
