package pages

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// contentEndpoints returns the operations on the content of spaces and change requests.
func (s *Service) contentEndpoints() []rest.Endpoint {
	read, comment := auth.InSpace(api.RoleRead), auth.InSpace(api.RoleComment)
	return slices.Concat(
		rest.Twins(api.GetContent.Row, read, rest.Read(api.GetChangeRequestContent, comment, s.showRevision)),
		rest.Twins(api.ListContentPages.Row, read, rest.Read(api.ListChangeRequestContentPages, comment, s.showPages)),
		rest.Twins(api.ListContentFiles.Row, read, rest.Read(api.ListChangeRequestContentFiles, comment, s.listFiles)),
		rest.Twins(api.GetContentFile.Row, read, rest.Read(api.GetChangeRequestContentFile, comment, s.showFile)),
		rest.Twins(api.GetContentPage.Row, read, rest.Read(api.GetChangeRequestContentPage, comment, s.showPage)),
		rest.Twins(api.GetContentPageByPath.Row, read, rest.Read(api.GetChangeRequestContentPageByPath, comment, s.showPageByPath)),
		rest.Twins(api.GetContentReusableContent.Row, read, rest.Read(api.GetChangeRequestContentReusableContent, comment, s.showReusable)),
		rest.Twins(api.GetContentMetaLinks.Row, read, rest.Read(api.GetChangeRequestContentMetaLinks, comment, s.showMetaLinks)),
		[]rest.Endpoint{
			rest.Op(api.EditChangeRequestContent, auth.InSpace(api.RoleEdit), s.editContent).MatchHead().On(rest.ChangeRequest),
			rest.Op(api.ApplyContentTemplate, auth.InSpace(api.RoleEdit), applyTemplate).On(rest.Space),
		},
	)
}

func applyTemplate(context.Context, *rest.Call, api.ApplyTemplateInput) (rest.Result[api.None], error) {
	return rest.Result[api.None]{}, api.InvalidField("id", "names no template: this server has none").
		WithHint("Duplicate a space, or import into one.")
}

func (s *Service) showRevision(_ context.Context, r *rest.Request, b *txn.Batch,
	in api.ChangeRequestContentInput,
) rest.Finish[api.Revision] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.Revision], error) {
		head, version, err := p.Get()
		if err != nil {
			return rest.Result[api.Revision]{}, err
		}
		answer, err := s.encodeRevision(ctx, c, target, head.Revision, in.ContentOptions)
		if err != nil {
			return rest.Result[api.Revision]{}, err
		}
		answer.URLs = s.View.HeadURLs(c, target)
		r, err := rest.Value(answer)
		return r.WithVersion(version), err
	}
}

// encodeRevision returns the JSON form of a revision.
func (s *Service) encodeRevision(ctx context.Context, c *rest.Call, target revision.Target, id string, o api.ContentOptions) (api.Revision,
	error,
) {
	content := s.Store.Content(target.Space)
	r, err := s.Revisions.Revision(ctx, content, id)
	if err != nil {
		return api.Revision{}, err
	}
	t, err := s.Revisions.Tree(ctx, content, r.Pages)
	if err != nil {
		return api.Revision{}, err
	}
	files, err := s.Revisions.Files(ctx, content, r.Files)
	if err != nil {
		return api.Revision{}, err
	}
	reusables, err := encodeReusables(ctx, content, r.Reusables, includesMetadata(o))
	if err != nil {
		return api.Revision{}, err
	}
	answer := api.Revision{
		Object: "revision", ID: id, Type: r.Type, Parents: view.OrEmpty(r.Parents), Pages: s.View.Pages(t, target, "", includesMetadata(o)),
		Files: make([]api.File, len(files)), ReusableContents: reusables, Variables: map[string]string{},
		CreatedAt: api.At(r.CreatedAt),
		URLs:      api.RevisionURLs{App: s.View.AppURL("spaces", target.Space)},
	}
	reason := c.AddressReason(target.Space)
	for i, f := range files {
		answer.Files[i] = s.View.File(reason, target.Space, f)
	}
	maps.Copy(answer.Variables, r.Variables)
	if c.Caller.ContentRole.AtLeast(api.RoleComment) {
		answer.Source = r.Source
	}
	if answer.MergedFrom, err = s.Reviews.MergedRequest(ctx, c, target, r); err != nil {
		return answer, err
	}
	return answer, s.expand(ctx, c, target, id, answer.Pages, o)
}

// includesMetadata returns the option metadata, which defaults to true.
func includesMetadata(o api.ContentOptions) bool {
	metadata, given := o.Metadata.Get()
	return metadata || !given
}

