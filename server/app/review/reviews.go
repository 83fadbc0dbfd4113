package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) changeRequestReviewEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListChangeRequestReviews, auth.InSpace(api.RoleComment), s.listReviews),
		rest.Planned(api.CreateChangeRequestReview, auth.InSpace(api.RoleComment), s.planReview,
			s.applyReview).MatchHead().On(rest.ChangeRequest),
		rest.Read(api.GetChangeRequestReview, auth.InSpace(api.RoleComment), s.getReview),
	}
}

const reviewPrefix = "rv_"

// reviewContext holds the state of the change request that its reviews are compared with.
type reviewContext struct {
	target       revision.Target
	head         store.Head
	currentRange revision.Range
	diffCache    *revision.DiffCache
	format       api.Format
}

// loadReviewContext queues the reads of a change request in b and returns a function that completes its review
// context.
func (s *Service) loadReviewContext(
	r *rest.Request, b *txn.Batch, ref api.ChangeRequestRef, format api.Format,
) func() (reviewContext, error) {
	p := s.Revisions.ReadTarget(r.Org, b, revision.RequestTarget(ref))
	return func() (reviewContext, error) {
		head, _, err := p.Get()
		if err != nil {
			return reviewContext{}, err
		}
		r, _, err := p.Record.Get()
		if err != nil {
			return reviewContext{}, err
		}
		var d store.ChangeRequestDocument
		if err := d.Decode(r); err != nil {
			return reviewContext{}, err
		}
		return reviewContext{p.Target, head, revision.CurrentRange(d, head), s.Revisions.Compare(ref.Space), format}, nil
	}
}

func (s *Service) listReviews(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListReviewsInput,
) rest.Finish[api.Page[api.Review]] {
	outdated, filtered := in.Outdated.Get()
	w := r.NewPager(in.ListOptions, true, strconv.FormatBool(outdated), strconv.FormatBool(filtered))
	begin := s.loadReviewContext(r, b, in.ChangeRequestRef, in.Format)
	index := b.Range(store.ReviewsKey(r.Org, store.RequestIDOf(in.Space, in.ChangeRequest)), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Review]], err error) {
		v, err := begin()
		if err = errors.Join(w.Err, err); err != nil {
			return none, err
		}
		ids := index.Value()
		ids = slices.Clone(ids)
		slices.Reverse(ids)
		if filtered {
			if ids, err = s.filterReviews(ctx, c, v, ids, outdated); err != nil {
				return none, err
			}
		}
		page, next := w.Slice(ids, rest.NewestFirst)
		items, err := s.reviewObjects(ctx, c, v, page)
		if err != nil {
			return none, err
		}
		return rest.PageOf[api.Review](items, len(ids), next)
	}
}

// filterReviews returns the ids of the reviews that are outdated or, if outdated is false, of those that are current.
func (s *Service) filterReviews(ctx context.Context, c *rest.Call, v reviewContext, ids []string, outdated bool) ([]string, error) {
	found, err := s.readReviews(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	var matching []string
	for _, id := range ids {
		d, ok := found[id]
		if !ok {
			continue
		}
		news, err := v.diffCache.UnseenChanges(ctx, revision.ReviewedRange(d.document.Private.ReviewVerdict), v.currentRange)
		if err != nil {
			return nil, err
		}
		if len(news) > 0 == outdated {
			matching = append(matching, id)
		}
	}
	return matching, nil
}

// storedReview is a review record with its decoded document.
type storedReview struct {
	record   txn.Record
	document store.ReviewDocument
}

func (s *Service) readReviews(ctx context.Context, c *rest.Call, ids []string) (map[string]storedReview, error) {
	org := c.Org
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.ReviewKey(org, id) })
	if err != nil {
		return nil, err
	}
	found := make(map[string]storedReview, len(records))
	for id, r := range records {
		stored := storedReview{record: r}
		if err := stored.document.Decode(r); err != nil {
			return nil, fmt.Errorf("review %s: %w", id, err)
		}
		found[id] = stored
	}
	return found, nil
}

