package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// contentEditor applies content operations to a draft. It may build several times, once for each head; ids and
// fetched files stay the same.
type contentEditor struct {
	service       *Service
	target        revision.Target
	changes       []api.ContentChange
	fetchedFiles  map[[2]int]fetchedFile // by operation and file
	ids           map[int]string         // of the pages and reusable contents that operations insert
	fileIDs       map[[2]int]string
	refs          map[string]string          // name in the request -> id
	sources       map[string]string          // name in the request -> id of a source that is new
	pushedSources map[string]revision.Source // by id
	placed        map[string]int             // index of the operation that gave a page its source path, by id of the page
	current       int                        // index of the operation that is applied
	existingFiles map[string]revision.File   // files at the paths of pushed files, by id
	initial       string                     // first revision of the change request
	head          store.Head                 // revision that the operations are applied to

	draft   *revision.Worktree
	now     api.Time
	effects []api.ContentEffect
	files   []api.InsertedFile
}

func newEditor(s *Service, in api.EditContentInput) *contentEditor {
	e := &contentEditor{
		service: s, target: revision.RequestTarget(in.ChangeRequestRef), changes: in.Body.Changes, fetchedFiles: map[[2]int]fetchedFile{},
		ids: map[int]string{}, fileIDs: map[[2]int]string{}, refs: map[string]string{}, sources: map[string]string{},
	}
	for i, change := range e.changes {
		if prefix := idPrefix(change.Operation); prefix != "" {
			e.ids[i] = s.IDs.New(prefix)
			e.bindRef(change.Ref, e.ids[i])
		}
		for j, f := range change.Files {
			e.fileIDs[[2]int{i, j}] = s.IDs.New(revision.FilePrefix)
			e.bindRef(f.Ref, e.fileIDs[[2]int{i, j}])
		}
	}
	return e
}

// idPrefix returns the id prefix of the object that an operation inserts, or "" if it inserts nothing.
func idPrefix(operation api.ContentOperation) string {
	switch operation {
	case api.InsertPage:
		return revision.PagePrefix
	case api.InsertReusableContent:
		return revision.ReusablePrefix
	default:
		return ""
	}
}

func (e *contentEditor) bindRef(ref, id string) {
	if ref != "" {
		e.refs[ref] = id
	}
}

// resolve returns the id of a ref of this request, or the argument if it is not a ref.
func (e *contentEditor) resolve(id string) string { return cmp.Or(e.refs[id], id) }

// build applies the operations to the current head. An error names the operation that failed; in that case none is
// applied.
func (e *contentEditor) build(ctx context.Context, c *rest.Call) error {
	plan, err := e.service.Reviews.LoadMergePlan(ctx, c, api.ChangeRequestRef{Space: e.target.Space, ChangeRequest: e.target.ChangeRequest})
	if err != nil {
		return err
	}
	if err := c.MatchHead(plan.Theirs.Revision); err != nil {
		return err
	}
	e.initial, e.head = plan.Request.Fields.RevisionInitial, plan.Theirs
	if e.draft, err = e.service.Revisions.OpenWorktree(ctx, e.target.Space, plan.Theirs); err != nil {
		return err
	}
	e.now, e.effects, e.files = api.At(e.service.Clock()), nil, nil
	e.pushedSources, e.existingFiles = map[string]revision.Source{}, map[string]revision.File{}
	e.placed = map[string]int{}
	if err := e.matchFiles(ctx); err != nil {
		return err
	}
	for i, change := range e.changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.current = i
		if err := e.apply(ctx, c, i, change); err != nil {
			return revision.PrefixFields(fmt.Sprintf("changes[%d]", i), err)
		}
	}
	if err := e.checkOrigins(); err != nil {
		return err
	}
	if err := e.recordSources(); err != nil {
		return err
	}
	return e.draft.Check("changes")
}

