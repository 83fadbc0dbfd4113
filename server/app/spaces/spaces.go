package spaces

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) spaceEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListSpaces, auth.Member(), s.listSpaces),
		rest.Write(api.CreateSpace, auth.Member(), s.createSpace).On(rest.Organization),
		rest.Read(api.GetSpace, auth.InSpace(api.RoleRead).WithTrash().WithVisitors(), s.GetSpace),
		rest.Write(api.UpdateSpace, auth.InSpace(api.RoleCreate), s.updateSpace).On(rest.Space),
		rest.Write(api.DeleteSpace, auth.InSpace(api.RoleCreate),
			s.deleteSpace).On(rest.Space).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Write(api.RestoreSpace, auth.InSpace(api.RoleCreate).WithTrash(), s.restoreSpace).On(rest.Space),
		rest.Op(api.GetSpaceGitInfo, auth.InSpace(api.RoleRead), func(
			context.Context, *rest.Call, api.SpaceRef,
		) (rest.Result[api.GitSync], error) {
			return rest.Result[api.GitSync]{}, api.Errorf(http.StatusNotFound, api.ReasonNotFound,
				"The space is not synchronized with git: wsd has no git synchronization.")
		}),
		rest.Write(api.MoveSpace, auth.InSpace(api.RoleCreate), s.moveSpace).On(rest.Space),
	}
}

// Defaults of a new space.
const (
	defaultSpaceTitle = "Untitled"
	defaultSpaceEmoji = "📘"
)

// listSpaces lists the spaces that the caller may read. Its cost depends on the size of the page, not of the
// organization.
func (s *Service) listSpaces(ctx context.Context, c *rest.Call, in api.ListSpacesInput) (rest.Result[api.Page[api.Space]], error) {
	w := c.NewPager(in.ListOptions, false)
	if w.Err != nil {
		return rest.Result[api.Page[api.Space]]{}, w.Err
	}
	var page []string
	var count int
	var next string
	c.Access(func(model *access.Model) {
		v := access.NewViewer(model, c.Caller)
		count = v.CountSpaces()
		page, next = w.Cut(v.After(model.SpaceIDs(), w.After, w.Size+1, rest.OldestFirst))
	})
	return s.spaceList(ctx, c, page, count, next)
}

// listCollectionSpaces lists the spaces of a collection in their order.
func (s *Service) listCollectionSpaces(ctx context.Context, c *rest.Call,
	in api.ListCollectionSpacesInput,
) (rest.Result[api.Page[api.Space]], error) {
	w := c.NewPager(in.ListOptions, false)
	if w.Err != nil {
		return rest.Result[api.Page[api.Space]]{}, w.Err
	}
	var page []string
	var count int
	var next string
	c.Access(func(model *access.Model) {
		members := access.NewViewer(model, c.Caller).Visible(model.SpacesIn(in.Collection))
		for i, id := range members {
			members[i] = txn.OrderMember(model.Entry(id).Order, id)
		}
		count = len(members)
		page, next = w.Slice(members, rest.OldestFirst)
	})
	for i, member := range page {
		_, page[i], _ = txn.SplitOrderMember(member)
	}
	return s.spaceList(ctx, c, page, count, next)
}

func (s *Service) spaceList(ctx context.Context, c *rest.Call, page []string, count int, next string) (rest.Result[api.Page[api.Space]],
	error,
) {
	items, err := s.encodeSpaces(ctx, c, page)
	if err != nil {
		return rest.Result[api.Page[api.Space]]{}, err
	}
	return rest.PageOf[api.Space](items, count, next)
}

