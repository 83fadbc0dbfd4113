package server

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
)

// maxReviewers bounds who can be asked for one change request.
const maxReviewers = 200

func (s *Server) reviewer(sh *access.Model, r store.Reviewer) ([]byte, error) {
	return extend([]byte(`{}`)).
		set("object", "change-request-requested-reviewer").
		set("revision", r.Revision).
		set("requestedBy", s.person(sh, r.RequestedBy)).
		set("createdAt", r.At).
		set("kind", "user").
		set("user", s.person(sh, r.User)).bytes()
}

func (s *Server) listReviewers(ctx context.Context, c *call, b *store.Batch, in api.ListReviewersInput) finish[api.Page[api.RequestedReviewer]] {
	w := newWindow(c, in.ListOptions, false)
	record := b.Record(store.ChangeRequestKey(c.org, requestKey(in.Space, in.ChangeRequest)))
	return func(context.Context) (Result[api.Page[api.RequestedReviewer]], error) {
		var none Result[api.Page[api.RequestedReviewer]]
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, missing(err)
		}
		var d store.ChangeRequestDocument
		if err := d.Decode(r); err != nil {
			return none, err
		}
		if !names(in.ChangeRequest, d) {
			return none, api.NotFound()
		}
		if w.err != nil {
			return none, w.err
		}
		users, byUser := make([]string, 0, len(d.Private.Reviewers)), map[string]store.Reviewer{}
		for _, r := range d.Private.Reviewers {
			users, byUser[r.User] = append(users, r.User), r
		}
		slices.Sort(users)
		page, next := w.of(users, oldestFirst)
		items, err := s.reviewers(c, page, byUser)
		if err != nil {
			return none, err
		}
		return list[api.RequestedReviewer](items, len(users), next)
	}
}

func (s *Server) reviewers(c *call, users []string, byUser map[string]store.Reviewer) (items [][]byte, err error) {
	c.withShape(func(sh *access.Model) {
		for _, user := range users {
			item, e := s.reviewer(sh, byUser[user])
			if e != nil {
				err = e
			}
			items = append(items, item)
		}
	})
	return items, err
}

func (s *Server) requestReview(ctx context.Context, c *call, tx *store.Tx, in api.RequestReviewInput) (Result[api.RequestedReviewers], error) {
	var none Result[api.RequestedReviewers]
	l, err := loadRequest(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	if err := unfinished(l.ChangeRequestDocument, "reviewed"); err != nil {
		return none, err
	}
	if err := s.checkReviewers(c, tx, in.Space, in.Body.Users); err != nil {
		return none, err
	}
	was := l.Fields.Status
	l.Fields.Status = api.StatusOpen
	in.Body.Subject.Apply(&l.Fields.Subject)
	byUser := map[string]store.Reviewer{}
	for _, user := range in.Body.Users {
		r := store.Reviewer{User: user, RequestedBy: c.caller.User, Revision: l.state.head.Revision, At: api.At(tx.Now())}
		byUser[user] = r
		l.Private.Reviewers = slices.DeleteFunc(l.Private.Reviewers, func(old store.Reviewer) bool { return old.User == user })
		l.Private.Reviewers = append(l.Private.Reviewers, r)
	}
	if len(l.Private.Reviewers) > maxReviewers {
		return none, api.InvalidField("users", "would make %d reviewers; at most %d can be asked", len(l.Private.Reviewers), maxReviewers)
	}
	if _, err := l.touched(c, tx, was); err != nil {
		return none, err
	}
	items, err := s.reviewers(c, in.Body.Users, byUser)
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
	return Result[api.RequestedReviewers]{json: append(data, ']', '}'), id: l.Fields.ID}, nil
}

// checkReviewers asks of each that they may comment in the space.
func (s *Server) checkReviewers(c *call, tx *store.Tx, space string, users []string) error {
	roles := make([]api.Role, len(users))
	var path []access.Dependency
	c.withShape(func(sh *access.Model) {
		for i, user := range users {
			role, on, member := sh.RoleOf(user, space)
			if member {
				roles[i], path = role, append(path, on)
			}
		}
	})
	if err := c.hold(tx, path); err != nil {
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

// removeReviewer takes back a request: editors do, and the reviewer may step back.
func (s *Server) removeReviewer(ctx context.Context, c *call, tx *store.Tx, in api.ReviewerRef) (Result[api.None], error) {
	var nothing Result[api.None]
	l, err := loadRequest(c, tx, in.ChangeRequestRef)
	if err != nil {
		return nothing, err
	}
	at := slices.IndexFunc(l.Private.Reviewers, func(r store.Reviewer) bool { return r.User == in.User })
	if at < 0 {
		return nothing, api.NotFound()
	}
	if in.User != c.caller.User && !c.caller.ContentRole.AtLeast(api.RoleEdit) {
		return nothing, forbidden(auth.Need{Role: api.RoleEdit}, "this space", c.caller.ContentRole)
	}
	l.Private.Reviewers = slices.Delete(l.Private.Reviewers, at, at+1)
	_, err = l.touched(c, tx, l.Fields.Status)
	return none(in.User), err
}
