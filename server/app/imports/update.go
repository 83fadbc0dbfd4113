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
	"docspace.dev/wsd/server/text/divide"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
)

// update is the merge of one import into a worktree: the last import, the incoming content, and the result.
type update struct {
	draft  *revision.Worktree
	source revision.Source
	now    api.Time
	body   givenImport

	fetched importer.Result
	split   func(page *importer.Page, earlier []divide.PreviousPart) []importer.Part
	newID   func(prefix string) string
	unread  map[string]bool // paths of fetched.Unread
	last    lastImport
	parent  string          // page to import below; "" for the root
	pages   []*incomingPage // parents first, in the order of the source
	files   []*incomingFile

	adopted       map[string]bool       // pages that had no source
	divisions     map[string]*splitPage // by id of the page
	partTexts     map[string]*partText  // by id of the new part
	lost          map[string]bool       // pages whose base cannot be read
	current       map[string]revision.File
	held          map[string]bool // pages and files that stay unchanged because of a conflict
	resolutions   merge.Resolutions
	openConflicts []merge.Conflict // conflicts of held pages and files
	result        api.ImportResult

	versions [3]*revision.Tree // sides of the merge: base, current, incoming
}

// plan merges the fetched content into the current head, at the root or below a page, as the next revision.
func (s *Service) plan(ctx context.Context, c *rest.Call, target revision.Target, body givenImport, fetched importer.Result,
	below string,
) (*update, error) {
	head, err := s.Revisions.ReadHead(ctx, c.Org, target)
	if err != nil {
		return nil, err
	}
	d, err := s.Revisions.OpenWorktree(ctx, target.Space, head)
	if err != nil {
		return nil, err
	}
	if below != "" && d.BaseTree.Page(below) == nil {
		return nil, pageNotFoundError()
	}
	sources, err := d.SourceMap(ctx)
	if err != nil {
		return nil, err
	}
	u := &update{
		parent: below,
		draft:  d, now: api.At(s.Clock()), body: body, fetched: fetched, split: s.split, newID: s.IDs.New, unread: map[string]bool{},
		adopted: map[string]bool{}, divisions: map[string]*splitPage{}, partTexts: map[string]*partText{}, lost: map[string]bool{},
		held: map[string]bool{}, current: map[string]revision.File{}, resolutions: merge.Resolutions{},
	}
	u.fetched.Notes = slices.Clone(fetched.Notes)
	for _, missed := range fetched.Unread {
		u.unread[normalizePath(missed.Path)] = true
	}
	if u.source, err = s.findSource(c, target.Space, sources, body.Import); err != nil {
		return nil, err
	}
	files, err := s.Revisions.Files(ctx, d.Content, head.Files)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		u.current[f.ID] = f
	}
	base, err := s.readBase(ctx, c, target.Space, head, body.Revision)
	if err != nil {
		return nil, err
	}
	u.last = u.findLastImport(sources, files, base)
	for _, step := range []func(context.Context) error{u.matchPages, u.checkCoverage, u.divide, u.mergePages, u.mergeFiles} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.removeMissing(ctx, c, target, u); err != nil {
		return nil, err
	}
	if err := s.findUndone(ctx, c.Caller.User, u); err != nil {
		return nil, err
	}
	return u, s.finish(ctx, c, target, u)
}

// isComplete reports whether unmatched objects are missing in the source: the import was not cut short and covers the
// whole source rather than one document.
func (u *update) isComplete() bool {
	oneDocument := u.body.Source == api.ImportHTML || u.body.Source == api.ImportMarkdown
	return !u.fetched.Truncated && !oneDocument
}

// finish updates the source's record if the import changes anything, and completes the result.
func (s *Service) finish(ctx context.Context, c *rest.Call, target revision.Target, u *update) (err error) {
	was, known := u.last.source()
	if u.source.Summary = u.summary(); !known || !u.draft.IsEmpty() || !was.Summary.Equal(u.source.Summary) {
		u.source.ImportedAt = u.now
		if err := u.draft.PutSource(u.source); err != nil {
			return err
		}
	}
	if err := u.draft.Check(u.body.field()); err != nil {
		return err
	}
	u.result.ImportedResources, u.result.TotalResources, u.result.Notes = u.fetched.Imported, u.fetched.Total, u.fetched.Notes
	u.result.Source = u.source.ID
	if u.result.Conflicts, err = s.describeConflicts(ctx, c, target, u); err != nil {
		return err
	}
	for _, list := range []*[]api.ImportedResource{
		&u.result.Created, &u.result.Updated, &u.result.Conflicting, &u.result.Gone, &u.result.Kept,
	} {
		if *list == nil {
			*list = []api.ImportedResource{}
		}
	}
	if u.result.Undone == nil {
		u.result.Undone = []api.UndonePage{}
	}
	u.result.BrokenLinks, err = s.brokenLinks(ctx, u)
	return err
}

// summary stages the SUMMARY.md of the source and returns its record, nil without one. The import of a single document
// leaves it as it is.
func (u *update) summary() *revision.SourceSummary {
	switch {
	case u.body.Source != api.ImportZip:
		return u.source.Summary
	case u.fetched.SummaryPath == "":
		return nil
	}
	return &revision.SourceSummary{
		Path: normalizePath(u.fetched.SummaryPath), Text: u.draft.Content.Stage(objects.NewBlob(u.fetched.Summary)),
	}
}

// findSource returns the source of a space that an import belongs to, or a new one.
func (s *Service) findSource(c *rest.Call, space string, known revision.SourceMap, body api.Import) (revision.Source, error) {
	source, ok := known.Find(body.Name)
	switch {
	case ok:
	case strings.HasPrefix(body.Name, revision.SourcePrefix):
		return source, api.InvalidField("name", "is not the id of a source of the space")
	case len(known.Sources) >= revision.MaxSources:
		return source, api.InvalidField("name", "would be source %d of the space; it has at most %d", len(known.Sources)+1,
			revision.MaxSources).
			WithHint("Name one of the sources that are there: wsctl sources list --space %s", space)
	default:
		source = revision.Source{ID: s.IDs.New(revision.SourcePrefix), Name: body.Name}
	}
	source.Kind, source.Address, source.Author = api.SourceKind(body.Source), redactURL(body.URL), c.Caller.User
	return source, nil
}

// redactURL returns the address without user and query, which may be secret.
func redactURL(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// checkCoverage returns an error if the import matches less than half of the source's pages: it is probably another
// source.
func (u *update) checkCoverage(context.Context) error {
	again, of := 0, 0
	count := func(id, at string) {
		switch {
		case u.last.claimed[id]:
			again++
		case u.unread[at] || u.last.removed[id] || u.last.isLater(id):
			return
		}
		of++
	}
	for id, p := range u.last.pages {
		if p.Origin.Part == "" {
			count(id, p.Origin.Path)
		}
	}
	for id, f := range u.last.files {
		count(id, f.Origin.Path)
	}
	if u.body.Force || 2*again >= of {
		return nil
	}
	return api.Errorf(http.StatusConflict, api.ReasonConflict, "Only %d of the %d pages and files that the source had were found again.",
		again, of).
		WithHint("Is this the source? Nothing was changed. force goes on nevertheless.")
}

// notePages adds pages to a list of the result.
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