// encodeSpaces reads spaces and returns their JSON.
func (s *Service) encodeSpaces(ctx context.Context, c *rest.Call, ids []string) (items [][]byte, err error) {
	found, err := s.View.ReadSpaces(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	items = make([][]byte, 0, len(ids))
	c.Access(func(model *access.Model) {
		for _, id := range ids {
			if space, ok := found[id]; ok {
				item, e := s.View.Space(c, model, id, space.Record.Public, space.State).Bytes()
				items, err = append(items, item), errors.Join(err, e)
			}
		}
	})
	return items, err
}

// SpaceResult returns the response with a space. n is its access entry after a write, or nil after a read.
func (s *Service) SpaceResult(c *rest.Call, id string, r txn.Record, state view.SpaceState, n *store.Entry) (rest.Result[api.Space],
	error,
) {
	var result rest.Result[api.Space]
	var err error
	c.Access(func(model *access.Model) {
		if n != nil {
			model = model.With(id, *n)
		}
		result, err = rest.ObjectResult[api.Space](s.View.Space(c, model, id, r.Public, state))
	})
	result.ID = id
	return result.WithVersion(rest.RecordVersion(r)), err
}

// GetSpace returns a space. Other operations also call it, to resolve content references.
func (s *Service) GetSpace(ctx context.Context, r *rest.Request, b *txn.Batch, in api.GetSpaceInput) rest.Finish[api.Space] {
	space := b.Record(store.SpaceKey(r.Org, in.Space))
	head, counts := b.Field(store.HeadsKey(r.Org), in.Space), b.Field(txn.CountsKey(r.Org), in.Space)
	return func(_ context.Context, c *rest.Call) (rest.Result[api.Space], error) {
		record, ok, err := space.Get()
		if err != nil || !ok {
			return rest.Result[api.Space]{}, rest.NotFoundIfNil(err)
		}
		headText := head.Value()
		countsText := counts.Value()
		state, err := view.ParseSpaceState(headText, countsText)
		if err != nil {
			return rest.Result[api.Space]{}, err
		}
		return s.SpaceResult(c, in.Space, record, state, nil)
	}
}

func (s *Service) createSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateSpaceInput) (rest.Result[api.Space], error) {
	if err := s.CheckParent(c, tx, in.Body.Parent); err != nil {
		return rest.Result[api.Space]{}, err
	}
	space, record, head, err := s.NewSpace(ctx, c, tx, in.Body)
	if err != nil {
		return rest.Result[api.Space]{}, err
	}
	n := AccessEntry(space)
	result, err := s.SpaceResult(c, space.Fields.ID, record, view.SpaceState{Head: head}, &n)
	return result.WithLocation(space.Fields.ID, s.View.SpaceURL(space.Fields.ID)), err
}

// NewSpace stores a new space with its first revision, which contains the given pages.
func (s *Service) NewSpace(ctx context.Context, c *rest.Call, tx *store.Tx, body api.SpaceCreate,
	pages ...SamplePage,
) (space store.SpaceDocument, r txn.Record, head store.Head, err error) {
	id := tx.NewID(txn.HomePrefix(txn.SpacePrefix, c.Org))
	if space, err = tx.Space(c.Org, id); err != nil {
		return space, r, head, err
	}
	inherit := api.LevelInherit
	space.Fields = api.SpaceFields{
		Object: "space", ID: id, Title: cmp.Or(body.Title, defaultSpaceTitle), Emoji: cmp.Or(body.Emoji, defaultSpaceEmoji),
		CreatedAt: api.At(tx.Now()), EditMode: cmp.Or(body.EditMode, api.EditLocked), Organization: c.Org, DefaultLevel: &inherit,
		Icon: body.Icon, Language: body.Language,
	}
	space.Private.Creator = c.Caller.User
	if err = tx.MoveSpace(&space, body.Parent, txn.Position{}); err != nil {
		return space, r, head, err
	}
	draft := s.Revisions.NewWorktree(id, store.Head{})
	for _, p := range pages {
		if err = p.addTo(ctx, draft, tx); err != nil {
			return space, r, head, err
		}
	}
	if head, err = draft.Commit(ctx, revision.Revision{Type: api.RevisionEdits, Author: c.Caller.User, CreatedAt: tx.Now()}); err != nil {
		return space, r, head, err
	}
	tx.Objects(id, draft.Content.Staged(revision.ObjectHash(head.Revision))...)
	tx.SetHead(c.Org, id, head)
	tx.CountSpace(c.Org, id)
	r, err = tx.PutSpace(space)
	return space, r, head, err
}

