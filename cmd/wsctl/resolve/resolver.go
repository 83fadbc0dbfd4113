package resolve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Found is the resource that a name stands for. Version is empty if its kind has none, and for ids.
type Found struct{ ID, Version string }

// Scope returns the id of the resource of a subject in which a name is looked up, such as the space of a page, or "".
type Scope func(subject string) string

// Resolver collects the names of a command, or of several commands of the same kind, to find all of them at once.
type Resolver struct {
	app   *app.App
	cmd   *cobra.Command
	names []lookup
	len   int               // number of texts that are not the ids themselves
	lists map[string][]item // lists that were read, by path
	quiet bool              // whether a name that nothing has is errNone
	brief bool              // whether only the first page of a list is read
}

// lookup is a name to look up.
type lookup struct {
	subject, text string
	scope         Scope
	set           func(Found)
}

// New returns a Resolver for a command.
func New(a *app.App, cmd *cobra.Command) *Resolver {
	return &Resolver{app: a, cmd: cmd, lists: map[string][]item{}}
}

// Add adds a text that stands for a resource of a subject in scope, of which an empty organization is the configured one. Resolve
// calls set with what it names, unless the text is an id already.
func (r *Resolver) Add(scope Scope, subject, text string, set func(Found)) {
	if id, ok := strings.CutPrefix(text, idPrefix); ok && id != "" {
		r.len++
		set(Found{ID: id})
		return
	}
	if HasNames(subject) && text != "" && !IsID(subject, text) {
		r.len++
		r.names = append(r.names, lookup{subject, text, scope, set})
	}
}

// AddList adds the texts of a list with a schema as Add does. Resolve calls set with the list of ids, in which e-mail addresses are
// kept if the list takes them.
func (r *Resolver) AddList(scope Scope, subject string, s *api.Schema, texts []string, set func(ids []string)) {
	ids := slices.Clone(texts)
	for i, text := range texts {
		if s.Emails && isEmail(text) {
			continue
		}
		r.Add(scope, subject, text, func(found Found) {
			ids[i] = found.ID
			set(ids)
		})
	}
}

// Len returns the number of texts that were added and are not ids as they are.
func (r *Resolver) Len() int { return r.len }

// Resolve finds all names: those of spaces, collections, sites, teams and members with one request for each organization, then
// others in their lists. A name that nothing has is an *api.Error, one that several resources have an *app.AmbiguousNameError.
func (r *Resolver) Resolve() error {
	var listed []lookup
	named := map[string][]lookup{} // by organization
	for _, a := range r.names {
		if isURL(a.text) {
			rest, _, err := r.Split(a.subject, a.text)
			if err != nil {
				return err
			}
			if a.text = rest; IsID(a.subject, rest) {
				a.set(Found{ID: rest})
				continue
			}
		}
		switch k, _ := kindOf(a.subject); {
		case a.subject == "organization":
			if err := r.findListed(a); err != nil {
				return err
			}
		case k.named != "":
			organization, err := r.organization(a.scope)
			if err != nil {
				return err
			}
			named[organization] = append(named[organization], a)
		default:
			listed = append(listed, a)
		}
	}
	for _, organization := range slices.Sorted(maps.Keys(named)) {
		if err := r.findNamed(named[organization], organization); err != nil {
			return err
		}
	}
	for _, a := range listed {
		if err := r.findListed(a); err != nil {
			return err
		}
	}
	return nil
}

// organization returns the organization of scope, or the configured one.
func (r *Resolver) organization(scope Scope) (string, error) {
	if id := scope("organization"); id != "" {
		return id, nil
	}
	return r.Organization()
}

// Organization returns the id of the configured organization, which may be configured by its name.
func (r *Resolver) Organization() (string, error) {
	id, err := r.app.Organization(r.cmd)
	if err != nil || IsID("organization", id) {
		return id, err
	}
	return r.Find("organization", id)
}

// Find returns the id of the resource of a subject that a text names, for subjects that are in nothing but an organization.
func (r *Resolver) Find(subject, text string) (id string, err error) {
	one := Resolver{app: r.app, cmd: r.cmd, lists: r.lists}
	id = text
	one.Add(nowhere, subject, text, func(found Found) { id = found.ID })
	err = one.Resolve()
	return id, err
}

// nowhere is the Scope without a resource.
func nowhere(string) string { return "" }

// findNamed finds names in an organization with names.find.
func (r *Resolver) findNamed(named []lookup, organization string) error {
	c, err := r.app.Client(r.cmd)
	if err != nil {
		return err
	}
	same := map[api.Name][]lookup{} // of each name, which may have been added more than once
	var query []api.Name
	for _, a := range named {
		k, _ := kindOf(a.subject)
		name := api.Name{Kind: k.named, Name: a.text}
		if same[name] == nil {
			query = append(query, name)
		}
		same[name] = append(same[name], a)
	}
	for chunk := range slices.Chunk(query, api.MaxNames) {
		list, err := FindNames(r.cmd.Context(), c, organization, chunk)
		if err != nil {
			return explainRefusal(err, chunk)
		}
		for i, name := range chunk {
			if list[i].Count != 1 || len(list[i].Found) != 1 {
				return r.notOne(same[name][0], list[i], organization)
			}
			for _, a := range same[name] {
				a.set(Found{ID: list[i].Found[0].ID, Version: list[i].Found[0].Version})
			}
		}
	}
	return nil
}

// FindNames finds at most api.MaxNames names with one request.
func FindNames(ctx context.Context, c *client.Client, organization string, query []api.Name) ([]api.NameMatches, error) {
	list, err := c.Names.Find(ctx, api.FindNameInput{Organization: organization, Body: api.NameQuery{Names: query}})
	if err == nil && len(list.Items) != len(query) {
		err = fmt.Errorf("the server answered %d of %d names", len(list.Items), len(query))
	}
	return list.Items, err
}

// FindAny returns the id of the resource of any of several subjects that a text names in scope.
func (r *Resolver) FindAny(subjects []string, text string, scope Scope) (id string, err error) {
	var found []app.Candidate
	var nouns []string
	for _, subject := range subjects {
		k, _ := kindOf(subject)
		nouns = append(nouns, k.noun)
		one := Resolver{app: r.app, cmd: r.cmd, lists: r.lists, quiet: true}
		one.Add(scope, subject, text, func(f Found) { found = append(found, app.Candidate{Name: f.ID, ID: f.ID, Title: k.noun}) })
		if err := one.Resolve(); err != nil && !errors.Is(err, errNone) {
			return "", err
		}
	}
	switch len(found) {
	case 0:
		return "", api.Errorf(http.StatusNotFound, api.ReasonNotFound, "no %s is called %q, or you may not see it",
			strings.Join(nouns, " or "), text)
	case 1:
		return found[0].ID, nil
	}
	ambiguous := app.Ambiguousf("%d resources are called %q; say which", len(found), text)
	ambiguous.Candidates = found
	return "", ambiguous
}

// explainRefusal returns a usage error that shows the first name that the server refuses, or other errors as they are.
func explainRefusal(err error, query []api.Name) error {
	refused, ok := api.AsError(err)
	if !ok || len(refused.Fields) == 0 {
		return err
	}
	var at int
	if _, scanErr := fmt.Sscanf(refused.Fields[0].Path, "names[%d].name", &at); scanErr != nil || at >= len(query) {
		return err
	}
	return app.Usagef("%q is not a name of a %s: it %s", query[at].Name, query[at].Kind, refused.Fields[0].Message)
}
