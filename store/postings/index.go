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

// New returns the index of a store.
func New(s *txn.Store) *Index { return &Index{s} }

// The search index of a space is derived from the pages of its head. It consists of immutable segments and a manifest
// that lists them. An index of another head is updated with segments of the pages that differ: see State.

// State describes which pages the search index of a space reflects. An update first writes its goal and the roots
// that pages may still reflect. Every write of pages is conditional on the state and the manifest that it is based
// on, so one of two concurrent updates fails.
type State struct {
	Version      string   // version of the index format, chosen by the caller; an index of another version is rebuilt
	Organization string   // organization whose directory contains the space
	Root         string   // root of the page map that the index reflects or will reflect
	Mark         string   // unique name of the goal: reads of a complete index are valid while its mark is unchanged
	Title        string   // fingerprint of the space title in the directory; "" = none
	From         []string // roots that pages may still reflect; none = the index is complete

	unreadable string // stored text that is not a valid state
}

// maxRoots is the maximum length of From; if it is exceeded, every page is compared.
const maxRoots = 8

// Reflects reports whether the index is complete, has the version, and reflects the pages of root.
func (s State) Reflects(version, org, root string) bool {
	return s.Version == version && s.Organization == org && s.Root == root && len(s.From) == 0
}

// IsComplete reports whether the index is complete with the mark.
func (s State) IsComplete(mark string) bool { return s.Mark == mark && len(s.From) == 0 }

