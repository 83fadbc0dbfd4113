package orgs

import (
	"context"
	"fmt"
	"maps"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// The events of a user's tokens are in the log of the user. Those of a token that works in one organization are copied to the log of
// that organization, others to the logs of all organizations of the user. The position up to which the log of the user was copied is
// kept in the organization and changed in the transaction of the copies, so that each event is copied once.

// eventTokenRefused is the type of the events of refused requests with the tokens of a user.
const eventTokenRefused = "tokens.refuse"

// copiedEvents are the types of the events that are copied, with the fields that the copies have.
var copiedEvents = map[string][]string{
	api.CreateToken.Name: {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	api.RotateToken.Name: {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	api.DeleteToken.Name: {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	eventTokenRefused:    {eventlog.Type, eventlog.At, eventlog.ID, eventlog.User, eventlog.Count, eventlog.Audited},
}

// copyBatch is the number of events that one transaction copies.
const copyBatch = 100

// withTokenEvents commits a change of a token that works in one organization, or in all if it is "", and copies its event to the logs
// of the organizations. Jobs, which are scheduled before the change, complete the copies if the process stops.
func withTokenEvents[Out any](ctx context.Context, s *Service, c *rest.Call, organization string, commit func() (rest.Result[Out], error)) (
	rest.Result[Out], error,
) {
	if r, err := dryRun(c, commit); err != nil || c.DryRun {
		return r, err // nothing is scheduled for a change that is refused
	}
	organizations, err := s.followTokens(ctx, c.Caller.User, organization)
	if err != nil {
		return rest.Result[Out]{}, err
	}
	result, err := commit()
	if err != nil {
		return result, err
	}
	for _, org := range organizations {
		if err := s.copyTokenEvents(ctx, org, c.Caller.User); err != nil {
			s.Log.WarnContext(ctx, "the log of an organization does not have an event of a token yet", "user", c.Caller.User,
				"organization", org, "error", err)
		}
	}
	return result, nil
}

// dryRun returns the result of a commit without making it.
func dryRun[Out any](c *rest.Call, commit func() (rest.Result[Out], error)) (rest.Result[Out], error) {
	before := c.DryRun
	defer func() { c.DryRun = before }()
	c.DryRun = true
	return commit()
}

// followTokens schedules the jobs that copy the coming events of a user's tokens to an organization, or to all of the user if it is "".
// It returns those where the user is a member.
func (s *Service) followTokens(ctx context.Context, user, organization string) (followed []string, err error) {
	b := s.Store.NewBatch()
	organizations := b.Range(store.UserOrganizationsKey(user), "", -1, false)
	newest := store.QueueLastEvent(b, store.UserEventsKey(user))
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the events of %s: %w", user, err)
	}
	ids := organizations.Value()
	if organization != "" {
		ids = []string{organization}
	}
	for _, org := range ids {
		var isMember bool
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			isMember, err = tx.FollowTokens(org, user, newest.Value())
			return err
		})
		if err != nil {
			return nil, err
		}
		if isMember {
			followed = append(followed, org)
		}
	}
	return followed, nil
}

// RunTokenEvents is the job that copies the events of a member's tokens to an organization.
func (s *Service) RunTokenEvents(ctx context.Context, lease store.Lease) error {
	if err := s.copyTokenEvents(ctx, lease.Organization, lease.Arg); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return lease.Finish(tx.Tx)
	})
}

// copyTokenEvents copies the events of a member's tokens that the log of an organization does not have yet.
func (s *Service) copyTokenEvents(ctx context.Context, org, user string) error {
	for {
		b := s.Store.NewBatch()
		position := b.Field(store.FollowedKey(org), user)
		if err := b.Do(ctx); err != nil || position.Value() == "" { // not a member
			return err
		}
		copied := position.Value()
		found, err := s.eventsAfter(ctx, store.UserEventsKey(user), copied)
		if err != nil || len(found) == 0 {
			return err
		}
		err = s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return s.copyEvents(tx, org, user, copied, found)
		})
		if err != nil {
			return err
		}
	}
}

// eventsAfter returns the first events of a log after a position.
func (s *Service) eventsAfter(ctx context.Context, log redis.Key, position string) ([]store.Event, error) {
	b := s.Store.NewBatch()
	found := store.QueueEvents(b, log, "("+position, "+", copyBatch, false, store.NewEvent)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return found.Value(), nil
}

// copyEvents appends the copies of events to the log of an organization, unless they were copied or the member has left meanwhile.
func (s *Service) copyEvents(tx *store.Tx, org, user, position string, events []store.Event) error {
	now, is, err := tx.Field(store.FollowedKey(org), user)
	if err != nil || !is || now != position {
		return err
	}
	for _, e := range events {
		names, isCopied := copiedEvents[e.Fields[eventlog.Type]]
		if bound := e.Fields[eventlog.Organization]; !isCopied || bound != "" && bound != org || e.Fields[eventlog.Command] != "" {
			continue
		}
		if e.Fields[eventlog.Type] == eventTokenRefused {
			allowed, err := s.countRefusal(tx, org)
			if err != nil {
				return err
			}
			if !allowed {
				continue
			}
		}
		fields := map[string]string{}
		for _, name := range names {
			fields[name] = e.Fields[name]
		}
		maps.DeleteFunc(fields, func(_, value string) bool { return value == "" })
		tx.Event(fields)
	}
	tx.SetField(store.FollowedKey(org), user, events[len(events)-1].ID)
	return nil
}
