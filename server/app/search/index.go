package search

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	// MaxIndexWait is the maximum time a search waits for the index to reach the head. After it, the client is asked to
	// retry after searchRetry, and a job continues indexing from there.
	MaxIndexWait = 10 * time.Second
	searchRetry  = 5 * time.Second
	// indexChunk is the number of pages read at a time.
	indexChunk = 16
	// indexAttempts is the number of attempts to update an index that is concurrently updated elsewhere.
	indexAttempts = 8
)

// indexForSearch updates the index of the first of the spaces to its head; the context limited ends at the request's
// deadline. Usually a job has already updated it or is about to. At the deadline, jobs are scheduled for all of the
// spaces.
func (s *Service) indexForSearch(ctx, limited context.Context, org string, spaces []string) error {
	err := s.indexSpace(limited, org, spaces[0])
	if api.IsReason(err, api.ReasonNotFound) { // deleted in the meantime; the caller reads the list of spaces again
		return redis.ErrStale
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		if err := s.indexLater(ctx, org, spaces); err != nil {
			return err
		}
		e := api.Errorf(http.StatusServiceUnavailable, api.ReasonUnavailable, "The search index of %s is being built.", spaces[0]).
			WithHint("Try again in a moment: it goes on without you.")
		e.RetryAfter = searchRetry
		return e
	}
	return err
}

// indexLater schedules jobs that update the indexes of the spaces.
func (s *Service) indexLater(ctx context.Context, org string, spaces []string) error {
	for chunk := range slices.Chunk(spaces, markBatch) {
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, space := range chunk {
				if _, ok, err := tx.Head(org, space); err != nil {
					return err
				} else if ok {
					tx.MarkSearchStale(org, space)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// RunIndexJob runs the job that updates the index of a space ahead of searches. The job is removed together with the
// update that reaches the head.
func (s *Service) RunIndexJob(ctx context.Context, lease store.Lease) error {
	org, space := lease.Organization, lease.Arg
	gone := false
	for !gone {
		if err := s.indexSpace(ctx, org, space); err != nil && !api.IsReason(err, api.ReasonNotFound) {
			return err
		}
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if err := lease.Require(tx.Tx); err != nil {
				return err // the lease has ended: the job is done, possibly by another node
			}
			_, ok, err := tx.Head(org, space)
			if gone = err == nil && !ok; gone {
				return lease.Finish(tx.Tx)
			}
			return err // nil if the head has moved: the loop indexes again
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// indexSpace updates the index of a space to its head. Concurrent updates by other processes are reused, not
// repeated.
func (s *Service) indexSpace(ctx context.Context, org, space string) error {
	done, err := s.locks.Lock(ctx, space)
	if err != nil {
		return err
	}
	defer done()
	for range indexAttempts {
		if err = s.indexOnce(ctx, org, space); !errors.Is(err, redis.ErrStale) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", txn.ErrBusy, err)
}

func (s *Service) indexOnce(ctx context.Context, org, space string) error {
	b := s.Store.NewBatch()
	headText, indexed, directory := b.Field(store.HeadsKey(org), space), postings.ReadState(b, space), postings.ReadState(b, org)
	record := b.Record(store.SpaceKey(org, space))
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read search index: %w", err)
	}
	text, ok := headText.Get()
	if !ok {
		return api.NotFound()
	}
	head, err := store.ParseHead(text)
	if err != nil {
		return err
	}
	title, err := decodeTitle(record)
	if err != nil {
		return err
	}
	if at := directory.Value(); at.Version != terms.IndexVersion {
		if err := s.beginDirectory(ctx, org); err != nil {
			return err
		}
		return redis.ErrStale // the values read for the space may be outdated
	}
	state := indexed.Value()
	if state.Version != terms.IndexVersion || state.Organization != org {
		if state, err = s.beginIndex(ctx, org, space, state); err != nil {
			return err
		}
	}
	if !state.Reflects(terms.IndexVersion, org, head.Revision) || state.Title != title.fingerprint() {
		if err := s.advanceIndex(ctx, org, space, state, head, title); err != nil {
			return err
		}
	}
	return s.markIndexed(ctx, org, space, head, title)
}

// decodeTitle returns the title in the record of a space.
func decodeTitle(record *txn.Future[txn.Record]) (title spaceTitle, err error) {
	stored, ok, err := record.Get()
	if err != nil || !ok {
		return title, err
	}
	var d store.SpaceDocument
	err = d.Decode(stored)
	return newSpaceTitle(d.Fields.Title), err
}

// markIndexed removes a space from the set of stale spaces if the index still reflects its head and title.
func (s *Service) markIndexed(ctx context.Context, org, space string, head store.Head, title spaceTitle) error {
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		now, ok, err := tx.Head(org, space)
		if err != nil || !ok || now.Revision != head.Revision {
			return err
		}
		d, err := tx.Space(org, space)
		if err == nil && d.Fields.Title == title.text {
			tx.MarkSearchCurrent(org, space)
		}
		return err
	})
}

// beginIndex creates the index of a space that has no index or one of another version or organization. The space is
// marked as stale first: until the index is complete, searches of the organization read it by name.
func (s *Service) beginIndex(ctx context.Context, org, space string, was postings.State) (postings.State, error) {
	if was.Version != "" {
		if err := s.indexLater(ctx, org, []string{space}); err != nil {
			return was, err
		}
	}
	if err := s.Store.Search.Clear(ctx, org, space, was); err != nil {
		return was, err
	}
	fresh := postings.State{Version: terms.IndexVersion, Organization: org}
	return fresh, s.Store.Search.SetState(ctx, space, postings.State{}, fresh)
}

// advanceIndex indexes the differences between a state and a head. New words, and a new title of the space, are added
// to the directory first.
func (s *Service) advanceIndex(ctx context.Context, org, space string, state postings.State, head store.Head, title spaceTitle) error {
	goal := state.UpdateTo(head.Revision, s.IDs.New("ix_"))
	if goal.Mark != state.Mark {
		if err := s.Store.Search.SetState(ctx, space, state, goal); err != nil {
			return err
		}
	}
	v, err := s.Reading.At(ctx, s.Store.Content(space), head)
	if err != nil {
		return err
	}
	indexer, err := s.Store.Search.Indexer(ctx, space, goal)
	if err == nil {
		pass := indexPass{Service: s, org: org, content: s.Store.Content(space), view: v, indexer: indexer}
		if goal.Title != title.fingerprint() {
			pass.titleWords = title.foldedWords()
		}
		err = pass.run(ctx, goal)
	}
	// the index is corrupt, not the content
	if _, unreadable := objects.AsUnreadable(err); !unreadable && errors.Is(err, redis.ErrCorrupt) {
		return s.dropIndex(ctx, org, space)
	}
	if err != nil {
		return err
	}
	complete := goal.Complete()
	complete.Title = title.fingerprint()
	return s.Store.Search.SetState(ctx, space, goal, complete)
}

// dropIndex deletes an index that cannot be read, so that it is rebuilt. It returns ErrStale, so that the caller
// reads it again.
func (s *Service) dropIndex(ctx context.Context, org, space string) error {
	was, err := s.indexState(ctx, space)
	if err == nil {
		_, err = s.beginIndex(ctx, org, space, was)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the search index of %s cannot be read", redis.ErrStale, space)
}
