package orgs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
	SignIn.Name:          {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID, eventlog.After},
	CreateSession.Name:   {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	EndSession.Name:      {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	CreateLogin.Name:     {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	EndLogin.Name:        {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	eventLoginReused:     {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	api.CreateToken.Name: {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	api.RotateToken.Name: {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	api.DeleteToken.Name: {eventlog.Type, eventlog.At, eventlog.Actor, eventlog.ID},
	eventTokenRefused:    {eventlog.Type, eventlog.At, eventlog.ID, eventlog.User, eventlog.Count, eventlog.Audited},
}

// copyBatch is the number of events that one transaction copies.
const copyBatch = 100

// tokenChange describes a token that is created, rotated or deleted.
type tokenChange struct {
	user         string   // "" = the caller
	organization string   // the only organization in which the token works; "" = all
	endedIn      []string // organizations for which it was ended
	// revokes is set if the change takes access away. Then it is made even if its event cannot be copied to an organization.
	revokes bool
}

// note adds the token to the event of the change in the log of the user.
func (t tokenChange) note(c *rest.Call) {
	c.Note(eventlog.Organization, t.organization)
	c.Note(eventlog.EndedIn, strings.Join(t.endedIn, " "))
}

// withTokenEvents commits a change of a token and copies its event to the logs of the organizations in which the token works. Jobs,
// which are scheduled before the change, complete the copies if the process stops.
func withTokenEvents[Out any](ctx context.Context, s *Service, c *rest.Call, t tokenChange, commit func() (rest.Result[Out], error)) (
	rest.Result[Out], error,
) {
	if r, err := dryRun(c, commit); err != nil || c.DryRun {
		return r, err // nothing is scheduled for a change that is refused
	}
	user := cmp.Or(t.user, c.Caller.User)
	followed, err := s.followTokens(ctx, user, t)
	if err != nil && !t.revokes {
		return rest.Result[Out]{}, err
	}
	s.warnMissingEvents(ctx, user, err)
	result, err := commit()
	if err != nil {
		return result, err
	}
	s.warnMissingEvents(ctx, user, s.copyToLogs(ctx, user, followed))
	return result, nil
}

// copyToLogs copies the events of a user's tokens to the logs of organizations. The error does not concern those that succeeded.
func (s *Service) copyToLogs(ctx context.Context, user string, organizations []string) error {
	var failures []error
	for _, org := range organizations {
		if err := s.copyTokenEvents(ctx, org, user); err != nil {
			failures = append(failures, fmt.Errorf("organization %s: %w", org, err))
		}
	}
	return errors.Join(failures...)
}

func (s *Service) warnMissingEvents(ctx context.Context, user string, err error) {
	if err != nil && s.Log != nil {
		s.Log.WarnContext(ctx, "the log of an organization does not have an event of a token yet", "user", user, "error", err)
	}
}

// dryRun returns the result of a commit without making it.
func dryRun[Out any](c *rest.Call, commit func() (rest.Result[Out], error)) (rest.Result[Out], error) {
	before := c.DryRun
	defer func() { c.DryRun = before }()
	c.DryRun = true
	return commit()
}

// organizationsOf returns the organizations of a user in which a token works, as far as the memberships decide.
func (s *Service) organizationsOf(ctx context.Context, user string, t tokenChange) ([]string, error) {
	ids := []string{t.organization}
	if t.organization == "" {
		var err error
		if ids, err = s.LoadUserOrganizations(ctx, user); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(org string) bool { return slices.Contains(t.endedIn, org) }), nil
}

// followTokens schedules the jobs that copy the event of a change of a user's token to the organizations in which it works. It returns
// those where that succeeded and the user is a member, with the errors of the others.
func (s *Service) followTokens(ctx context.Context, user string, t tokenChange) (followed []string, err error) {
	ids, err := s.organizationsOf(ctx, user, t)
	if err != nil {
		return nil, err
	}
	positions, newest, err := s.copiedPositions(ctx, user, ids)
	if err != nil {
		return nil, err
	}
	var failures []error
	for i, org := range ids {
		var isMember bool
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) (err error) {
			isMember, err = tx.FollowTokens(org, user, positions[i], newest)
			return err
		})
		switch {
		case err != nil:
			failures = append(failures, fmt.Errorf("organization %s: %w", org, err))
		case isMember:
			followed = append(followed, org)
		}
	}
	return followed, errors.Join(failures...)
}

// copiedPositions returns the positions up to which the log of a user was copied to organizations, "" = not at all, and the last position
// of the log. That is read later, so that no position is after it unless a failover has taken entries away.
func (s *Service) copiedPositions(ctx context.Context, user string, organizations []string) (positions []string, newest string, err error) {
	b := s.Store.NewBatch()
	replies := make([]*txn.Reply[string], len(organizations))
	for i, org := range organizations {
		replies[i] = b.Field(store.FollowedKey(org), user)
	}
	if err := b.Do(ctx); err != nil {
		return nil, "", fmt.Errorf("read what was copied of %s: %w", user, err)
	}
	for _, reply := range replies {
		positions = append(positions, reply.Value())
	}
	b = s.Store.NewBatch()
	last := store.QueueLastEvent(b, store.UserEventsKey(user))
	if err := b.Do(ctx); err != nil {
		return nil, "", fmt.Errorf("read the events of %s: %w", user, err)
	}
	return positions, last.Value(), nil
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
		if err := b.Do(ctx); err != nil || !store.IsEventID(position.Value()) { // no member, or damaged: see Tx.FollowTokens
			return err
		}
		found, err := s.eventsAfter(ctx, store.UserEventsKey(user), position.Value())
		if err != nil || len(found) == 0 {
			return err
		}
		limit, err := s.maxRefusals(ctx, org, found)
		if err != nil {
			return err
		}
		err = s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return s.copyEvents(tx, org, user, position.Value(), found, limit)
		})
		if err != nil || len(found) < copyBatch {
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
func (s *Service) copyEvents(tx *store.Tx, org, user, position string, events []store.Event, limit refusalLimit) error {
	copied, isMember, err := tx.Field(store.FollowedKey(org), user)
	if err != nil || !isMember || copied != position {
		return err
	}
	for _, e := range events {
		if !isCopiedTo(org, e.Fields) {
			continue
		}
		if e.Fields[eventlog.Type] == eventTokenRefused {
			allowed, err := limit.count(tx, org)
			if err != nil {
				return err
			}
			if !allowed {
				continue
			}
		}
		tx.Event(copyOf(e.Fields, tx.Now()))
	}
	tx.SetField(store.FollowedKey(org), user, events[len(events)-1].ID)
	return nil
}

// isCopiedTo reports whether an event in the log of a user is copied to an organization. Changes by commands have an event of the command
// there.
func isCopiedTo(org string, fields map[string]string) bool {
	_, isCopied := copiedEvents[fields[eventlog.Type]]
	bound := fields[eventlog.Organization]
	return isCopied && (bound == "" || bound == org) && fields[eventlog.Command] == "" &&
		!slices.Contains(strings.Fields(fields[eventlog.EndedIn]), org)
}

// maxCopyDelay is the maximum difference between the time of an event and that of its copy. A later copy has its own time, because events
// are searched by time near their place in the log.
const maxCopyDelay = 30 * time.Minute

// copyOf returns the copy of an event. Those of tokens that work in one organization have the token and the request of the change, too.
func copyOf(fields map[string]string, now time.Time) map[string]string {
	names := copiedEvents[fields[eventlog.Type]]
	if fields[eventlog.Organization] != "" {
		names = append(slices.Clip(names), eventlog.Token, eventlog.Request)
	}
	made := map[string]string{}
	for _, name := range names {
		if value := fields[name]; value != "" {
			made[name] = value
		}
	}
	ms, err := strconv.ParseInt(fields[eventlog.At], 10, 64)
	if err != nil || now.Sub(time.UnixMilli(ms)).Abs() > maxCopyDelay {
		made[eventlog.At] = strconv.FormatInt(now.UnixMilli(), 10)
	}
	return made
}
