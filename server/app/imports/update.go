package imports

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/web/rest"
)

// update is one import on its way into a worktree: what the source brought the last time, what it brings now, and what
// the answer says of it.
type update struct {
	draft  *revision.Worktree
	source revision.Source
	now    api.Time
	body   api.Import

	fetched importer.Result
	split   func(page *importer.Page, earlier []importer.Earlier) []importer.Part
	newID   func(prefix string) string
	unread  map[string]bool // paths of fetched.Unread
	before  brought
	below   string     // the page that what comes is put below; "" = the root
	pages   []*arrival // parents first, in the order of the source
	files   []*fileArrival

	adopted map[string]bool      // pages that were of no source
	divided map[string]*division // by id of the page
	pieces  map[string]*piece    // by id of the new part
	lost    map[string]bool      // pages whose base cannot be read any more
	held    map[string]bool      // pages and files in conflict, which stay as they are
	answers merge.Resolutions
	open    []merge.Conflict // of what is held
	answer  api.ImportResult

	versions [3]*revision.Tree // that were merged: the base, here, and all that came
}

// plan builds the next revision: the head of the moment with what was fetched merged into it, at the root or below a page.
func (s *Service) plan(ctx context.Context, c *rest.Call, at revision.Target, body api.Import, fetched importer.Result, below string) (*update, error) {
	head, err := s.Revisions.ReadHead(ctx, c, at)
	if err != nil {
		return nil, err
	}
	d, err := s.Revisions.OpenWorktree(ctx, at.Space, head)
	if err != nil {
		return nil, err
	}
	if below != "" && d.Start.Page(below) == nil {
		return nil, errNoPage()
	}
	sources, err := d.SourceMap(ctx)
	if err != nil {
		return nil, err
	}
	u := &update{
		below: below,
		draft: d, now: api.At(s.Clock()), body: body, fetched: fetched, split: s.split, newID: s.IDs.New, unread: map[string]bool{},
		adopted: map[string]bool{}, divided: map[string]*division{}, pieces: map[string]*piece{}, lost: map[string]bool{}, held: map[string]bool{}, answers: merge.Resolutions{},
	}
	u.fetched.Notes = slices.Clone(fetched.Notes)
	for _, missed := range fetched.Unread {
		u.unread[sourcePath(missed.Path)] = true
	}
	if u.source, err = s.sourceOf(c, sources, body); err != nil {
		return nil, err
	}
	files, err := s.Revisions.Files(ctx, d.Content, head.Files)
	if err != nil {
		return nil, err
	}
	u.before = u.broughtBefore(sources, files)
	for _, step := range []func(context.Context) error{u.identify, u.foundAgain, u.divide, u.mergePages, u.mergeFiles} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.removeGone(ctx, c, at, u); err != nil {
		return nil, err
	}
	return u, s.finish(ctx, c, at, u)
}

// complete reports whether what was not found is gone: the import came to its end, and read all of the source rather than
// one document.
func (u *update) complete() bool {
	oneDocument := u.body.Source == api.ImportHTML || u.body.Source == api.ImportMarkdown
	return !u.fetched.Cut && !oneDocument
}

// finish notes the source itself, where the import changes anything, and makes the answer.
func (s *Service) finish(ctx context.Context, c *rest.Call, at revision.Target, u *update) (err error) {
	if _, known := u.before.source(); !known || !u.draft.IsEmpty() {
		u.source.At = u.now
		if err := u.draft.PutSource(u.source); err != nil {
			return err
		}
	}
	if err := u.draft.Check("url"); err != nil {
		return err
	}
	u.answer.ImportedResources, u.answer.TotalResources, u.answer.Notes = u.fetched.Imported, u.fetched.Total, u.fetched.Notes
	u.answer.Source = u.source.ID
	if u.answer.Conflicts, err = s.conflicts(ctx, c, at, u); err != nil {
		return err
	}
	for _, list := range []*[]api.ImportedResource{&u.answer.Created, &u.answer.Updated, &u.answer.Conflicting, &u.answer.Gone, &u.answer.Kept} {
		if *list == nil {
			*list = []api.ImportedResource{}
		}
	}
	u.answer.BrokenLinks, err = s.brokenLinks(ctx, u)
	return err
}

// sourceOf finds the source that an import belongs to, or makes it.
func (s *Service) sourceOf(c *rest.Call, known revision.SourceMap, body api.Import) (revision.Source, error) {
	source, ok := known.Find(body.Name)
	switch {
	case ok:
	case strings.HasPrefix(body.Name, revision.SourcePrefix):
		return source, api.InvalidField("name", "is not the id of a source of the space")
	case len(known.Sources) >= revision.MaxSources:
		return source, api.InvalidField("name", "would be source %d of the space; it has at most %d", len(known.Sources)+1, revision.MaxSources).
			WithHint("Name one of the sources that are there: sources.list shows them.")
	default:
		source = revision.Source{ID: s.IDs.New(revision.SourcePrefix), Name: body.Name}
	}
	source.Kind, source.Address, source.Author = api.SourceKind(body.Source), addressOf(body.URL), c.Caller.User
	return source, nil
}

// addressOf is an address without what may be secret in it: the user and the query.
func addressOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// foundAgain refuses an import that finds less than half of what the source had: it is probably not that source.
func (u *update) foundAgain(context.Context) error {
	again, of := 0, 0
	count := func(id, at string) {
		switch {
		case u.before.taken[id]:
			again++
		case u.unread[at] || u.before.removed[id]:
			return
		}
		of++
	}
	for id, p := range u.before.pages {
		if p.Origin.Part == "" {
			count(id, p.Origin.Path)
		}
	}
	for id, f := range u.before.files {
		count(id, f.Origin.Path)
	}
	if u.body.Force || 2*again >= of {
		return nil
	}
	return api.Errorf(http.StatusConflict, api.ReasonConflict, "Only %d of the %d pages and files that the source had were found again.", again, of).
		WithHint("Is this the source? Nothing was changed. force goes on nevertheless.")
}

// created, updated and conflicting note in the answer what became of a page.
func (u *update) notePages(list *[]api.ImportedResource, pages ...*revision.Page) {
	for _, p := range pages {
		*list = append(*list, api.ImportedResource{Page: p.ID, Title: p.Name(), Path: p.Origin.Path})
	}
}

func (u *update) noteFile(list *[]api.ImportedResource, f revision.File) {
	*list = append(*list, api.ImportedResource{File: f.ID, Title: f.Name, Path: f.Origin.Path})
}

func (u *update) note(format string, args ...any) {
	u.fetched.Notes = append(u.fetched.Notes, fmt.Sprintf(format, args...))
}
