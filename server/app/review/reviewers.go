package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// maxReviewers bounds the number of reviewers of a change request.
const maxReviewers = 200

func (s *Service) reviewerObject(model *access.Model, r store.Reviewer) ([]byte, error) {
	return rest.ExtendObject([]byte(`{}`)).
		Set("object", "change-request-requested-reviewer").
		Set("revision", r.Revision).
		Set("requestedBy", s.View.Person(model, r.RequestedBy)).
		Set("createdAt", r.AskedAt).
		Set("kind", "user").
		Set("user", s.View.Person(model, r.User)).Bytes()
}

func (s *Service) listReviewers(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListReviewersInput,
) rest.Finish[api.Page[api.RequestedReviewer]] {
	w := r.NewPager(in.ListOptions, false)
	record := b.Record(store.ChangeRequestKey(r.Org, store.RequestIDOf(in.Space, in.ChangeRequest)))
	return func(_ context.Context, c *rest.Call) (none rest.Result[api.Page[api.RequestedReviewer]], err error) {
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		var d store.ChangeRequestDocument
		if err := d.Decode(r); err != nil {
			return none, err
		}
		if !revision.MatchesRequest(in.ChangeRequest, d) {
			return none, api.NotFound()
		}
		if w.Err != nil {
			return none, w.Err
		}
		users, byUser := make([]string, 0, len(d.Private.Reviewers)), map[string]store.Reviewer{}
		for _, r := range d.Private.Reviewers {
			users, byUser[r.User] = append(users, r.User), r
		}
		slices.Sort(users)
		page, next := w.Slice(users, rest.OldestFirst)
		items, err := s.reviewerObjects(c, page, byUser)
		if err != nil {
			return none, err
		}
		return rest.PageOf[api.RequestedReviewer](items, len(users), next)
	}
}

func (s *Service) reviewerObjects(c *rest.Call, users []string, byUser map[string]store.Reviewer) (items [][]byte, err error) {
	c.Access(func(model *access.Model) {
		for _, user := range users {
			item, e := s.reviewerObject(model, byUser[user])
			if e != nil {
				err = e
			}
			items = append(items, item)
		}
	})
	return items, err
}

func (s *Service) requestReview(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.RequestReviewInput,
) (none rest.Result[api.RequestedReviewers], err error) {
	l, err := Load(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	if err := CheckUnfinished(l.ChangeRequestDocument, "reviewed"); err != nil {
		return none, err
	}
	if err := s.checkReviewers(c, tx, in.Space, in.Body.Users); err != nil {
		return none, err
	}
	previous := l.Fields.Status
	if previous == api.StatusDraft {
		if err := s.checkNoPush(c, l.ChangeRequestDocument, "opened"); err != nil {
			return none, err
		}
	}
	l.Fields.Status = api.StatusOpen
	in.Body.Subject.Apply(&l.Fields.Subject)
	byUser := map[string]store.Reviewer{}
	for _, user := range in.Body.Users {
		r := store.Reviewer{User: user, RequestedBy: c.Caller.User, Revision: l.State.Head.Revision, AskedAt: api.At(tx.Now())}
		byUser[user] = r
		l.Private.Reviewers = slices.DeleteFunc(l.Private.Reviewers, func(old store.Reviewer) bool { return old.User == user })
		l.Private.Reviewers = append(l.Private.Reviewers, r)
	}
	if len(l.Private.Reviewers) > maxReviewers {
		return none, api.InvalidField("users", "would make %d reviewers; at most %d can be asked", len(l.Private.Reviewers), maxReviewers)
	}
	c.Note("users", strings.Join(in.Body.Users, " "))
	if _, err := l.write(c, tx, previous); err != nil {
		return none, err
	}
	items, err := s.reviewerObjects(c, in.Body.Users, byUser)
	if err != nil {
		return none, err
	}
	data := []byte(`{"users":[`)
	for i, item := range items {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, item...)
	}
	return rest.Result[api.RequestedReviewers]{JSON: append(data, ']', '}'), ID: l.Fields.ID}, nil
}

// checkReviewers returns an error unless every user may comment in the space and is listed once.
func (s *Service) checkReviewers(c *rest.Call, tx *store.Tx, space string, users []string) error {
	roles := make([]api.Role, len(users))
	var path []access.Dependency
	c.Access(func(model *access.Model) {
		for i, user := range users {
			role, on, member := model.MemberRole(user, space)
			if member {
				roles[i], path = role, append(path, on)
			}
		}
	})
	if err := c.Recheck(tx, path); err != nil {
		return err
	}
	var wrong []api.FieldError
	for i, user := range users {
		path := fmt.Sprintf("users[%d]", i)
		switch {
		case slices.Contains(users[:i], user):
			wrong = append(wrong, api.FieldError{Path: path, Message: "is given twice"})
		case !roles[i].AtLeast(api.RoleComment):
			wrong = append(wrong, api.FieldError{Path: path, Message: "is not a user who can comment in the space"})
		}
	}
	if len(wrong) > 0 {
		return api.Invalid(wrong...)
	}
	return nil
}

// removeReviewer removes a review request. Editors may remove any request, and reviewers their own.
func (s *Service) removeReviewer(ctx context.Context, c *rest.Call, tx *store.Tx, in api.ReviewerRef) (rest.Result[api.None], error) {
	var nothing rest.Result[api.None]
	l, err := Load(c, tx, in.ChangeRequestRef)
	if err != nil {
		return nothing, err
	}
	index := slices.IndexFunc(l.Private.Reviewers, func(r store.Reviewer) bool { return r.User == in.User })
	if index < 0 {
		return nothing, rest.AbsentIfNil(nil)
	}
	if in.User != c.Caller.User && !c.Caller.ContentRole.AtLeast(api.RoleEdit) {
		return nothing, rest.Forbidden(auth.Need{Role: api.RoleEdit}, "this space", c.Caller.ContentRole)
	}
	l.Private.Reviewers = slices.Delete(l.Private.Reviewers, index, index+1)
	_, err = l.write(c, tx, l.Fields.Status)
	return rest.None(in.User), err
}