func (s *Service) showPages(_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestContentInput) rest.Finish[api.PageTree] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.PageTree], error) {
		head, version, err := p.Get()
		if err != nil {
			return rest.Result[api.PageTree]{}, err
		}
		t, err := s.Revisions.Tree(ctx, s.Store.Content(target.Space), head.Pages)
		if err != nil {
			return rest.Result[api.PageTree]{}, err
		}
		pages := s.View.Pages(t, target, "", includesMetadata(in.ContentOptions))
		if err := s.expand(ctx, c, target, head.Revision, pages, in.ContentOptions); err != nil {
			return rest.Result[api.PageTree]{}, err
		}
		r, err := rest.Value(api.PageTree{Pages: pages})
		return r.WithVersion(version), err
	}
}

func (s *Service) listFiles(_ context.Context, r *rest.Request, b *txn.Batch,
	in api.ChangeRequestFilesInput,
) rest.Finish[api.Page[api.File]] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	w := r.NewPager(in.ListOptions, false)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.File]], err error) {
		head, _, err := p.Get()
		if err != nil {
			return none, err
		}
		page, err := s.filesPage(ctx, c, w, fileTree{target.Space, head.Files})
		if err != nil {
			return none, err
		}
		return rest.Value(page)
	}
}

// fileTree is the map of the files of a revision.
type fileTree struct{ space, root string }

// filesPage returns one page of the list of files in a tree.
func (s *Service) filesPage(ctx context.Context, c *rest.Call, w rest.Pager, t fileTree) (answer api.Page[api.File], err error) {
	if w.Err != nil {
		return answer, w.Err
	}
	files, err := s.Revisions.Files(ctx, s.Store.Content(t.space), t.root)
	if err != nil {
		return answer, err
	}
	ids, byID := make([]string, len(files)), map[string]revision.File{}
	for i, f := range files {
		ids[i], byID[f.ID] = f.ID, f
	}
	page, next := w.Slice(ids, rest.OldestFirst)
	answer = api.Page[api.File]{Next: rest.NextPage(next), Count: len(files), Items: make([]api.File, len(page))}
	reason := c.AddressReason(t.space)
	for i, id := range page {
		answer.Items[i] = s.View.File(reason, t.space, byID[id])
	}
	return answer, nil
}

func (s *Service) showFile(_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestFileInput) rest.Finish[api.File] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.File], error) {
		head, version, err := p.Get()
		if err != nil {
			return rest.Result[api.File]{}, err
		}
		f, err := s.readFile(ctx, c, fileTree{target.Space, head.Files}, in.File)
		if err != nil {
			return rest.Result[api.File]{}, err
		}
		r, err := rest.Value(f)
		return r.WithVersion(version), err
	}
}

// readFile returns a file of a tree. It returns a not_found error if the tree does not contain it.
func (s *Service) readFile(ctx context.Context, c *rest.Call, t fileTree, id string) (none api.File, err error) {
	entries, err := s.Store.Content(t.space).Get(ctx, t.root, id)
	if err != nil {
		return none, fmt.Errorf("file %s: %w", id, err)
	}
	e, ok := entries[id]
	if !ok {
		return none, api.NotFound()
	}
	f, err := revision.DecodeFile(id, e)
	if err != nil {
		return none, err
	}
	return s.View.File(c.AddressReason(t.space), t.space, f), nil
}

// pageRef identifies a page by id or by path.
type pageRef struct{ id, path string }

func (r pageRef) find(t *revision.Tree) (*revision.Page, bool) {
	if r.id == "" {
		return t.ByPath(r.path)
	}
	p := t.Page(r.id)
	return p, p != nil
}

func (s *Service) showPage(_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestPageInput) rest.Finish[api.RevisionPage] {
	return withPage(r, s, b, pageQuery{revision.RequestTarget(in.ChangeRequestRef), pageRef{id: in.Page}, in.PageOptions}, wholePage)
}

func (s *Service) showPageByPath(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestPagePathInput,
) rest.Finish[api.RevisionPage] {
	return withPage(r, s, b, pageQuery{revision.RequestTarget(in.ChangeRequestRef), pageRef{path: in.PagePath}, in.PageOptions}, wholePage)
}

// wholePage returns p unchanged. It is used with withPage.
func wholePage(p api.RevisionPage) api.RevisionPage { return p }

// GetPage queues the reads of a page in b and returns a function that returns the page, without its text. The page is given by
// id or, if id is empty, by path. GetPage is used to resolve addresses.
func (s *Service) GetPage(r *rest.Request, b *txn.Batch, target revision.Target, id, path string) rest.Finish[api.RevisionPage] {
	return withPage(r, s, b, pageQuery{target, pageRef{id: id, path: path}, api.PageOptions{}}, wholePage)
}

