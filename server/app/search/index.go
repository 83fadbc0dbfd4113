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
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	// Patience is how long a search waits for the index to reach the head before it asks to try again after
	// searchRetry. What was indexed until then stays, and a job goes on.
	Patience    = 10 * time.Second
	searchRetry = 5 * time.Second
	// searchChunk is how many pages are read at a time.
	searchChunk = 16
	// searchAttempts bounds how often an index that goes on elsewhere is begun again.
	searchAttempts = 8
)

// indexForSearch brings the index of the first of some spaces to its head within the patience of a request, which is
// limited: a job has normally done that already, or is at it, so that little is missing. Where the patience ends, jobs
// go on with all of them.
func (s *Service) indexForSearch(ctx, limited context.Context, org string, spaces []string) error {
	err := s.indexSpace(limited, org, spaces[0])
	if api.IsReason(err, api.ReasonNotFound) { // it has left since: who came to search it decides anew where
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

// indexLater has jobs go on with the indexes of spaces.
func (s *Service) indexLater(ctx context.Context, org string, spaces []string) error {
	for chunk := range slices.Chunk(spaces, spacesMarked) {
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, space := range chunk {
				if _, ok, err := tx.Head(org, space); err != nil {
					return err
				} else if ok {
					tx.SearchBehind(org, space)
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

// IndexForAll is the job that brings the index of a space to its head before somebody searches. It ends when the index
// is there: whoever has brought it there has taken the job out.
func (s *Service) IndexForAll(ctx context.Context, lease store.Lease) error {
	org, space := lease.Organization, lease.Arg
	gone := false
	for !gone {
		if err := s.indexSpace(ctx, org, space); err != nil && !api.IsReason(err, api.ReasonNotFound) {
			return err
		}
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if err := lease.Hold(tx.Tx); err != nil {
				return err // done, or another node's
			}
			_, ok, err := tx.Head(org, space)
			if gone = err == nil && !ok; gone {
				return lease.Finish(tx.Tx)
			}
			return err // the head has moved meanwhile
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// indexSpace brings the index of a space to its head. What another process does at the same time is met, not
// repeated.
func (s *Service) indexSpace(ctx context.Context, org, space string) error {
	done, err := s.turns.Take(ctx, space)
	if err != nil {
		return err
	}
	defer done()
	for range searchAttempts {
		if err = s.indexOnce(ctx, org, space); !errors.Is(err, redis.ErrStale) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", txn.ErrBusy, err)
}

func (s *Service) indexOnce(ctx context.Context, org, space string) error {
	b := s.Store.Pipeline()
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
	title, err := titleIn(record)
	if err != nil {
		return err
	}
	if at := directory.Value(); at.Form != terms.Form {
		if err := s.beginDirectory(ctx, org); err != nil {
			return err
		}
		return redis.ErrStale // what was read of the space may be forgotten since
	}
	state := indexed.Value()
	if state.Form != terms.Form || state.Organization != org {
		if state, err = s.beginIndex(ctx, org, space, state); err != nil {
			return err
		}
	}
	if !state.Reflects(terms.Form, org, head.Revision) || state.Title != title.fingerprint() {
		if err := s.bringIndex(ctx, org, space, state, head, title); err != nil {
			return err
		}
	}
	return s.indexReady(ctx, org, space, head, title)
}

// titleIn is the title in the record of a space.
func titleIn(record *txn.Future[txn.Record]) (title spaceTitle, err error) {
	stored, ok, err := record.Get()
	if err != nil || !ok {
		return title, err
	}
	var d store.SpaceDocument
	err = d.Decode(stored)
	return titleOf(d.Fields.Title), err
}

// indexReady takes a space from those that are behind, if its head and title are still those that the index reflects.
func (s *Service) indexReady(ctx context.Context, org, space string, head store.Head, title spaceTitle) error {
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		now, ok, err := tx.Head(org, space)
		if err != nil || !ok || now.Revision != head.Revision {
			return err
		}
		d, err := tx.Space(org, space)
		if err == nil && d.Fields.Title == title.text {
			tx.SearchReady(org, space)
		}
		return err
	})
}

// beginIndex begins the index of a space anew, which was made in another form or for another organization, if at all.
// The space is marked as behind first: until the index is complete, searches of the organization ask for it by name.
func (s *Service) beginIndex(ctx context.Context, org, space string, was postings.State) (postings.State, error) {
	if was.Form != "" {
		if err := s.indexLater(ctx, org, []string{space}); err != nil {
			return was, err
		}
	}
	if err := s.Store.Search.Clear(ctx, org, space, was); err != nil {
		return was, err
	}
	fresh := postings.State{Form: terms.Form, Organization: org}
	return fresh, s.Store.Search.Move(ctx, space, postings.State{}, fresh)
}

// bringIndex indexes what differs between a state and a head. What is new in it is announced to the organization first,
// with the title of the space if that is new.
func (s *Service) bringIndex(ctx context.Context, org, space string, state postings.State, head store.Head, title spaceTitle) error {
	goal := state.Toward(head.Revision, s.IDs.New("ix_"))
	if goal.Mark != state.Mark {
		if err := s.Store.Search.Move(ctx, space, state, goal); err != nil {
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
			pass.announced = title.folded()
		}
		err = pass.run(ctx, goal)
	}
	if errors.Is(err, redis.ErrCorrupt) {
		return s.abandon(ctx, org, space)
	}
	if err != nil {
		return err
	}
	complete := goal.Complete()
	complete.Title = title.fingerprint()
	return s.Store.Search.Move(ctx, space, goal, complete)
}

// abandon takes away an index that cannot be read, so that it is built anew. It is ErrStale: who has come to read it
// reads it again.
func (s *Service) abandon(ctx context.Context, org, space string) error {
	was, err := s.stateOf(ctx, space)
	if err == nil {
		_, err = s.beginIndex(ctx, org, space, was)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the search index of %s cannot be read", redis.ErrStale, space)
}
