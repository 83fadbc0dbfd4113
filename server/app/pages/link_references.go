package pages

import (
	"context"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// linkItem is the JSON form of api.Link. Organizations and spaces are encoded once, as in their own operations, and
// shared by all references.
type linkItem struct {
	Status    api.LinkStatus  `json:"status"`
	Relation  string          `json:"relation"`
	Href      string          `json:"href"`
	Problem   api.LinkProblem `json:"problem,omitzero"`
	Match     api.LinkMatch   `json:"match,omitzero"`
	Target    *reference      `json:"targetReference,omitzero"`
	Locations []reference     `json:"locationReferences"`
}

// reference is the JSON form of api.Reference.
type reference struct {
	Kind             api.ReferenceKind     `json:"kind"`
	Organization     json.RawMessage       `json:"organization,omitempty"`
	Space            json.RawMessage       `json:"space,omitempty"`
	VersionContext   json.RawMessage       `json:"versionContext,omitempty"`
	Page             *api.RevisionPage     `json:"page,omitzero"`
	InternalLocation *api.InternalLocation `json:"internalLocation,omitzero"`
	File             *api.File             `json:"file,omitzero"`
	Collection       json.RawMessage       `json:"collection,omitempty"`
	OpenAPISpec      json.RawMessage       `json:"openAPISpec,omitempty"`
	URL              string                `json:"url,omitzero"`
}

// linkContext holds the first reads of a request: the objects that contain the links.
type linkContext struct {
	target       revision.Target
	head         revision.TargetRead
	organization rest.Finish[api.Organization]
	space        rest.Finish[api.Space]
	request      rest.Finish[api.ChangeRequest] // nil in a space
}

func (s *Links) newLinkContext(ctx context.Context, r *rest.Request, b *txn.Batch, target revision.Target) *linkContext {
	lc := &linkContext{
		target: target, head: s.Revisions.ReadTarget(r.Org, b, target),
		organization: s.Orgs.GetOrganization(ctx, r, b, api.OrganizationRef{Organization: r.Org}),
		space:        s.Spaces.GetSpace(ctx, r, b, api.GetSpaceInput{Space: target.Space}),
	}
	if target.ChangeRequest != "" {
		lc.request = s.Reviews.Get(ctx, r, b, api.ChangeRequestRef{Space: target.Space, ChangeRequest: target.ChangeRequest})
	}
	return lc
}

// references encodes references to the objects in a graph and to the external targets of its links.
type references struct {
	service      *Links
	target       revision.Target
	reason       access.Reason // for the addresses of files
	graph        *reader.Graph
	organization json.RawMessage
	space        json.RawMessage
	context      json.RawMessage
	external     map[string]json.RawMessage // spaces and collections by id, specifications by slug
	foreignPages map[string]foreignPage     // pages of other spaces, by space and page
}

// foreignPage is a page of another space with the version context of its reference.
type foreignPage struct {
	page    api.RevisionPage
	context json.RawMessage
}

// loadReferences loads the targets of links.
func (s *Links) loadReferences(
	ctx context.Context, c *rest.Call, lc *linkContext, g *reader.Graph, links []reader.Link,
) (*references, error) {
	organization, err := lc.organization(ctx, c)
	if err != nil {
		return nil, err
	}
	space, err := lc.space(ctx, c)
	if err != nil {
		return nil, err
	}
	context, err := s.versionContext(ctx, c, lc)
	if err != nil {
		return nil, err
	}
	r := &references{
		service: s, target: lc.target, reason: c.AddressReason(lc.target.Space), graph: g,
		organization: organization.JSON, space: space.JSON, context: context,
		external: map[string]json.RawMessage{}, foreignPages: map[string]foreignPage{},
	}
	return r, r.loadExternal(ctx, c, links)
}

// versionContext returns the revision or change request that the references belong to.
func (s *Links) versionContext(ctx context.Context, c *rest.Call, lc *linkContext) (json.RawMessage, error) {
	if lc.request != nil {
		request, err := lc.request(ctx, c)
		if err != nil {
			return nil, err
		}
		return rest.ExtendObject([]byte(`{}`)).Set("type", api.ContextChangeRequest).Set("changeRequest",
			json.RawMessage(request.JSON)).Bytes()
	}
	head, _, err := lc.head.Get()
	if err != nil {
		return nil, err
	}
	r, err := s.Revisions.Revision(ctx, s.Store.Content(lc.target.Space), head.Revision)
	if err != nil {
		return nil, err
	}
	mergedFrom, err := s.Reviews.MergedRequest(ctx, c, lc.target, r)
	if err != nil {
		return nil, err
	}
	return s.revisionContext(c, lc.target.Space, head.Revision, r, mergedFrom)
}

func (s *Links) revisionContext(c *rest.Call, space, id string, r revision.Revision, mergedFrom *api.ChangeRequest) (json.RawMessage,
	error,
) {
	return rest.ExtendObject([]byte(`{}`)).Set("type", api.ContextRevision).Set("revision", api.RevisionSummary{
		Object: "revision", ID: id, Type: r.Type, Parents: view.OrEmpty(r.Parents), CreatedAt: api.At(r.CreatedAt), MergedFrom: mergedFrom,
		Pages: []api.RevisionPage{}, Files: []api.File{}, ReusableContents: []api.ReusableContent{},
		URLs: s.View.HeadURLs(c, revision.Target{Space: space}),
	}).Bytes()
}

// loadExternal reads the spaces, collections and pages outside of the space that links lead to.
func (r *references) loadExternal(ctx context.Context, c *rest.Call, links []reader.Link) error {
	b := r.service.Store.NewBatch()
	spaces, collections, specs := map[string]rest.Finish[api.Space]{}, map[string]*txn.Future[txn.Record]{},
		map[string]*txn.Future[txn.Record]{}
	for _, l := range links {
		if !l.Outside || l.Status == api.LinkBroken {
			continue
		}
		if id := l.Target.Space; id != "" {
			spaces[id] = r.service.Spaces.GetSpace(ctx, &c.Request, b, api.GetSpaceInput{Space: id})
		}
		if id := l.Target.Collection; id != "" {
			collections[id] = b.Record(store.CollectionKey(c.Org, id))
		}
		if slug := l.Target.Spec; slug != "" {
			specs[slug] = b.Record(store.OpenAPISpecKey(c.Org, slug))
		}
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read what links lead to: %w", err)
	}
	for id, read := range spaces {
		space, err := read(ctx, c)
		if err != nil {
			return err
		}
		r.external[id] = space.JSON
	}
	for id, future := range collections {
		record, ok, err := future.Get()
		if err != nil || !ok {
			return rest.NotFoundIfNil(err)
		}
		var role api.Role
		c.Access(func(model *access.Model) { role = model.Role(c.Caller, id) })
		collection, err := r.service.Spaces.CollectionResult(id, record, role)
		if err != nil {
			return err
		}
		r.external[id] = collection.JSON
	}
	if err := r.addSpecs(c, specs); err != nil {
		return err
	}
	return r.loadForeignPages(ctx, c, links)
}

// addSpecs encodes the specifications that were read, by slug.
func (r *references) addSpecs(c *rest.Call, specs map[string]*txn.Future[txn.Record]) error {
	for slug, future := range specs {
		record, ok, err := future.Get()
		if err != nil || !ok {
			return rest.NotFoundIfNil(err)
		}
		if r.external[slug], err = r.service.View.Spec(c, slug, record).Bytes(); err != nil {
			return err
		}
	}
	return nil
}

// loadForeignPages reads the pages of other spaces that links lead to.
func (r *references) loadForeignPages(ctx context.Context, c *rest.Call, links []reader.Link) error {
	var spaces []string
	for _, l := range links {
		if l.Outside && l.Target.Page != "" && l.Status != api.LinkBroken {
			spaces = append(spaces, l.Target.Space)
		}
	}
	heads, err := r.service.Links.LoadHeads(ctx, c.Org, spaces)
	if err != nil {
		return err
	}
	for _, l := range links {
		head, known := heads[l.Target.Space]
		if !known || l.Target.Page == "" || l.Status == api.LinkBroken {
			continue
		}
		content := r.service.Store.Content(l.Target.Space)
		state, err := r.service.Revisions.Revision(ctx, content, head.Revision)
		if err != nil {
			return err
		}
		context, err := r.service.revisionContext(c, l.Target.Space, head.Revision, state, nil)
		if err != nil {
			return err
		}
		t, err := r.service.Revisions.Tree(ctx, content, head.Pages)
		if err != nil {
			return err
		}
		if p := t.Page(l.Target.Page); p != nil {
			r.foreignPages[l.Target.Space+l.Target.Page] = foreignPage{
				r.service.pageSummary(t, revision.Target{Space: l.Target.Space}, p), context,
			}
		}
	}
	return nil
}

// pageSummary returns the JSON form of a page with its path in t, but without its children.
func (s *Links) pageSummary(t *revision.Tree, target revision.Target, p *revision.Page) api.RevisionPage {
	alone := revision.NewTree()
	alone.Changed[p.ID] = p
	answer := s.View.Page(alone, target, p, true)
	if answer.Path != "" {
		answer.Path = t.Path(p.ID)
	}
	return answer
}

// targetOf returns a reference to the target of a link, or nil if it has none.
func (r *references) targetOf(l reader.Link) *reference {
	to := l.Target
	ref := &reference{Organization: r.organization, Space: r.space}
	switch to.Kind {
	case api.RefURL:
		return &reference{Kind: api.ReferenceURL, URL: to.URL}
	case api.RefCollection:
		return &reference{Kind: api.ReferenceCollection, Organization: r.organization, Collection: r.external[to.Collection]}
	case api.RefSpace:
		return &reference{Kind: api.ReferenceSpace, Organization: r.organization, Space: r.external[to.Space]}
	case api.RefOpenAPI:
		return &reference{Kind: api.ReferenceOpenAPI, Organization: r.organization, OpenAPISpec: r.external[to.Spec]}
	case api.RefFile:
		f := r.service.View.File(r.reason, r.target.Space, r.graph.Files[to.File])
		ref.Kind, ref.VersionContext, ref.File = api.ReferenceFile, r.context, &f
		return ref
	case api.RefPage, api.RefAnchor:
	}
	if l.Outside {
		there := r.foreignPages[to.Space+to.Page]
		ref.Space, ref.VersionContext, ref.Page = r.external[to.Space], there.context, &there.page
	} else {
		p := r.service.pageSummary(r.graph.Tree, r.target, r.graph.Tree.Page(to.Page))
		ref.VersionContext, ref.Page = r.context, &p
	}
	ref.Kind = api.ReferencePage
	if to.Anchor != "" {
		ref.InternalLocation = &api.InternalLocation{Type: api.LocationAnchor, Anchor: to.Anchor}
	}
	return ref
}

// locations returns references to the blocks that contain a link.
func (r *references) locations(l reader.Link) []reference {
	var places []reference
	for _, block := range l.BlockIDs() {
		places = append(places, r.location(l.Page, block))
	}
	return places
}

// location returns a reference to a block of a page, or to the page if block is empty.
func (r *references) location(page, block string) reference {
	p := r.service.pageSummary(r.graph.Tree, r.target, r.graph.Tree.Page(page))
	ref := reference{Kind: api.ReferencePage, Organization: r.organization, Space: r.space, VersionContext: r.context, Page: &p}
	if block != "" {
		ref.InternalLocation = &api.InternalLocation{Type: api.LocationNode, Node: block}
	}
	return ref
}
