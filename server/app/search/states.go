package search

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/txn"
)

// indexedHead is the head of a space that its index reflects, and the mark of the index.
type indexedHead struct {
	head store.Head
	mark string
}

// indexStates holds the heads of spaces and the states of their indexes, read in a batch.
type indexStates struct {
	org    string
	spaces []string
	heads  *txn.Reply[map[string]string]
	states []*txn.Reply[postings.State]
}

func queueIndexStates(b *txn.Batch, org string, spaces []string) *indexStates {
	r := &indexStates{org: org, spaces: spaces, heads: b.Fields(store.HeadsKey(org), spaces...)}
	for _, space := range spaces {
		r.states = append(r.states, postings.ReadState(b, space))
	}
	return r
}

// get returns the spaces whose indexes reflect their heads, and the stale ones.
func (r *indexStates) get() (found map[string]indexedHead, stale []string, err error) {
	texts := r.heads.Value()
	found = make(map[string]indexedHead, len(r.spaces))
	for i, space := range r.spaces {
		head, err := store.ParseHead(texts[space])
		if err != nil {
			return nil, nil, err
		}
		state := r.states[i].Value() // the zero state if the index is unreadable, so that it is rebuilt
		if !state.Reflects(terms.IndexVersion, r.org, head.Revision) {
			stale = append(stale, space)
			continue
		}
		found[space] = indexedHead{head, state.Mark}
	}
	return found, stale, nil
}

// ensureIndexed updates the stale indexes and returns the heads of all spaces, except the unreadable ones. The
// context limited ends at the request's deadline.
func (s *Service) ensureIndexed(ctx, limited context.Context, r *indexStates) (heads map[string]indexedHead, unreadable map[string]error,
	err error,
) {
	unreadable = map[string]error{}
	for range indexAttempts {
		found, stale, err := r.get()
		if err != nil || len(stale) == 0 {
			return found, unreadable, err
		}
		for i, space := range stale {
			err := s.indexForSearch(ctx, limited, r.org, stale[i:])
			if _, damaged := objects.AsUnreadable(err); damaged {
				unreadable[space] = err
			} else if err != nil {
				return nil, nil, err
			}
		}
		b := s.Store.NewBatch()
		rest := slices.DeleteFunc(slices.Clone(r.spaces), func(space string) bool { return unreadable[space] != nil })
		r = queueIndexStates(b, r.org, rest)
		if err := b.Do(ctx); err != nil {
			return nil, nil, fmt.Errorf("read search index: %w", err)
		}
	}
	return nil, nil, txn.ErrBusy
}

// readIndexed reads the states of the spaces' indexes and calls ensureIndexed.
func (s *Service) readIndexed(ctx, limited context.Context, org string, spaces []string) (heads map[string]indexedHead,
	unreadable map[string]error, err error,
) {
	b := s.Store.NewBatch()
	r := queueIndexStates(b, org, spaces)
	if err := b.Do(ctx); err != nil {
		return nil, nil, fmt.Errorf("read search index: %w", err)
	}
	return s.ensureIndexed(ctx, limited, r)
}
