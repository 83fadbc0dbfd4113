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

// indexedHead is the head of a space that the search index reflects, under a mark.
type indexedHead struct {
	head store.Head
	mark string
}

// indexStates are the heads of spaces and the states of their indexes, as a batch reads them.
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

// get returns the spaces whose indexes reflect their heads, and those that are behind.
func (r *indexStates) get() (found map[string]indexedHead, behind []string, err error) {
	texts := r.heads.Value()
	found = make(map[string]indexedHead, len(r.spaces))
	for i, space := range r.spaces {
		head, err := store.ParseHead(texts[space])
		if err != nil {
			return nil, nil, err
		}
		state := r.states[i].Value() // what cannot be read is built anew
		if !state.Reflects(terms.Form, r.org, head.Revision) {
			behind = append(behind, space)
			continue
		}
		found[space] = indexedHead{head, state.Mark}
	}
	return found, behind, nil
}

// indexed brings indexes to their heads that were behind when a batch read them, and returns the heads of all but
// those that cannot be read. The patience of the request is limited.
func (s *Service) indexed(ctx, limited context.Context, r *indexStates) (heads map[string]indexedHead, unreadable map[string]error, err error) {
	unreadable = map[string]error{}
	for range searchAttempts {
		found, behind, err := r.get()
		if err != nil || len(behind) == 0 {
			return found, unreadable, err
		}
		for i, space := range behind {
			err := s.indexForSearch(ctx, limited, r.org, behind[i:])
			if _, damaged := objects.AsUnreadable(err); damaged {
				unreadable[space] = err
			} else if err != nil {
				return nil, nil, err
			}
		}
		b := s.Store.Pipeline()
		rest := slices.DeleteFunc(slices.Clone(r.spaces), func(space string) bool { return unreadable[space] != nil })
		r = queueIndexStates(b, r.org, rest)
		if err := b.Do(ctx); err != nil {
			return nil, nil, fmt.Errorf("read search index: %w", err)
		}
	}
	return nil, nil, txn.ErrBusy
}

// indexedNow is indexed of what it reads itself.
func (s *Service) indexedNow(ctx, limited context.Context, org string, spaces []string) (heads map[string]indexedHead, unreadable map[string]error, err error) {
	b := s.Store.Pipeline()
	r := queueIndexStates(b, org, spaces)
	if err := b.Do(ctx); err != nil {
		return nil, nil, fmt.Errorf("read search index: %w", err)
	}
	return s.indexed(ctx, limited, r)
}