// AccessEntry returns the access entry of a space.
func AccessEntry(space store.SpaceDocument) store.Entry {
	n := store.Entry{
		Parent: space.Fields.Parent, Level: space.Fields.DefaultLevel, Creator: space.Private.Creator, Teams: space.Private.Teams,
	}
	if !space.Fields.DeletedAt.IsZero() {
		n.Deleted = space.Fields.DeletedAt.UnixMilli()
	}
	return n
}

// LoadSpace reads a space and its state in a transaction. It returns not_found if there is none.
func LoadSpace(c *rest.Call, tx *store.Tx, id string) (space store.SpaceDocument, state view.SpaceState, err error) {
	err = tx.Prefetch(store.SpaceKey(c.Org, id), store.HeadsKey(c.Org).Field(id), txn.CountsKey(c.Org).Field(id))
	if err != nil {
		return space, state, err
	}
	if space, err = tx.Space(c.Org, id); err != nil || space.Version == 0 {
		return space, state, rest.NotFoundIfNil(err)
	}
	head, _, err := tx.Field(store.HeadsKey(c.Org), id)
	if err != nil {
		return space, state, err
	}
	counts, _, err := tx.Field(txn.CountsKey(c.Org), id)
	if err != nil {
		return space, state, err
	}
	state, err = view.ParseSpaceState(head, counts)
	return space, state, err
}

// putSpace stores a space if it changed and returns the response with it.
func (s *Service) putSpace(c *rest.Call, tx *store.Tx, space store.SpaceDocument, state view.SpaceState,
	changed bool,
) (rest.Result[api.Space], error) {
	id := space.Fields.ID
	record, _, err := tx.Record(store.SpaceKey(c.Org, id))
	if changed && err == nil {
		state.Head.MovedAt = tx.Now()
		tx.SetHead(c.Org, id, state.Head)
		record, err = tx.PutSpace(space)
	}
	if err != nil {
		return rest.Result[api.Space]{}, err
	}
	n := AccessEntry(space)
	result, err := s.SpaceResult(c, id, record, state, &n)
	result.Unchanged = !changed
	return result, err
}

func (s *Service) updateSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateSpaceInput) (rest.Result[api.Space], error) {
	space, state, err := LoadSpace(c, tx, in.Space)
	if err != nil {
		return rest.Result[api.Space]{}, err
	}
	emoji := in.Body.Emoji
	if emoji.IsNull() {
		emoji = api.Some(defaultSpaceEmoji)
	}
	changed := in.Body.Title.Apply(&space.Fields.Title)
	if changed {
		tx.MarkSearchStale(c.Org, in.Space) // the search of the organization matches titles
	}
	changed = emoji.Apply(&space.Fields.Emoji) || changed
	changed = in.Body.Icon.ApplyNull(&space.Fields.Icon) || changed
	changed = in.Body.Language.ApplyNull(&space.Fields.Language) || changed
	changed = in.Body.EditMode.Apply(&space.Fields.EditMode) || changed
	leveled, err := applyLevel(c, in.Body.DefaultLevel, &space.Fields.DefaultLevel)
	if err != nil {
		return rest.Result[api.Space]{}, err
	}
	changed = leveled || changed
	ruled, err := s.Orgs.ApplyMergeRules(c, in.Body.MergeRules, &space.Fields.MergeRules)
	if err != nil {
		return rest.Result[api.Space]{}, err
	}
	changed = ruled || changed
	return s.putSpace(c, tx, space, state, changed)
}

func (s *Service) moveSpace(ctx context.Context, c *rest.Call, tx *store.Tx, in api.MoveSpaceInput) (none rest.Result[api.Space],
	err error,
) {
	space, state, err := LoadSpace(c, tx, in.Space)
	if err != nil {
		return none, err
	}
	oldParent, oldOrder := space.Fields.Parent, space.Private.Order
	parent, position, err := s.resolveMove(c, tx, in.Space, oldParent, in.Body)
	if err != nil {
		return none, err
	}
	if err := s.checkMoves(c, in.Space, oldParent, oldOrder, parent, position); err != nil {
		return none, err
	}
	if err := tx.MoveSpace(&space, parent, position); err != nil {
		return none, MoveError(err)
	}
	return s.putSpace(c, tx, space, state, true)
}