func (e *contentEditor) apply(ctx context.Context, c *rest.Call, i int, change api.ContentChange) error {
	switch change.Operation {
	case api.InsertPage:
		return e.insertPage(ctx, c, e.ids[i], change)
	case api.UpdatePage:
		return e.updatePage(ctx, c, change)
	case api.DeletePage:
		return e.deletePage(change)
	case api.RevertPage:
		return e.revertPage(ctx, c, change)
	case api.InsertFiles:
		return e.insertFiles(ctx, c, i, change)
	case api.DeleteFiles:
		return e.deleteFiles(ctx, change)
	case api.SetVariables:
		return e.setVariables(change)
	case api.InsertReusableContent:
		return e.insertReusable(ctx, e.ids[i], change)
	case api.UpdateReusableContent:
		return e.updateReusable(ctx, change)
	case api.DeleteReusableContent:
		return e.deleteReusable(ctx, change)
	case api.SetSummary:
		return e.setSummary(ctx, c, change)
	}
	return api.InvalidField("operation", "is not known")
}

func (e *contentEditor) addEffect(object, ref, id string) {
	e.effects = append(e.effects, api.ContentEffect{Object: object, Ref: ref, Page: &api.PageRef{
		Object: "page", ID: id, URLs: api.LocationURLs{Location: e.service.View.TargetURL(e.target) + "/content/page/" + id},
	}})
}

// findPage returns a copy of the page with the given id or ref. It returns an error if the change request has no such page.
func (e *contentEditor) findPage(id string) (*revision.Page, error) {
	p := e.draft.Tree.Page(e.resolve(id))
	if p == nil {
		return nil, api.InvalidField("page", "is not a page of the change request")
	}
	next := *p
	return &next, nil
}

func (e *contentEditor) insertPage(ctx context.Context, c *rest.Call, id string, change api.ContentChange) error {
	p := &revision.Page{ID: id, Type: cmp.Or(change.Type, api.PageDocument), CreatedAt: e.now, UpdatedAt: e.now}
	if err := e.setParent(p, change); err != nil {
		return err
	}
	if err := e.setText(ctx, p, change); err != nil {
		return err
	}
	if err := e.setFields(ctx, c, p, change); err != nil {
		return err
	}
	if p.Type != api.PageLink && p.Slug == "" {
		p.Slug = e.draft.UniqueSlug(p.Parent, id, content.Slug(p.Name()))
	}
	if err := e.setOrigin(ctx, c, p, change); err != nil {
		return err
	}
	e.draft.Put(p)
	e.addEffect("created_page", change.Ref, id)
	return nil
}

func (e *contentEditor) updatePage(ctx context.Context, c *rest.Call, change api.ContentChange) error {
	p, err := e.findPage(change.Page)
	if err != nil {
		return err
	}
	before := *p
	if !change.Into.IsZero() || !change.At.IsZero() {
		if err := e.setParent(p, change); err != nil {
			return err
		}
	}
	if err := e.setText(ctx, p, change); err != nil {
		return err
	}
	if err := e.setFields(ctx, c, p, change); err != nil {
		return err
	}
	if p.Parent != before.Parent && p.Slug != "" && change.Slug.IsZero() {
		p.Slug = e.draft.UniqueSlug(p.Parent, p.ID, p.Slug)
	}
	if err := e.setOrigin(ctx, c, p, change); err != nil {
		return err
	}
	if pageChanged(before, *p) {
		p.UpdatedAt = revision.ChangeTime(p.CreatedAt, e.now.Time)
		e.draft.Put(p)
	}
	e.addEffect("updated_page", "", p.ID)
	return nil
}

// pageChanged reports whether the stored forms of two versions of a page differ.
func pageChanged(a, b revision.Page) bool {
	x, errX := a.Entry()
	y, errY := b.Entry()
	return errX != nil || errY != nil || string(x.Value) != string(y.Value)
}

func (e *contentEditor) deletePage(change api.ContentChange) error {
	p, err := e.findPage(change.Page)
	if err != nil {
		return err
	}
	e.draft.Drop(p.ID)
	e.addEffect("deleted_page", "", p.ID)
	return nil
}

