package resolve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/server/text/names"
)

// item is a resource of a list with its names.
type item struct {
	id    string
	title string
	forms []string // names that are compared exactly, the preferred first
}

// findListed finds a name in the list of its kind.
func (r *Resolver) findListed(a lookup) error {
	k, _ := kindOf(a.subject)
	if a.subject == "changeRequest" { // its names are its id and its number
		return r.notOne(a, api.NameMatches{Name: a.text}, "")
	}
	items, err := r.list(k, a.scope)
	if err != nil {
		return err
	}
	if steps, ok := stepsBack(a.subject, a.text); ok && steps < len(items) {
		a.set(Found{ID: items[steps].id})
		return nil
	}
	found := matching(items, a.text)
	if len(found) == 1 {
		a.set(Found{ID: found[0].id})
		return nil
	}
	m := api.NameMatches{Kind: api.NameKind(k.noun), Name: a.text, Count: len(found)}
	for _, it := range found[:min(len(found), api.MaxNameMatches)] {
		m.Found = append(m.Found, api.NameMatch{ID: it.id, Title: it.title, Name: uniqueName(a.subject, items, it)})
	}
	return r.notOne(a, m, a.scope("organization"))
}

// stepsBack returns the number in the name of a revision such as @-1, the one before the last.
func stepsBack(subject, text string) (steps int, ok bool) {
	number, ok := strings.CutPrefix(text, "@-")
	steps, err := strconv.Atoi(number)
	return steps, ok && subject == "revision" && err == nil && steps >= 0
}

// listRow returns the row that lists a kind: in a change request or a revision what these contain, and the tokens of a member.
func listRow(k kind, scope Scope) api.Row {
	inRevision := scope("revision") != ""
	switch twin, ok := k.list.Twin(); {
	case inRevision && k.list.Name == api.ListContentPages.Name:
		return api.ListRevisionPages.Row
	case inRevision && k.list.Name == api.ListContentFiles.Name:
		return api.ListRevisionFiles.Row
	case ok && scope("changeRequest") != "":
		return twin
	case k.list.Name == api.ListTokens.Name && scope("user") != "":
		return api.ListMemberTokens.Row
	}
	return k.list
}

// list returns all items of the list of a kind.
func (r *Resolver) list(k kind, scope Scope) (items []item, err error) {
	row := listRow(k, scope)
	path := map[string]string{}
	for _, p := range row.PathParams() {
		if p.Subject == "organization" {
			path[p.Name], err = r.organization(scope)
		} else if path[p.Name] = scope(p.Subject); path[p.Name] == "" {
			err = app.Usagef("which %s is the %s in?", app.FlagWords(app.Kebab(p.Subject)), k.noun).
				WithHint("give --%s", app.FlagName(row, api.InPath, p.Subject))
		}
		if err != nil {
			return nil, err
		}
	}
	return r.pages(k, row, path, url.Values{})
}

// pages reads the pages of a list, once for each path.
func (r *Resolver) pages(k kind, row api.Row, path map[string]string, query url.Values) (items []item, err error) {
	c, err := r.app.Client(r.cmd)
	if err != nil {
		return nil, err
	}
	if row.IsList() {
		query.Set("limit", strconv.Itoa(api.MaxLimit))
	}
	first, err := client.Build(row, path, query, nil)
	if err != nil {
		return nil, app.Usagef("%v", err)
	}
	read := first.Path + " " + k.only
	if items, ok := r.lists[read]; ok {
		return items, nil
	}
	for {
		response, err := c.Do(r.cmd.Context(), first)
		if err != nil {
			return nil, err
		}
		var page struct {
			Items []map[string]any `json:"items"`
			Pages []map[string]any `json:"pages"`
			Next  *api.Next        `json:"next"`
		}
		if err := json.Unmarshal(response.Body, &page); err != nil {
			return nil, err
		}
		items = appendItems(items, k, append(page.Items, page.Pages...))
		if r.brief || page.Next == nil || page.Next.Page == "" || page.Next.Page == first.Query.Get("page") {
			r.lists[read] = items
			return items, nil
		}
		first.Query.Set("page", page.Next.Page)
	}
}

// appendItems appends the items of a list, and the pages below them.
func appendItems(items []item, k kind, objects []map[string]any) []item {
	for _, object := range objects {
		if k.only != "" && Member(object, "kind") != k.only {
			continue
		}
		it := item{id: Member(object, cmp.Or(k.id, "id"))}
		if k.title != "" {
			it.title = Member(object, k.title)
		}
		for _, form := range k.forms {
			if text := Member(object, form); text != "" {
				it.forms = append(it.forms, text)
			}
		}
		items = append(items, it)
		below, _ := object["pages"].([]any)
		for _, page := range below {
			if inner, ok := page.(map[string]any); ok {
				items = appendItems(items, k, []map[string]any{inner})
			}
		}
	}
	return items
}

// Member returns the text of the member at a dotted path of an object, or "".
func Member(object map[string]any, path string) string {
	name, rest, nested := strings.Cut(path, ".")
	if nested {
		inner, _ := object[name].(map[string]any)
		return Member(inner, rest)
	}
	switch value := object[name].(type) {
	case string:
		return value
	case float64:
		return fmt.Sprint(value)
	}
	return ""
}

// matching returns the items that have a name: those with the title, a title with the same folded form, or another form. After
// titlePrefix only the title itself is compared; a slash at the beginning is that of a path, which has no folded form.
func matching(items []item, text string) (found []item) {
	exact, isExact := strings.CutPrefix(text, titlePrefix)
	folded, plain := names.Fold(text), strings.Trim(text, "/")
	if strings.HasPrefix(text, "/") {
		folded = ""
	}
	for _, it := range items {
		switch {
		case it.title == text, isExact && it.title == exact,
			!isExact && folded != "" && it.title != "" && names.Fold(it.title) == folded,
			!isExact && slices.ContainsFunc(it.forms, func(form string) bool { return form == plain || form == text || "@"+form == text }):
			found = append(found, it)
		}
	}
	return found
}

// uniqueName returns the shortest name that finds only an item, or its id.
func uniqueName(subject string, items []item, it item) string {
	forms := append(slices.Clone(it.forms), names.Fold(it.title))
	switch subject {
	case "page", "file", "siteSection", "siteSpace":
		for _, path := range it.forms {
			forms = append(forms, "/"+path)
		}
	}
	if it.title != "" {
		forms = append(forms, titlePrefix+it.title)
	}
	for _, form := range forms {
		if form == "" || !isPlain(subject, form) {
			continue
		}
		if found := matching(items, form); len(found) == 1 && found[0].id == it.id {
			return form
		}
	}
	return it.id
}

// isPlain reports whether a name is taken as it is, and not for an id, a name in another resource, a URL or a flag. Commas separate
// names.
func isPlain(subject, name string) bool {
	if subject == "changeRequest" {
		return true
	}
	rest, at, err := Split(subject, name, "")
	return err == nil && rest == name && len(at) == 0 && !IsID(subject, name) && !strings.HasPrefix(name, "-") &&
		!strings.HasPrefix(name, idPrefix) && !strings.Contains(name, ",")
}