// reviewObjects returns the JSON objects of reviews. It reads all records with one round trip and their comments with
// another.
func (s *Service) reviewObjects(ctx context.Context, c *rest.Call, v reviewContext, ids []string) ([][]byte, error) {
	found, err := s.readReviews(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	items := make([][]byte, 0, len(ids))
	comments, err := s.reviewComments(ctx, c, v, found)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		r, ok := found[id]
		if !ok {
			continue
		}
		item, err := s.reviewWithStatus(ctx, c, v, r, comments[r.document.Private.Comment])
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// reviewComments returns the JSON objects of the summary comments by id. Deleted comments are absent.
func (s *Service) reviewComments(ctx context.Context, c *rest.Call, v reviewContext,
	reviews map[string]storedReview,
) (map[string]json.RawMessage, error) {
	var ids []string
	for _, r := range reviews {
		if id := r.document.Private.Comment; id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return map[string]json.RawMessage{}, nil
	}
	now, err := s.Comments.ReadContent(ctx, v.target.Space, v.head)
	if err != nil {
		return nil, err
	}
	items, err := s.Comments.ReadComments(ctx, c, v.target, now, ids, v.format)
	if err != nil {
		return nil, err
	}
	found := make(map[string]json.RawMessage, len(items))
	for _, item := range items {
		var named struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(item, &named); err != nil {
			return nil, fmt.Errorf("comment of a review: %w", err)
		}
		found[named.ID] = item
	}
	return found, nil
}

// reviewWithStatus returns the JSON object of a review, including whether it is outdated.
func (s *Service) reviewWithStatus(ctx context.Context, c *rest.Call, v reviewContext, r storedReview, comment json.RawMessage) ([]byte,
	error,
) {
	news, err := v.diffCache.UnseenChanges(ctx, revision.ReviewedRange(r.document.Private.ReviewVerdict), v.currentRange)
	if err != nil {
		return nil, err
	}
	return s.reviewObject(c, v.target, r, comment, len(news) > 0)
}

func (s *Service) reviewObject(c *rest.Call, target revision.Target, r storedReview, comment json.RawMessage, outdated bool) (data []byte,
	err error,
) {
	p := r.document.Private
	c.Access(func(model *access.Model) {
		data, err = rest.ExtendObject(r.record.Public).
			Set("reviewer", s.View.Person(model, p.User)).
			SetIf(p.RequestedBy != "", "requestedBy", s.View.Person(model, p.RequestedBy)).
			SetIf(comment != nil, "comment", comment).
			Set("outdated", outdated).
			Set("urls", api.LocationURLs{Location: s.reviewURL(target, r.document.Fields.ID)}).Bytes()
	})
	return data, err
}

func (s *Service) reviewURL(target revision.Target, id string) string {
	return s.View.TargetURL(target) + "/reviews/" + id
}

func (s *Service) getReview(ctx context.Context, r *rest.Request, b *txn.Batch, in api.ReviewInput) rest.Finish[api.Review] {
	begin := s.loadReviewContext(r, b, in.ChangeRequestRef, in.Format)
	record := b.Record(store.ReviewKey(r.Org, in.Review))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Review], err error) {
		v, err := begin()
		if err != nil {
			return none, err
		}
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		stored := storedReview{record: r}
		if err := stored.document.Decode(r); err != nil {
			return none, err
		}
		if stored.document.Private.Target != v.target.HeadID() {
			return none, api.NotFound()
		}
		comments, err := s.reviewComments(ctx, c, v, map[string]storedReview{in.Review: stored})
		if err != nil {
			return none, err
		}
		data, err := s.reviewWithStatus(ctx, c, v, stored, comments[stored.document.Private.Comment])
		return rest.Result[api.Review]{JSON: data, ID: in.Review}.WithVersion(rest.RecordVersion(r)), err
	}
}

// checkMayReview returns a forbidden error unless the caller has the role review, was asked for a review, or has
// reviewed before.
func checkMayReview(c *rest.Call, d store.ChangeRequestDocument) error {
	asked := slices.ContainsFunc(d.Private.Reviewers, func(r store.Reviewer) bool { return r.User == c.Caller.User })
	_, again := d.Private.LastReview(c.Caller.User)
	if asked || again || c.Caller.ContentRole.AtLeast(api.RoleReview) {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Reviewing takes the role review, or to be asked for a review.").
		WithHint("Somebody who edits can ask you: wsctl change-requests request-review %d --space %s --users %s",
			d.Fields.Number, d.Fields.Space, c.Caller.User)
}
