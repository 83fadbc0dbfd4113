package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// contributions counts contributions by user and kind.
type contributions map[string]*contribution

type contribution struct {
	user  string
	kind  api.ContributionType
	count int
	last  api.Time
}

func (c contributions) add(user string, kind api.ContributionType, at api.Time) {
	name := user + " " + string(kind)
	if c[name] == nil {
		c[name] = &contribution{user: user, kind: kind}
	}
	c[name].count++
	if at.After(c[name].last.Time) {
		c[name].last = at
	}
}

// listContributors counts the revisions and comments of a change request. The counts are computed on demand, so they
// cannot become stale.
func (s *Service) listContributors(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListContributorsInput,
) rest.Finish[api.Page[api.Contributor]] {
	w := r.NewPager(in.ListOptions, false)
	p := s.Revisions.ReadTarget(r.Org, b, revision.RequestTarget(in.ChangeRequestRef))
	comments := b.Range(store.CommentsKey(r.Org, p.HeadID()), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Contributor]], err error) {
		head, _, err := p.Get()
		if err != nil {
			return none, err
		}
		if w.Err != nil {
			return none, w.Err
		}
		ids := comments.Value()
		all := contributions{}
		if err := s.countEdits(ctx, p, head, all); err != nil {
			return none, err
		}
		if err := s.countComments(ctx, c.Org, ids, all); err != nil {
			return none, err
		}
		return s.contributorPage(c, w, all)
	}
}

// countEdits counts the revisions from the head back to the initial revision of the change request.
func (s *Service) countEdits(ctx context.Context, p revision.TargetRead, head store.Head, all contributions) error {
	record, _, err := p.Record.Get()
	if err != nil {
		return err
	}
	var d store.ChangeRequestDocument
	if err := d.Decode(record); err != nil {
		return err
	}
	content := s.Store.Content(p.Space)
	for id := head.Revision; id != d.Fields.RevisionInitial; {
		r, err := s.Revisions.ReadHistorical(ctx, content, id)
		if err != nil {
			return err
		}
		if r.Author != view.SystemUser {
			all.add(r.Author, api.ContributedEdit, api.At(r.CreatedAt))
		}
		if len(r.Parents) == 0 {
			return nil
		}
		id = r.Parents[0] // the other parent belongs to the space
	}
	return nil
}

func (s *Service) countComments(ctx context.Context, org string, ids []string, all contributions) error {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.CommentKey(org, id) })
	if err != nil {
		return err
	}
	for id, record := range records {
		var d store.CommentDocument
		if err := d.Decode(record); err != nil {
			return fmt.Errorf("comment %s: %w", id, err)
		}
		all.add(d.Private.Author, api.ContributedComment, d.Fields.PostedAt)
	}
	return nil
}

// contributorPage returns one page of the contributions, sorted by user.
func (s *Service) contributorPage(c *rest.Call, w rest.Pager, all contributions) (rest.Result[api.Page[api.Contributor]], error) {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	page, next := w.Slice(names, rest.OldestFirst)
	items := make([][]byte, len(page))
	var err error
	c.Access(func(model *access.Model) {
		for i, name := range page {
			did := all[name]
			item, e := rest.ExtendObject([]byte(`{}`)).Set("user", s.View.Person(model, did.user)).Set("actionType", did.kind).
				Set("count", did.count).Set("updatedAt", did.last).Bytes()
			if items[i] = item; e != nil {
				err = e
			}
		}
	})
	if err != nil {
		return rest.Result[api.Page[api.Contributor]]{}, err
	}
	return rest.PageOf[api.Contributor](items, len(names), next)
}
