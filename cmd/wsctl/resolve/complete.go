package resolve

import (
	"net/url"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// Completion is a name that can be typed, its id, and the title of what it names.
type Completion struct{ Name, ID, Title string }

// Complete returns a name of every resource of a subject that the caller sees: the shortest that names only this one, or its id.
// scope is that of Add. Without a space, change requests are those of the review queue, and pages and files are completed by
// the names of spaces, each with a colon.
func (r *Resolver) Complete(subject string, scope Scope) ([]Completion, error) {
	k, ok := kindOf(subject)
	switch {
	case !ok:
		return nil, nil
	case scope("space") != "":
	case subject == "changeRequest":
		return r.completeQueue(scope)
	case subject == "page" || subject == "file":
		spaces, err := r.Complete("space", scope)
		for i, c := range spaces {
			if strings.HasPrefix(c.Name, titlePrefix) { // it would be taken for the title of a page
				spaces[i].Name = c.ID
			}
			spaces[i].Name += ":"
		}
		return spaces, err
	}
	items, err := r.list(k, scope)
	if err != nil {
		return nil, err
	}
	all := make([]Completion, len(items))
	for i, it := range items {
		all[i] = Completion{Name: uniqueName(subject, items, it), ID: it.id, Title: it.title}
	}
	if k.named == api.NameSpace || k.named == api.NameCollection {
		err = r.addPaths(k, all, scope)
	}
	return all, err
}

// addPaths replaces ids and exact titles in the place of names by paths, which names.find knows.
func (r *Resolver) addPaths(k kind, all []Completion, scope Scope) error {
	var query []api.Name
	paths := map[string]string{} // by id
	for _, c := range all {
		name := api.Name{Kind: k.named, Name: titlePrefix + c.Title}
		if (c.Name == c.ID || strings.HasPrefix(c.Name, titlePrefix)) && c.Title != "" && !slices.Contains(query, name) {
			query = append(query, name)
		}
	}
	if len(query) == 0 {
		return nil
	}
	organization, err := r.organization(scope)
	if err != nil {
		return err
	}
	c, err := r.app.Client(r.cmd)
	if err != nil {
		return err
	}
	list, err := FindNames(r.cmd.Context(), c, organization, query[:min(len(query), api.MaxNames)])
	if err != nil {
		return err
	}
	for _, matches := range list {
		for _, m := range matches.Found {
			paths[m.ID] = m.Name
		}
	}
	for i := range all {
		if name := paths[all[i].ID]; name != "" {
			all[i].Name = name
		}
	}
	return nil
}

// completeQueue returns the change requests of the review queue as SPACE#N.
func (r *Resolver) completeQueue(scope Scope) ([]Completion, error) {
	spaces, err := r.Complete("space", scope)
	if err != nil {
		return nil, err
	}
	organization, err := r.organization(scope)
	if err != nil {
		return nil, err
	}
	queue := kind{id: "space", title: "subject", forms: []string{"number"}}
	items, err := r.pages(queue, api.ListChangeRequestQueue.Row, map[string]string{"organizationId": organization}, url.Values{})
	if err != nil {
		return nil, err
	}
	var all []Completion
	for _, it := range items {
		space := it.id
		if at := slices.IndexFunc(spaces, func(c Completion) bool { return c.ID == space }); at >= 0 {
			space = spaces[at].Name
		}
		if len(it.forms) > 0 {
			all = append(all, Completion{Name: space + "#" + it.forms[0], ID: it.id + "#" + it.forms[0], Title: it.title})
		}
	}
	return all, nil
}
