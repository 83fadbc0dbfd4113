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

// scheduleEventRemovals schedules removeEvents for the organizations that have events older, or more, than are kept.
func (s *Server) scheduleEventRemovals(ctx context.Context, organizations []string) error {
	logs, err := store.EventLogs(ctx, s.store, organizations)
	if err != nil {
		return err
	}
	now, err := s.store.KeyTime(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return err
	}
	scheduled, others := []string{}, map[string]store.EventLog{}
	for org, log := range logs {
		if _, exceeds := log.Excess(); exceeds || now.Sub(log.Oldest) >= log.KeptAge(s.eventsKept)+eventsSlack {
			scheduled = append(scheduled, org)
		} else if log.MayExceedQuota() {
			others[org] = log
		}
	}
	if err := store.MeasureEventLogs(ctx, s.store, others, false); err != nil {
		return err
	}
	for org, log := range others {
		if _, exceeds := log.Excess(); exceeds {
			scheduled = append(scheduled, org)
		}
	}
	for _, org := range scheduled {
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

// eventRemoval describes the events that a job removes.
type eventRemoval struct {
	before time.Time // those before are removed because of their age; zero = none
	keep   int64     // all but this number of the latest are removed; 0 = none
}

// removeEvents runs the job that removes the events of an organization that are older, or more, than are kept.
func (s *Server) removeEvents(ctx context.Context, lease store.Lease) error {
	org := lease.Organization
	logs, err := store.EventLogs(ctx, s.store, []string{org})
	if err != nil {
		return err
	}
	if err := store.MeasureEventLogs(ctx, s.store, logs, true); err != nil {
		return err
	}
	log, found := logs[org]
	var removal eventRemoval
	err = s.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) (err error) {
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		removal = eventRemoval{}
		if found {
			if removal, err = s.removableEvents(ctx, tx, log); err != nil {
				return err
			}
		}
		if !removal.before.IsZero() {
			tx.RemoveEvents(removal.before)
		}
		tx.KeepEvents(removal.keep)
		return lease.Finish(tx.Tx)
	})
	if err != nil {
		return err
	}
	if !removal.before.IsZero() {
		s.log.Info("events that are older than they are kept are removed", "organization", org, "before", removal.before,
			"oldest", log.Oldest)
	}
	if removal.keep > 0 {
		s.log.Info("events that are more than the organization may keep are removed", "organization", org, "kept", removal.keep,
			"entries", log.Entries, "bytes", log.Bytes, "maxBytes", log.MaxBytes, "maxEntries", log.MaxEntries, "oldest", log.Oldest)
	}
	return nil
}

// removableEvents returns the events of a log that are to be removed. There are none while removals are on hold: then the job is
// scheduled again later.
func (s *Server) removableEvents(ctx context.Context, tx *store.Tx, log store.EventLog) (none eventRemoval, err error) {
	delay, err := tx.RemovalDelay(ctx, log.Oldest)
	if delay > 0 || errors.Is(err, redis.ErrRemovalHeld) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	now, err := tx.Time()
	if err != nil {
		return none, err
	}
	var removal eventRemoval
	if before := now.Add(-log.KeptAge(s.eventsKept)); before.After(log.Oldest) {
		removal.before = before
	}
	if keep, exceeds := log.Excess(); exceeds {
		removal.keep = keep
	}
	return removal, nil
}
