package specs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// slowReadTime is the waiting time from which the source of a specification counts as slow for its next reading.
const slowReadTime = 5 * time.Second

// quotaPending is the quota of an organization or user for specifications that wait to be read.
const quotaPending = "pending"

// Asked returns the user of each reading: the one who set the source, even if it is read again. The user of a damaged
// specification is unknown; the job itself fails.
func (s *Service) Asked(ctx context.Context, org string, slugs []string) (asked []store.Requester, err error) {
	b := s.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(slugs))
	for i, slug := range slugs {
		records[i] = b.Record(store.OpenAPISpecKey(org, slug))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("specifications of %s that wait: %w", org, err)
	}
	for i, slug := range slugs {
		var d store.OpenAPISpecDocument
		record, ok, err := records[i].Get()
		if ok && err == nil {
			err = d.Decode(record)
		}
		if err != nil {
			s.Log.WarnContext(ctx, "the user of a waiting specification is unknown",
				"organization", org, "specification", slug, "error", err)
			d = store.OpenAPISpecDocument{} // it may be decoded in part
		}
		asked = append(asked, store.Requester{Arg: slug, By: d.Private.By, SlowRun: d.Private.SlowFetch})
	}
	return asked, nil
}

// addPending adds a specification to the pending ones of the caller. It returns an error if there are too many, after
// removing those that are not pending any more.
func (s *Service) addPending(ctx context.Context, c *rest.Call, slug string) error {
	user, member := c.Caller.User, store.UserFetchMember(c.Org, slug)
	index, most := store.UserFetchesKey(user), s.Budgets.UserSpecs
	for range rest.MaxPlans {
		b := s.Store.NewBatch()
		members := b.Range(index, "", int(most)+1, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("specifications that %s waits for: %w", user, err)
		}
		has := members.Value()
		if slices.Contains(has, member) {
			return nil
		}
		if int64(len(has)) >= most {
			freed, err := s.removeFinished(ctx, user, has)
			if err != nil {
				return err
			}
			if !freed {
				return tooManyPendingError("You have", most, int64(len(has)))
			}
			continue
		}
		err := s.Store.Update(ctx, store.User(user), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
			size, err := tx.Cardinality(index)
			if err == nil && size != int64(len(has)) {
				err = store.ErrHeadMoved
			}
			tx.Add(index, member)
			return err
		})
		if !errors.Is(err, store.ErrHeadMoved) {
			return err
		}
	}
	return txn.ErrBusy
}

// removeFinished removes a user's pending specifications that were read, deleted, or set by another user since. It
// reports whether there were any.
func (s *Service) removeFinished(ctx context.Context, user string, members []string) (freed bool, err error) {
	b := s.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(members))
	for i, member := range members {
		records[i] = b.Record(store.OpenAPISpecKey(store.SplitUserFetchMember(member)))
	}
	if err := b.Do(ctx); err != nil {
		return false, fmt.Errorf("specifications that %s waits for: %w", user, err)
	}
	for i, member := range members {
		record, ok, err := records[i].Get()
		var d store.OpenAPISpecDocument
		if ok && err == nil {
			err = d.Decode(record)
		}
		if err != nil {
			return freed, err
		}
		if d.Private.By == user && d.Fields.ProcessingState != api.ProcessingComplete {
			continue
		}
		if err := s.Store.RemoveFromSuperset(ctx, store.UserFetchesKey(user), member); err != nil {
			return freed, fmt.Errorf("forget %s: %w", member, err)
		}
		freed = true
	}
	return freed, nil
}

// checkPending returns an error if the organization already has the maximum number of pending specifications, unless d is one
// of them.
func (s *Service) checkPending(tx *store.Tx, org string, d store.OpenAPISpecDocument) error {
	if d.Version > 0 && d.Fields.ProcessingState != api.ProcessingComplete {
		return nil // d itself is already counted as pending
	}
	waiting, err := tx.Cardinality(store.OpenAPIPendingKey(org))
	if err == nil && waiting >= s.Budgets.OrganizationSpecs {
		err = tooManyPendingError("This organization has", s.Budgets.OrganizationSpecs, waiting)
	}
	return err
}

// tooManyPendingError returns the error for exceeding a limit of pending specifications.
func tooManyPendingError(who string, limit, use int64) *api.Error {
	e := rest.Exceeded("", quotaPending, limit, use).WithHint("They are read one after the other: ask again when some were read.")
	e.Message = fmt.Sprintf("%s %d specifications that wait to be read, and may have %d.", who, use, limit)
	return e
}

// removePending removes a specification that was read from its user's pending ones. If that fails, addPending removes
// it later.
func (s *Service) removePending(ctx context.Context, org string, d store.OpenAPISpecDocument) {
	if d.Private.By == "" {
		return
	}
	if err := s.Store.RemoveFromSuperset(ctx, store.UserFetchesKey(d.Private.By), store.UserFetchMember(org, d.Fields.Slug)); err != nil {
		s.Log.WarnContext(ctx, "a specification that was read still counts as waiting", "specification", d.Fields.ID, "error", err)
	}
}
