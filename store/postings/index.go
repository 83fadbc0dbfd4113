package postings

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Index is the search index of every space. It is safe for concurrent use.
type Index struct{ store *txn.Store }

// New returns the index that a store has.
func New(s *txn.Store) *Index { return &Index{s} }

// The search index of a space is derived from the pages of its head. It consists of
// segments, which never change, and of a manifest that names them. What reflects
// another head is brought forward by segments of the pages that differ: see State.

// State says which pages the search index of a space reflects. Whoever
// brings it forward writes the goal first and from where pages may still be;
// every write of pages holds only while the state and the manifest are those that
// it was made of. So of two processes one is stopped.
type State struct {
	Form         string   // of the index, as the caller counts it: another one is built anew
	Organization string   // whose directory leads to the space
	Root         string   // of the map of pages that the index reflects, or will
	Mark         string   // of this goal alone: what was read of a complete index under a mark holds as long as it has it
	Title        string   // of the space, as the directory has it: the caller's fingerprint of it, "" = the directory has none
	From         []string // roots that pages may still reflect; none = the index is complete

	unreadable string // what is stored and is no state
}

// maxRoots bounds From: with more, every page is looked at.
const maxRoots = 8

// Reflects reports whether the index is complete and that of the pages.
func (s State) Reflects(form, org, root string) bool {
	return s.Form == form && s.Organization == org && s.Root == root && len(s.From) == 0
}

// CompleteAt reports whether the index is complete under a mark.
func (s State) CompleteAt(mark string) bool { return s.Mark == mark && len(s.From) == 0 }

// Toward returns the state of bringing the index forward to other pages, under a
// mark that no other goal has. The root "" among From means that every page has to
// be looked at.
func (s State) Toward(root, mark string) State {
	if s.Root == root && len(s.From) > 0 {
		return s
	}
	next := s
	next.Root, next.Mark, next.From = root, mark, slices.Clone(s.From)
	if !slices.Contains(next.From, s.Root) {
		next.From = append(next.From, s.Root)
	}
	if len(next.From) > maxRoots {
		next.From = []string{""}
	}
	return next
}

// Complete returns the state when every page reflects the root.
func (s State) Complete() State {
	s.From = nil
	return s
}

// String is the stored form; that of no index is empty.
func (s State) String() string {
	if s.Form == "" {
		return s.unreadable
	}
	words := []string{s.Form, s.Organization, dash(s.Root), dash(s.Mark)}
	if s.Title != "" {
		words = append(words, titleWord+s.Title)
	}
	for _, root := range s.From {
		words = append(words, dash(root))
	}
	return strings.Join(words, " ")
}

// titleWord begins the word of a title: no root begins with it.
const titleWord = "title="

// parseState reads the stored form. What it cannot read is no state.
func parseState(text string) State {
	words := strings.Fields(text)
	if len(words) < 4 {
		return State{unreadable: text}
	}
	undash := func(root string) string { return strings.TrimPrefix(root, "-") }
	s := State{Form: words[0], Organization: words[1], Root: undash(words[2]), Mark: undash(words[3])}
	for _, word := range words[4:] {
		if title, ok := strings.CutPrefix(word, titleWord); ok {
			s.Title = title
			continue
		}
		s.From = append(s.From, undash(word))
	}
	return s
}

// clearAttempts bounds how often Drop begins again because the index goes on elsewhere.
const clearAttempts = 8

// Drop removes the search index of a space that leaves the organization, by purge or transfer, and the space from the
// directory: searches of the organization do not look for it any more. Cut off, it is continued by the next call. Purge
// calls it before it unlinks the rest of the space.
func (x *Index) Drop(ctx context.Context, org, space string) error {
	if err := x.LeaveDirectory(ctx, org, space); err != nil {
		return err
	}
	if err := x.clearAny(ctx, org, space); err != nil {
		return err
	}
	pipe := x.store.Client.Pipeline()
	pipe.SRem(ctx, x.store.Name(StaleKey(org)), space)
	return redis.Execute(ctx, "sweep.remove", pipe)
}

