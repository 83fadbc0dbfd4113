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
	// A directory contains the prefixes of words with these lengths, so that an unfinished word leads to all spaces with a word
	// that begins with it, regardless of the number of such words.
	minPrefixLen = terms.MinPrefix
	maxPrefixLen = 3
	// markBatch is the number of spaces that one transaction marks as stale.
	markBatch = 200
)

// beginDirectory creates the directory of an organization in the current format. All spaces with an index are marked
// as stale until they are indexed again, which adds them to the new directory.
func (s *Service) beginDirectory(ctx context.Context, org string) error {
	done, err := s.locks.Lock(ctx, org)
	if err != nil {
		return err
	}
	defer done()
	was, err := s.indexState(ctx, org)
	if err != nil || was.Version == terms.IndexVersion {
		return err
	}
	return s.beginDirectoryFrom(ctx, org, was)
}

func (s *Service) beginDirectoryFrom(ctx context.Context, org string, was postings.State) error {
	spaces, err := s.Store.LoadSpaces(ctx, org)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(spaces, markBatch) {
		if err := s.markStale(ctx, org, chunk); err != nil {
			return err
		}
	}
	return s.Store.Search.BeginDirectory(ctx, org, was, postings.State{
		Version: terms.IndexVersion, Organization: org, Root: s.IDs.New("ix_"),
	})
}

// markStale marks the given spaces that have an index as stale and schedules their indexing. The others are marked already.
func (s *Service) markStale(ctx context.Context, org string, spaces []string) error {
	b := s.Store.NewBatch()
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
	return s.Store.Search.Invalidate(ctx, indexed)
}

// indexState reads the state of the index of a space or of the directory of an organization, given its id.
func (s *Service) indexState(ctx context.Context, id string) (postings.State, error) {
	b := s.Store.NewBatch()
	state := postings.ReadState(b, id)
	if err := b.Do(ctx); err != nil {
		return postings.State{}, fmt.Errorf("read search index: %w", err)
	}
	return state.Value(), nil
}

// resetDirectory recreates a directory that cannot be read. It returns ErrStale, so that the caller reads it again.
func (s *Service) resetDirectory(ctx context.Context, org string) error {
	was, err := s.indexState(ctx, org)
	if err == nil {
		err = s.beginDirectoryFrom(ctx, org, was)
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the search directory of %s cannot be read", redis.ErrStale, org)
}

// addToDirectory adds words of a space, and the terms by which they are found, to the directory. It removes a space
// that was deleted in the meantime: the deletion cleared the directory before.
func (s *Service) addToDirectory(ctx context.Context, org, space string, words, wordTerms []string) error {
	done, err := s.locks.Lock(ctx, org)
	if err != nil {
		return err
	}
	defer done()
	err = s.Store.Search.AddToDirectory(ctx, org, space, terms.IndexVersion, wordTerms, words)
	if errors.Is(err, redis.ErrCorrupt) {
		return s.resetDirectory(ctx, org)
	}
	if err != nil {
		return err
	}
	b := s.Store.NewBatch()
	head := b.Field(store.HeadsKey(org), space)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read search index: %w", err)
	}
	if _, there := head.Get(); !there {
		return cmp.Or(s.Store.Search.RemoveFromDirectory(ctx, org, space), error(api.NotFound()))
	}
	return nil
}

// directoryTerms returns the terms of words and the terms of their prefixes, by which the directory lists a space.
func directoryTerms(words []string, termOf func(word string) string) []string {
	terms, beginnings := make(map[string]bool, len(words)), map[string]bool{}
	for _, word := range words {
		terms[termOf(word)] = true
		letters := 0
		for at := range word + " " {
			if letters >= minPrefixLen && letters <= maxPrefixLen {
				beginnings[word[:at]] = true
			}
			letters++
		}
	}
	all := slices.AppendSeq(make([]string, 0, len(terms)+len(beginnings)), maps.Keys(terms))
	for letters := range beginnings {
		all = append(all, postings.PrefixTerm(letters))
	}
	return all
}
