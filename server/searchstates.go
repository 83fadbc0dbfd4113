package server

import (
	"context"
	"fmt"

	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
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
	heads  *store.Future[map[string]string]
	states []*store.Future[store.SearchState]
}

func queueIndexStates(b *store.Batch, org string, spaces []string) *indexStates {
	r := &indexStates{org: org, spaces: spaces, heads: b.Fields(store.HeadsKey(org), spaces...)}
	for _, space := range spaces {
		r.states = append(r.states, b.SearchState(space))
	}
	return r
}

// get returns the spaces whose indexes reflect their heads, and those that are behind.
func (r *indexStates) get() (found map[string]indexedHead, behind []string, err error) {
	texts, _, err := r.heads.Get()
	if err != nil {
		return nil, nil, err
	}
	found = make(map[string]indexedHead, len(r.spaces))
	for i, space := range r.spaces {
		head, err := store.ParseHead(texts[space])
		if err != nil {
			return nil, nil, err
		}
		state, _, _ := r.states[i].Get() // what cannot be read is built anew
		if !state.Reflects(search.Form, r.org, head.Pages) {
			behind = append(behind, space)
			continue
		}
		found[space] = indexedHead{head, state.Mark}
	}
	return found, behind, nil
}

// indexed brings indexes to their heads that were behind when a batch read them, and returns the heads of all.
func (s *Server) indexed(ctx context.Context, r *indexStates) (map[string]indexedHead, error) {
	for range searchAttempts {
		found, behind, err := r.get()
		if err != nil || len(behind) == 0 {
			return found, err
		}
		for _, space := range behind {
			if err := s.indexForSearch(ctx, r.org, space); err != nil {
				return nil, err
			}
		}
		b := s.store.Pipeline()
		r = queueIndexStates(b, r.org, r.spaces)
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("read search index: %w", err)
		}
	}
	return nil, store.ErrBusy
}

// indexedNow is indexed of what it reads itself.
func (s *Server) indexedNow(ctx context.Context, org string, spaces []string) (map[string]indexedHead, error) {
	b := s.store.Pipeline()
	r := queueIndexStates(b, org, spaces)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read search index: %w", err)
	}
	return s.indexed(ctx, r)
}
