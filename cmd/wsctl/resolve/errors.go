package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/server/text/names"
)

// errNone is the error of a quiet Resolver for a name that nothing has.
var errNone = errors.New("nothing has the name")

// shownCandidates is the number of resources that the error of a name that several have lists.
const shownCandidates = 5

// notOne returns the error of a name that nothing or several resources have.
func (r *Resolver) notOne(a lookup, m api.NameMatches, organization string) error {
	k, _ := kindOf(a.subject)
	if m.Count == 0 && r.quiet {
		return errNone
	}
	if m.Count == 0 {
		err := api.Errorf(http.StatusNotFound, api.ReasonNotFound, "no %s is called %q%s, or you may not see it",
			k.noun, a.text, r.placeOf(a.subject, organization))
		return err.WithHint("%s", r.nearHint(a, k))
	}
	err := app.Ambiguousf("%d %s are called %q; say which", m.Count, plural(k.noun), a.text)
	for _, found := range m.Found[:min(len(m.Found), shownCandidates)] {
		err.Candidates = append(err.Candidates, app.Candidate{Name: found.Name, ID: found.ID, Title: found.Title})
	}
	if more := m.Count - len(err.Candidates); more > 0 {
		err.Hint = fmt.Sprintf("and %d more: %s", more, listCommand(k, a.scope))
	}
	return err
}

// plural returns the plural of the noun of a kind.
func plural(noun string) string {
	if first, rest, ok := strings.Cut(noun, " of "); ok {
		return first + "s of " + rest
	}
	return noun + "s"
}

// listCommand returns the command that lists the resources of a kind in a scope.
func listCommand(k kind, scope Scope) string {
	row := listRow(k, scope)
	words := []string{"wsctl", row.Resource(), row.Verb()}
	for _, p := range row.PathParams() {
		id := scope(p.Subject)
		if id == "" || p.Subject == "organization" {
			continue
		}
		if app.ArgumentName(row) != p.Subject {
			words = append(words, "--"+app.FlagName(row, api.InPath, p.Subject))
		}
		words = append(words, id)
	}
	return strings.Join(words, " ")
}

// placeOf returns the words that name the organization in which a name was not found, or "" if its title cannot be read.
func (r *Resolver) placeOf(subject, organization string) string {
	c, err := r.app.Client(r.cmd)
	if k, _ := kindOf(subject); err != nil || organization == "" || k.named == "" {
		return ""
	}
	o, err := c.Organizations.Get(r.cmd.Context(), api.OrganizationRef{Organization: organization})
	if err != nil || o.Title == "" {
		return ""
	}
	return " in " + o.Title
}

// nearHint returns the hint of the error of a name that nothing has: the names that are similar, and the command that lists all.
func (r *Resolver) nearHint(a lookup, k kind) string {
	if a.subject == "changeRequest" {
		return "write SPACE#NUMBER, or NUMBER with --space; all: " + listCommand(k, a.scope)
	}
	hint := "all: " + listCommand(k, a.scope)
	first := Resolver{app: r.app, cmd: r.cmd, lists: r.lists, brief: true}
	items, err := first.list(k, a.scope)
	if err != nil {
		return hint
	}
	if near := nearNames(a.subject, items, a.text); len(near) > 0 {
		return "did you mean " + strings.Join(near, ", ") + "? " + strings.ToUpper(hint[:1]) + hint[1:]
	}
	return hint
}

// maxNear is the number of similar names that an error suggests.
const maxNear = 3

// nearNames returns the unique names of the items whose titles or other forms are similar to a text, the most similar first.
func nearNames(subject string, items []item, text string) []string {
	type near struct {
		name     string
		distance int
	}
	var all []near
	folded := names.Fold(text)
	for _, it := range items {
		best := -1
		for _, form := range append(slices.Clone(it.forms), it.title) {
			if d, ok := Distance(folded, names.Fold(form)); ok && (best < 0 || d < best) {
				best = d
			}
		}
		if best >= 0 {
			all = append(all, near{uniqueName(subject, items, it), best})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name)) })
	var found []string
	for _, n := range all[:min(len(all), maxNear)] {
		found = append(found, n.name)
	}
	return found
}

// Distance returns how much two folded names differ: the number of characters to insert, remove or replace. ok is false if they
// are not similar: more than a third of the characters differ, and neither contains the other.
func Distance(a, b string) (d int, ok bool) {
	if a == "" || b == "" {
		return 0, false
	}
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			above := row[j+1]
			change := diagonal
			if x != y {
				change++
			}
			row[j+1] = min(change, above+1, row[j]+1)
			diagonal = above
		}
	}
	d = row[len(to)]
	contains := min(len(from), len(to)) >= 3 && (strings.Contains(a, b) || strings.Contains(b, a))
	return d, contains || d*3 <= max(len(from), len(to))
}
