package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	// A directory has the beginnings of words of these many letters: an unfinished word leads to all spaces that have it,
	// however many words begin so.
	leastBeginning = terms.MinPrefix
	mostBeginning  = 3
	// spacesMarked is how many spaces one transaction marks as behind.
	spacesMarked = 200
)

// beginDirectory begins the directory of an organization in this form. What was known of the spaces that have an index
// is forgotten: all of them are behind until they are indexed anew, and in the new directory.
func (s *Service) beginDirectory(ctx context.Context, org string) error {
	done, err := s.turns.Take(ctx, org)
	if err != nil {
		return err
	}
	defer done()
	was, err := s.stateOf(ctx, org)
	if err != nil || was.Form == terms.Form {
		return err
	}
	return s.beginDirectoryFrom(ctx, org, was)
}

func (s *Service) beginDirectoryFrom(ctx context.Context, org string, was postings.State) error {
	spaces, err := s.Store.SpacesOf(ctx, org)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(spaces, spacesMarked) {
		if err := s.forget(ctx, org, chunk); err != nil {
			return err
		}
	}
	return s.Store.Search.BeginDirectory(ctx, org, was, postings.State{Form: terms.Form, Organization: org, Root: s.IDs.New("ix_")})
}

// forget marks those of spaces as behind that have an index, and has it built anew. The others are behind already.
func (s *Service) forget(ctx context.Context, org string, spaces []string) error {
	b := s.Store.Pipeline()
	states := make([]*txn.Reply[postings.State], len(spaces))
	for i, space := range spaces {
		states[i] = postings.ReadState(b, space)
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read search index: %w", err)
	}
	var indexed []string
	for i, space := range spaces {
		if state := states[i].Value(); state.String() != "" {
			indexed = append(indexed, space)
		}
	}
	if err := s.indexLater(ctx, org, indexed); err != nil {
		return err
	}
	return s.Store.Search.Forget(ctx, indexed)
}

// stateOf reads what an index reflects.
func (s *Service) stateOf(ctx context.Context, id string) (postings.State, error) {
	b := s.Store.Pipeline()
	state := postings.ReadState(b, id)
	if err := b.Do(ctx); err != nil {
		return postings.State{}, fmt.Errorf("read search index: %w", err)
	}
	return state.Value(), nil
}

// giveUpDirectory begins a directory anew that cannot be read. It is ErrStale: who has come to read it reads it again.
func (s *Service) giveUpDirectory(ctx context.Context, org string) error {
	was, err := s.stateOf(ctx, org)
	if err == nil {
		err = s.beginDirectoryFrom(ctx, org, was)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the search directory of %s cannot be read", redis.ErrStale, org)
}

// announce adds words of a space to the directory, and the terms by which they are found. A space that has left meanwhile
// is taken out again: whoever has seen it off has looked there before.
func (s *Service) announce(ctx context.Context, org, space string, words, wordTerms []string) error {
	done, err := s.turns.Take(ctx, org)
	if err != nil {
		return err
	}
	defer done()
	err = s.Store.Search.Announce(ctx, org, space, terms.Form, wordTerms, words)
	if errors.Is(err, redis.ErrCorrupt) {
		return s.giveUpDirectory(ctx, org)
	}
	if err != nil {
		return err
	}
	b := s.Store.Pipeline()
	head := b.Field(store.HeadsKey(org), space)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read search index: %w", err)
	}
	if _, there := head.Get(); !there {
		return cmp.Or(s.Store.Search.LeaveDirectory(ctx, org, space), error(api.NotFound()))
	}
	return nil
}

// directoryTerms are what a directory finds words by: their terms and beginnings.
func directoryTerms(words []string, termOf func(word string) string) []string {
	terms, beginnings := make(map[string]bool, len(words)), map[string]bool{}
	for _, word := range words {
		terms[termOf(word)] = true
		letters := 0
		for at := range word + " " {
			if letters >= leastBeginning && letters <= mostBeginning {
				beginnings[word[:at]] = true
			}
			letters++
		}
	}
	all := slices.AppendSeq(make([]string, 0, len(terms)+len(beginnings)), maps.Keys(terms))
	for letters := range beginnings {
		all = append(all, postings.Beginning(letters))
	}
	return all
}