// setParent moves a page below the parent given by Into, to the index At among its children.
func (e *contentEditor) setParent(p *revision.Page, change api.ContentChange) error {
	parent := p.Parent
	if into, ok := change.Into.Get(); ok {
		parent = e.resolve(into)
		above := e.draft.Tree.Page(parent)
		switch {
		case above == nil:
			return api.InvalidField("into", "is not a page of the change request")
		case above.Type == api.PageLink || above.Type == api.PageComputed:
			return api.InvalidField("into", "is of type %s, which takes no pages below it", above.Type)
		case above.Type == api.PageGroup && p.Type == api.PageGroup:
			return api.InvalidField("into", "is a group; groups do not nest")
		case slices.Contains(e.draft.Tree.Subtree(p.ID), parent):
			return api.InvalidField("into", "is the page itself or lies below it")
		}
	} else if change.Into.IsNull() {
		parent = ""
	}
	index, given := change.At.Get()
	siblings := len(e.draft.Tree.Children(parent))
	if p.Parent == parent && e.draft.Tree.Page(p.ID) != nil {
		siblings--
	}
	switch {
	case given && index > siblings:
		return api.InvalidField("at", "must be at most %d, the number of siblings, not %d", siblings, index)
	case !given && p.Parent == parent && p.Order != "":
		return nil
	case !given:
		index = -1
	}
	order, err := e.draft.Order(parent, p.ID, index)
	if err != nil {
		return fmt.Errorf("place of %s: %w", p.ID, err)
	}
	p.Parent, p.Order = parent, order
	return nil
}

// setText replaces the text of a page if the change has one. Links to refs become links to ids.
func (e *contentEditor) setText(ctx context.Context, p *revision.Page, change api.ContentChange) error {
	d := change.Document
	if d == nil || d.Markdown.IsZero() && d.Document == nil {
		return nil
	}
	if p.Type != api.PageDocument {
		return api.InvalidField("document", "does not go with a page of type %s", p.Type)
	}
	if d.Document != nil {
		return e.setDocument(ctx, p, d.Document)
	}
	text, _ := d.Markdown.Get()
	return e.setMarkdown(ctx, p, text)
}

// setMarkdown sets the text of a page or reusable content, with refs replaced by ids.
func (e *contentEditor) setMarkdown(ctx context.Context, p *revision.Page, text string) error {
	return e.draft.SetMarkdown(ctx, p, e.replaceRefs([]byte(text)), "document.markdown")
}

// replaceRefs returns the text with refs in links replaced by ids.
func (e *contentEditor) replaceRefs(markdown []byte) []byte {
	if len(e.refs) == 0 {
		return markdown
	}
	markdown = content.RewriteLinks(markdown, e.rewriteLink)
	return content.RewriteIncludes(markdown, func(id string) (string, bool) { to, known := e.refs[id]; return to, known })
}

func (e *contentEditor) rewriteLink(link content.Link) (string, bool) {
	for _, prefix := range []string{"/pages/", "/files/"} {
		rest, ok := strings.CutPrefix(link.Destination, prefix)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "#")
		if id, known := e.refs[name]; known {
			return prefix + id + rest[len(name):], true
		}
	}
	return "", false
}

// result returns the result of the request. With compat it is the change request alone.
func (e *contentEditor) result(request rest.Result[api.ChangeRequest], compat bool) (rest.Result[api.ContentResult], error) {
	if compat {
		r := rest.Result[api.ContentResult]{JSON: request.JSON, ID: request.ID}
		return r.WithVersion(request.Version), nil
	}
	effects := e.effects
	if effects == nil {
		effects = []api.ContentEffect{}
	}
	o := rest.ExtendObject([]byte(`{}`)).Set("object", "content-result").
		Set("changeRequest", json.RawMessage(request.JSON)).Set("changes", effects).
		SetIf(len(e.files) > 0, "insertedFiles", e.files)
	r, err := rest.ObjectResult[api.ContentResult](o)
	r.ID = request.ID
	return r.WithVersion(request.Version), err
}
