package comments

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// listCommenters lists the members with comments on a space or change request, for filtering a list of comments. It
// returns a forbidden error if the caller is a guest.
func (s *Service) listCommenters(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestCommentersInput,
) rest.Finish[api.Page[api.Member]] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	w := r.NewPager(in.ListOptions, false)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Member]], err error) {
		if !c.Caller.Role.AtLeast(api.RoleRead) {
			return none, rest.Forbidden(auth.Need{Role: api.RoleRead}, "this organization", c.Caller.Role)
		}
		if _, _, err := p.Get(); err != nil {
			return none, err
		}
		if w.Err != nil {
			return none, w.Err
		}
		commenters, seen, err := s.commenters(ctx, c, target.HeadID())
		if err != nil {
			return none, err
		}
		page, next := w.Slice(commenters, rest.OldestFirst)
		items, err := s.Orgs.EncodeMembers(ctx, c, page, seen, nil)
		if err != nil {
			return none, err
		}
		return rest.PageOf[api.Member](items, len(commenters), next)
	}
}

// commenters returns the members with comments on a target, and the time each was last seen.
func (s *Service) commenters(ctx context.Context, c *rest.Call, target string) (found []string, seen map[string]string, err error) {
	var users []string
	c.Access(func(model *access.Model) { users = slices.Sorted(maps.Keys(model.MemberIDs())) })
	b := s.Store.NewBatch()
	comments := make([]*txn.Reply[int64], len(users))
	for i, user := range users {
		comments[i] = b.Cardinality(store.CommentsKey(c.Org, target, store.AuthorFilter(user)))
	}
	times := b.Fields(store.SeenKey(c.Org), users...)
	if err := b.Do(ctx); err != nil {
		return nil, nil, fmt.Errorf("read who commented: %w", err)
	}
	for i, user := range users {
		if comments[i].Value() > 0 {
			found = append(found, user)
		}
	}
	return found, times.Value(), nil
}