// clearAny is Clear from any state.
func (x *Index) clearAny(ctx context.Context, org, space string) (err error) {
	for range clearAttempts {
		at, err := x.stored(ctx, space)
		if err != nil && !errors.Is(err, redis.ErrCorrupt) {
			return err
		}
		if err = x.Clear(ctx, org, space, at.state); !errors.Is(err, redis.ErrStale) {
			return err
		}
	}
	return redis.ErrStale
}

// Clear removes the search index of a space while it has a state, else it is ErrStale: who builds the index anew does
// not take away what another process has built meanwhile. The space stays in the directory, which may lead to it in
// vain, and among those whose index is behind, as searches of the organization find it there only until the index is
// complete. Cut off, it is continued by the next call.
func (x *Index) Clear(ctx context.Context, org, space string, was State) error {
	if err := x.dropFormer(ctx, keysOf(org, space), space); err != nil {
		return err
	}
	return x.clear(ctx, space, was)
}

// clear removes an index while it has a state.
func (x *Index) clear(ctx context.Context, space string, was State) error {
	at, err := x.stored(ctx, space)
	if err != nil && !errors.Is(err, redis.ErrCorrupt) {
		return err
	}
	keys, name := keysOf("", space), x.store.Name
	at.state = was
	return x.while(ctx, space, at.unchanged(x), func(pipe goredis.Pipeliner) {
		pipe.Unlink(ctx, name(keys.state()))
		pipe.Unlink(ctx, name(keys.manifest()))
		for _, s := range at.m.segments {
			pipe.Unlink(ctx, name(keys.segment(s.number)))
		}
	})
}

// stored is what an index reflects, and its manifest, both read at once.
type stored struct {
	keys  keys
	state State
	m     *manifest
	text  string // the manifest as it is stored: "" is that of no index
}

// unchanged are the values of keys while an index is as it was read.
func (at stored) unchanged(x *Index) map[string]string {
	return map[string]string{x.store.Name(at.keys.state()): at.state.String(), x.store.Name(at.keys.manifest()): at.text}
}

// stored reads an index. A manifest that is ErrCorrupt has no segments.
func (x *Index) stored(ctx context.Context, space string) (at stored, err error) {
	at.keys = keysOf("", space)
	redis.FailBefore("search.documents")
	values, err := x.store.Client.MGet(ctx, x.store.Name(at.keys.state()), x.store.Name(at.keys.manifest())).Result()
	redis.FailAfter("search.documents")
	if err != nil {
		return at, redis.Wrap(ctx, err)
	}
	state, _ := values[0].(string)
	at.state = parseState(state)
	at.text, _ = values[1].(string)
	if at.m, err = decodeManifest(at.text); err != nil {
		at.m = &manifest{}
		return at, fmt.Errorf("space %s: %w", space, err)
	}
	return at, nil
}

// Move writes the state of a space's index if it still is the old one;
// else it returns ErrStale.
func (x *Index) Move(ctx context.Context, space string, old, next State) error {
	key := x.store.Name(keysOf("", space).state())
	return x.while(ctx, space, map[string]string{key: old.String()}, func(pipe goredis.Pipeliner) {
		pipe.Set(ctx, key, next.String(), 0)
	})
}

// while carries out commands in one transaction if keys of a space's index have these values, else it returns ErrStale.
func (x *Index) while(ctx context.Context, space string, want map[string]string, queue func(pipe goredis.Pipeliner)) error {
	keys := slices.Sorted(maps.Keys(want))
	redis.FailBefore("search.write")
	err := x.store.Client.Watch(ctx, func(tx *goredis.Tx) error {
		values, err := tx.MGet(ctx, keys...).Result()
		if err != nil {
			return err
		}
		for i, key := range keys {
			if have, _ := values[i].(string); have != want[key] {
				return redis.ErrStale
			}
		}
		commands, err := tx.TxPipelined(ctx, func(pipe goredis.Pipeliner) error {
			queue(pipe)
			return nil
		})
		return aborted(commands, err)
	}, keys...)
	if redis.IsFull(err) && redis.FreesSpace(ctx) {
		err = x.whileFull(ctx, keys, want, queue)
	}
	redis.FailAfter("search.write")
	if errors.Is(err, redis.ErrStale) || errors.Is(err, goredis.TxFailedErr) {
		return fmt.Errorf("%w: the search index of %s goes on elsewhere", redis.ErrStale, space)
	}
	return redis.Wrap(ctx, err)
}
