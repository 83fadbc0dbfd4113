package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// MaxCause is the maximum width of the cause of a check, in cells.
const MaxCause = 60

// GateTitle returns GateCause with a capital first letter.
func GateTitle(g api.MergeGate, me string) string { return capitalize(GateCause(g, me)) }

// GateCause returns the reason why a check is not passed, in at most MaxCause cells; the user me is called you. The text is
// built from the data of the check, begins in lower case unless a name comes first, and has no full stop. For a passed check,
// and if the server sends no cause, it is the message of the check.
func GateCause(g api.MergeGate, me string) string {
	var parts []string
	for n := max(len(g.Users), len(g.Stale)); n >= 0; n-- {
		parts = causeParts(g, me, max(n, 1))
		if (Line{Plain(strings.Join(parts, "; "))}).Width() <= MaxCause {
			break
		}
	}
	text := strings.Join(parts, "; ")
	if len(parts) > 1 && (Line{Plain(text)}).Width() > MaxCause {
		text = parts[0] + "; …"
	}
	return Line{Plain(text)}.Cut(MaxCause).String()
}

// causeParts returns the causes of a check with at most n names each.
func causeParts(g api.MergeGate, me string, n int) []string {
	people := func(word string) string { return joinFirst(g.Users, me, word, n) }
	var cause string
	switch g.Cause {
	case api.CauseTrash:
		cause = "the space is in the trash"
	case api.CauseArchived:
		cause = "it is archived"
	case api.CauseMerged:
		cause = "it is already merged"
	case api.CauseEmpty:
		cause = "it changes nothing"
	case api.CausePushing:
		cause = "a push of " + people(" and ") + " is not complete"
	case api.CauseRole:
		cause = "you need the role reviewer to merge it"
	case api.CauseConflicts:
		cause = Plural(g.Count, "conflict") + " to decide"
	case api.CauseOutdated:
		cause = "the space has changed since the last update"
	case api.CauseNotReviewed:
		cause = "nobody has reviewed it"
	case api.CauseNotApproved:
		cause = cmp.Or(addPrefix("it needs the approval of ", people(" and ")), "nobody has approved it")
	case api.CauseNoneApproved:
		cause = "it needs the approval of " + people(" or ")
	case api.CauseOwnVerdict:
		cause = "only its author has " + Choose(g.Rule == string(api.RuleReview), "reviewed", "approved") + " it"
	case api.CauseChangesRequested:
		cause = people(" and ") + " requested changes"
	case api.CauseComments:
		cause = Plural(g.Count, "comment") + Choose(g.Count == 1, " is", " are") + " open"
	case api.CauseBlockingComments:
		cause = Plural(g.Count, "blocking comment") + Choose(g.Count == 1, " is", " are") + " open"
	case api.CauseLinks:
		cause = "it would break " + Plural(g.Count, "link")
	case api.CauseNoSubject:
		cause = "it has no subject"
	case api.CauseNotAuthor:
		cause = "only its author, " + people("") + ", may merge it"
	case api.CauseUnknownRule:
		cause = "the server does not know the rule " + g.Rule
	case api.CauseStale, api.CauseCustom, "":
	}
	parts := []string{cause}
	if cause == "" {
		parts = []string{strings.TrimSuffix(g.Message, ".")}
	}
	if len(g.Stale) > 0 {
		stale := "changed since " + joinFirst(g.Stale, me, " and ", n) + " reviewed it"
		if g.Cause == api.CauseStale {
			return []string{"it " + stale}
		}
		parts = append(parts, stale)
	}
	return parts
}

// addPrefix returns text after prefix, or "" if text is empty.
func addPrefix(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// joinFirst names the first n users and counts the others.
func joinFirst(users []api.User, me, word string, n int) string {
	if len(users) <= n {
		return joinUsers(users, me, word)
	}
	names := make([]string, n)
	for i := range names {
		names[i] = UserName(users[i], me)
	}
	return fmt.Sprintf("%s%s%s", strings.Join(names, ", "), word, Plural(len(users)-n, "other"))
}

// capitalize returns a text with a capital first letter.
func capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// GateDetails lists what the cause of a gate leaves out: a long message, what changed since it was reviewed, and the links
// that would be broken.
func GateDetails(g api.MergeGate) (lines []string) {
	if (Line{Plain(GateCause(g, ""))}).Width() >= MaxCause {
		lines = append(lines, g.Message)
	}
	for _, item := range g.Unseen {
		lines = append(lines, "changed: "+DisplayTitle(item.Title)+" ("+string(item.Reason)+")")
	}
	for _, link := range g.Links {
		lines = append(lines, "link: "+link)
	}
	if more := g.Count - len(g.Links); len(g.Links) > 0 && more > 0 {
		lines = append(lines, "and "+Plural(more, "more link"))
	}
	return lines
}

// gateFacts returns the facts of a check that is not passed, one item each. Two checks with the same facts need only one line.
func gateFacts(g api.MergeGate) []string {
	var facts []string
	for _, u := range g.Stale {
		facts = append(facts, "stale "+u.ID)
	}
	switch {
	case g.Cause == api.CauseStale:
	case g.Cause == "" || g.Cause == api.CauseCustom:
		facts = append(facts, "message "+g.Message)
	case len(g.Users) == 0:
		facts = append(facts, string(g.Cause))
	}
	for _, u := range g.Users {
		facts = append(facts, string(g.Cause)+" "+u.ID)
	}
	return facts
}

// withoutRepeats removes checks that only repeat facts of earlier ones.
func withoutRepeats(all []api.MergeGate) (out []api.MergeGate) {
	said := map[string]bool{}
	for _, g := range all {
		facts := gateFacts(g)
		if !slices.ContainsFunc(facts, func(fact string) bool { return !said[fact] }) {
			continue
		}
		for _, fact := range facts {
			said[fact] = true
		}
		out = append(out, g)
	}
	return out
}
