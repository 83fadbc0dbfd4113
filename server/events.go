package server

import (
	"context"
	"errors"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// DefaultEventsKept is the default time for which events are kept.
const DefaultEventsKept = 90 * 24 * time.Hour

// eventsSlack is the time by which the oldest event of an organization exceeds the time for which events are kept before a job removes
// it, so that a job removes more than a few.
const eventsSlack = time.Hour

// scheduleEventRemovals schedules removeEvents for the organizations that have events older than they are kept.
func (s *Server) scheduleEventRemovals(ctx context.Context, organizations []string) error {
	oldest, err := store.OldestEvents(ctx, s.store, organizations)
	if err != nil {
		return err
	}
	now, err := s.store.KeyTime(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return err
	}
	for org, at := range oldest {
		if now.Sub(at) < s.eventsKept+eventsSlack {
			continue
		}
		err := s.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.ScheduleOnce(org, store.EventsJob(org), 0)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeEvents runs the job that removes the events of an organization that are older than they are kept.
func (s *Server) removeEvents(ctx context.Context, lease store.Lease) error {
	org := lease.Organization
	oldest, err := store.OldestEvents(ctx, s.store, []string{org})
	if err != nil {
		return err
	}
	at, found := oldest[org]
	var before time.Time
	err = s.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		if before, err = s.endOfEvents(ctx, tx, at, found); err != nil {
			return err
		}
		if !before.IsZero() {
			tx.RemoveEvents(before)
		}
		return lease.Finish(tx.Tx)
	})
	if err == nil && !before.IsZero() {
		s.log.Info("events that are older than they are kept are removed", "organization", org, "before", before, "oldest", at)
	}
	return err
}

// endOfEvents returns the time before which events are to be removed, given that of the oldest one. It is zero if none are, or while
// removals are on hold: then the job is scheduled again later.
func (s *Server) endOfEvents(ctx context.Context, tx *store.Tx, oldest time.Time, found bool) (time.Time, error) {
	if !found {
		return time.Time{}, nil
	}
	delay, err := tx.RemovalDelay(ctx, oldest.Add(s.eventsKept))
	if delay > 0 || errors.Is(err, redis.ErrRemovalHeld) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	now, err := tx.Time()
	return now.Add(-s.eventsKept), err
}