// pageQuery names a page of the head of a target, and the form to return it in.
type pageQuery struct {
	target  revision.Target
	ref     pageRef
	options api.PageOptions
}

// withPage returns an operation that loads a page of the head and converts it.
func withPage[Out any](r *rest.Request, s *Service, b *txn.Batch, q pageQuery, of func(api.RevisionPage) Out) rest.Finish[Out] {
	p := s.Revisions.ReadTarget(r.Org, b, q.target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[Out], err error) {
		head, version, err := p.Get()
		if err != nil {
			return none, err
		}
		t, err := s.Revisions.Tree(ctx, s.Store.Content(q.target.Space), head.Pages)
		if err != nil {
			return none, err
		}
		answer, err := s.encodePage(ctx, c, revisionTree{head.Revision, q.target, t}, q.ref, q.options)
		if err != nil {
			return none, err
		}
		r, err := rest.Value(of(answer))
		return r.WithVersion(version), err
	}
}

// revisionTree is the page tree of a revision.
type revisionTree struct {
	id     string // of the revision
	target revision.Target
	tree   *revision.Tree
}

// encodePage returns the JSON form of a stored or generated page of a revision.
func (s *Service) encodePage(ctx context.Context, c *rest.Call, t revisionTree, ref pageRef, o api.PageOptions) (api.RevisionPage, error) {
	if found, ok := ref.find(t.tree); ok {
		return s.encodeStoredPage(ctx, c, t, found, o)
	}
	return s.computedPage(ctx, c, t, ref, o)
}

// encodeStoredPage returns the JSON form of a page of the tree, with its text if the options include it.
func (s *Service) encodeStoredPage(
	ctx context.Context, c *rest.Call, t revisionTree, p *revision.Page, o api.PageOptions,
) (api.RevisionPage, error) {
	shown := []api.RevisionPage{s.View.Page(t.tree, t.target, p, includesMetadata(o.ContentOptions))}
	if err := s.expand(ctx, c, t.target, t.id, shown, o.ContentOptions); err != nil {
		return shown[0], err
	}
	if o.Format == "" || p.Type != api.PageDocument {
		return shown[0], nil
	}
	objects := s.Store.Content(t.target.Space)
	text, err := revision.ReadText(ctx, objects, p.Text, p.Blocks)
	if err != nil {
		return shown[0], err
	}
	written, err := s.renderText(ctx, objects, t.id, p, text, o)
	written.addTo(&shown[0], o.Format)
	return shown[0], err
}

func (s *Service) showReusable(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestReusableContentInput,
) rest.Finish[api.ReusableContent] {
	target, id := revision.RequestTarget(in.ChangeRequestRef), in.ReusableContent
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, _ *rest.Call) (none rest.Result[api.ReusableContent], err error) {
		head, version, err := p.Get()
		if err != nil {
			return none, err
		}
		objects := s.Store.Content(target.Space)
		r, err := s.Revisions.Revision(ctx, objects, head.Revision)
		if err != nil {
			return none, err
		}
		found, err := revision.ReadReusables(ctx, objects, r.Reusables, id)
		if err != nil || found[id] == nil {
			return none, rest.NotFoundIfNil(err)
		}
		answer := encodeReusable(found[id], includesMetadata(in.ContentOptions))
		if in.Format != "" {
			text, err := revision.ReadText(ctx, objects, found[id].Text, found[id].Blocks)
			if err != nil {
				return none, err
			}
			answer.Markdown = new(string(text.Markdown))
		}
		result, err := rest.Value(answer)
		return result.WithVersion(version), err
	}
}

// encodeReusable returns the JSON form of a reusable content, without its text.
func encodeReusable(p *revision.Page, times bool) api.ReusableContent {
	answer := api.ReusableContent{ID: p.ID, Title: p.Name(), Document: p.Text}
	if times {
		answer.CreatedAt, answer.UpdatedAt = p.CreatedAt, p.UpdatedAt
	}
	return answer
}

// encodeReusables returns the JSON forms of all reusable contents of a revision, by id.
func encodeReusables(ctx context.Context, c *objects.Content, root string, times bool) ([]api.ReusableContent, error) {
	found, err := revision.ReadReusables(ctx, c, root)
	if err != nil {
		return nil, err
	}
	answers := make([]api.ReusableContent, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		answers = append(answers, encodeReusable(found[id], times))
	}
	return answers, nil
}