// UpdateTo returns the state of an update to another root with a unique mark. The root "" in From means that every page
// must be compared.
func (s State) UpdateTo(root, mark string) State {
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

// Complete returns the state in which every page reflects the root.
func (s State) Complete() State {
	s.From = nil
	return s
}

// String returns the stored form, which is empty for the zero state.
func (s State) String() string {
	if s.Version == "" {
		return s.unreadable
	}
	words := []string{s.Version, s.Organization, rootOrDash(s.Root), rootOrDash(s.Mark)}
	if s.Title != "" {
		words = append(words, titlePrefix+s.Title)
	}
	for _, root := range s.From {
		words = append(words, rootOrDash(root))
	}
	return strings.Join(words, " ")
}

// titlePrefix is the prefix of a title. No root has it.
const titlePrefix = "title="

// parseState parses the stored form. Invalid text yields a state with unreadable set.
func parseState(text string) State {
	words := strings.Fields(text)
	if len(words) < 4 {
		return State{unreadable: text}
	}
	undash := func(root string) string { return strings.TrimPrefix(root, "-") }
	s := State{Version: words[0], Organization: words[1], Root: undash(words[2]), Mark: undash(words[3])}
	for _, word := range words[4:] {
		if title, ok := strings.CutPrefix(word, titlePrefix); ok {
			s.Title = title
			continue
		}
		s.From = append(s.From, undash(word))
	}
	return s
}

// clearAttempts is the maximum number of attempts of Drop while the index is updated concurrently.
const clearAttempts = 8

// Drop removes the search index of a space that leaves the organization by purge or transfer, and removes the space
// from the directory, so that searches no longer use it. An interrupted call is continued by the next one. Purge
// calls it before it unlinks the other keys of the space.
func (x *Index) Drop(ctx context.Context, org, space string) error {
	if err := x.RemoveFromDirectory(ctx, org, space); err != nil {
		return err
	}
	if err := x.clearAny(ctx, org, space); err != nil {
		return err
	}
	pipe := x.store.Client.Pipeline()
	pipe.SRem(ctx, x.store.Name(StaleKey(org)), space)
	return redis.Execute(ctx, "sweep.remove", pipe)
}

// clearAny is Clear for an index in any state. It is repeated if the index changes concurrently, up to clearAttempts times;
// then it returns ErrStale.
func (x *Index) clearAny(ctx context.Context, org, space string) (err error) {
	for range clearAttempts {
		current, err := x.readIndex(ctx, space)
		if err != nil && !errors.Is(err, redis.ErrCorrupt) {
			return err
		}
		if err = x.Clear(ctx, org, space, current.state); !errors.Is(err, redis.ErrStale) {
			return err
		}
	}
	return redis.ErrStale
}

// Clear removes the search index of a space if it has the state was, and returns ErrStale otherwise, so that a
// rebuild does not remove the result of a concurrent one. The space stays in the directory and in the set of stale
// spaces, by which searches of the organization find it until the index is complete. An interrupted call is continued
// by the next one.
func (x *Index) Clear(ctx context.Context, org, space string, was State) error {
	if err := x.dropFormerKeys(ctx, keysOf(org, space), space); err != nil {
		return err
	}
	return x.clear(ctx, space, was)
}

// clear removes an index if its state is was; otherwise it returns ErrStale.
func (x *Index) clear(ctx context.Context, space string, was State) error {
	current, err := x.readIndex(ctx, space)
	if err != nil && !errors.Is(err, redis.ErrCorrupt) {
		return err
	}
	keys, name := keysOf("", space), x.store.Name
	current.state = was
	return x.execIfUnchanged(ctx, space, current.storedValues(x), func(pipe goredis.Pipeliner) {
		pipe.Unlink(ctx, name(keys.state()))
		pipe.Unlink(ctx, name(keys.manifest()))
		for _, s := range current.manifest.segments {
			pipe.Unlink(ctx, name(keys.segment(s.number)))
		}
	})
}

// storedIndex is the state and the manifest of an index, read atomically.
type storedIndex struct {
	keys     keys
	state    State
	manifest *manifest
	text     string // stored form of the manifest; "" = no index
}

// storedValues returns, by key, the stored values of an index that has not changed since it was read.
func (index storedIndex) storedValues(x *Index) map[string]string {
	return map[string]string{x.store.Name(index.keys.state()): index.state.String(), x.store.Name(index.keys.manifest()): index.text}
}

// readIndex reads an index. If the manifest is invalid, it returns an ErrCorrupt and an index without segments.
func (x *Index) readIndex(ctx context.Context, space string) (index storedIndex, err error) {
	index.keys = keysOf("", space)
	redis.FailBefore("search.documents")
	values, err := x.store.Client.MGet(ctx, x.store.Name(index.keys.state()), x.store.Name(index.keys.manifest())).Result()
	redis.FailAfter("search.documents")
	if err != nil {
		return index, redis.Wrap(ctx, err)
	}
	state, _ := values[0].(string)
	index.state = parseState(state)
	index.text, _ = values[1].(string)
	if index.manifest, err = decodeManifest(index.text); err != nil {
		index.manifest = &manifest{}
		return index, fmt.Errorf("space %s: %w", space, err)
	}
	return index, nil
}

// SetState writes the state of a space's index if it still is the old one; otherwise it returns ErrStale.
func (x *Index) SetState(ctx context.Context, space string, old, next State) error {
	key := x.store.Name(keysOf("", space).state())
	return x.execIfUnchanged(ctx, space, map[string]string{key: old.String()}, func(pipe goredis.Pipeliner) {
		pipe.Set(ctx, key, next.String(), 0)
	})
}

// execIfUnchanged executes commands in one transaction if keys of a space's index have the wanted values; otherwise it returns
// ErrStale.
func (x *Index) execIfUnchanged(ctx context.Context, space string, want map[string]string, queue func(pipe goredis.Pipeliner)) error {
	keys := slices.Sorted(maps.Keys(want))
	redis.FailBefore("search.write")
	err := x.store.Client.Watch(ctx, func(tx *goredis.Tx) error {
		values, err := tx.MGet(ctx, keys...).Result()
		if err != nil {
			return err
		}
		for i, key := range keys {
			if have, _ := values[i].(string); have != want[key] {
				return goredis.TxFailedErr
			}
		}
		commands, err := tx.TxPipelined(ctx, func(pipe goredis.Pipeliner) error {
			queue(pipe)
			return nil
		})
		return abortError(commands, err)
	}, keys...)
	if redis.IsFull(err) && redis.FreesSpace(ctx) {
		err = x.execIfFull(ctx, keys, want, queue)
	}
	redis.FailAfter("search.write")
	if errors.Is(err, goredis.TxFailedErr) {
		return fmt.Errorf("%w: the search index of %s goes on elsewhere", redis.ErrStale, space)
	}
	return redis.Wrap(ctx, err)
}
