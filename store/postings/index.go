package postings

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Index is the search index of every space. It is safe for concurrent use.
type Index struct{ store *txn.Store }

// New returns the index that a store has.
func New(s *txn.Store) *Index { return &Index{s} }

// The search index of a space is derived from the pages of its head. Each page
// has a document, which says what the index has of it, so that a page is taken
// out again without its old text. What reflects another head is brought forward
// page by page: see State.

// State says which pages the search index of a space reflects. Whoever
// brings it forward writes the goal first and from where pages may still be;
// every write of a page holds only while the state is the one that it belongs
// to. So two processes that work on the same goal write the same, and one that
// works on an older goal is stopped.
type State struct {
	Form         string   // of the index, as the caller counts it: another one is built anew
	Organization string   // that can find the space by its terms
	Root         string   // of the map of pages that the index reflects, or will
	Mark         string   // of this goal alone: what was read of a complete index under a mark holds as long as it has it
	From         []string // roots that pages may still reflect; none = the index is complete
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
		return ""
	}
	words := []string{s.Form, s.Organization, dash(s.Root), dash(s.Mark)}
	for _, root := range s.From {
		words = append(words, dash(root))
	}
	return strings.Join(words, " ")
}

// parseState reads the stored form.
func parseState(text string) (State, error) {
	words := strings.Fields(text)
	if len(words) < 4 {
		return State{}, redis.Corrupt("search state %q", text)
	}
	undash := func(root string) string { return strings.TrimPrefix(root, "-") }
	s := State{Form: words[0], Organization: words[1], Root: undash(words[2]), Mark: undash(words[3])}
	for _, root := range words[4:] {
		s.From = append(s.From, undash(root))
	}
	return s, nil
}

// termID names a term in keys and documents.
type termID uint64

func idOfTerm(term string) termID {
	sum := sha256.Sum256([]byte(term))
	return termID(binary.BigEndian.Uint64(sum[:]))
}

// hash is the part of a key that names the term.
func (id termID) hash() string {
	return objects.HashEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// Document is what the search index has of a page.
type Document struct {
	Fingerprint string // of what was indexed: hashSize characters
	terms       []termID
}

// encode is the stored form.
func (d Document) encode() []byte {
	data := make([]byte, 0, objects.HashSize+8*len(d.terms))
	data = append(data, d.Fingerprint...)
	for _, id := range d.terms {
		data = binary.BigEndian.AppendUint64(data, uint64(id))
	}
	return data
}

func parseDocument(data string) (Document, error) {
	if len(data) < objects.HashSize || (len(data)-objects.HashSize)%8 != 0 {
		return Document{}, redis.Corrupt("search document of %d bytes", len(data))
	}
	d := Document{Fingerprint: data[:objects.HashSize]}
	for at := objects.HashSize; at < len(data); at += 8 {
		d.terms = append(d.terms, termID(binary.BigEndian.Uint64([]byte(data[at:at+8]))))
	}
	return d, nil
}

// Documents returns what the index has of pages. What cannot be read is
// as if it were not there, but for its terms, which fsck finds.
func (x *Index) Documents(ctx context.Context, space string, pages []string) (map[string]Document, error) {
	found := make(map[string]Document, len(pages))
	for chunk := range slices.Chunk(pages, txn.ChunkFields) {
		redis.FailBefore("search.documents")
		values, err := x.store.Client.HMGet(ctx, x.store.Name(keysOf("", space).documents()), chunk...).Result()
		redis.FailAfter("search.documents")
		if err != nil {
			return nil, redis.Wrap(ctx, err)
		}
		for i, value := range values {
			text, stored := value.(string)
			if !stored {
				continue
			}
			if found[chunk[i]], err = parseDocument(text); err != nil {
				return nil, fmt.Errorf("page %s of space %s: %w", chunk[i], space, err)
			}
		}
	}
	return found, nil
}

// Pages returns the ids of the pages that the index has.
func (x *Index) Pages(ctx context.Context, space string) ([]string, error) {
	redis.FailBefore("search.pages")
	pages, err := x.store.Client.HKeys(ctx, x.store.Name(keysOf("", space).documents())).Result()
	redis.FailAfter("search.pages")
	return pages, redis.Wrap(ctx, err)
}

// Drop removes the search index of a space, and the space from the terms
// of the organization. Cut off, it is continued by the next call. Purge calls it
// before it unlinks the rest of the space.
func (x *Index) Drop(ctx context.Context, org, space string) error {
	keys := keysOf(org, space)
	pages, err := x.Pages(ctx, space)
	if err != nil {
		return err
	}
	dropped := map[termID]bool{}
	for chunk := range slices.Chunk(pages, txn.ChunkFields) {
		documents, err := x.Documents(ctx, space, chunk)
		if err != nil && !errors.Is(err, redis.ErrCorrupt) {
			return err
		}
		terms := map[termID]bool{}
		for _, document := range documents {
			for _, id := range document.terms {
				terms[id] = terms[id] || !dropped[id]
				dropped[id] = true
			}
		}
		if err := x.dropTerms(ctx, keys, space, terms); err != nil {
			return err
		}
	}
	pipe := x.store.Client.Pipeline()
	for _, key := range []redis.Key{keys.state(), keys.documents(), keys.sections(), keys.words()} {
		pipe.Unlink(ctx, x.store.Name(key))
	}
	pipe.SRem(ctx, x.store.Name(StaleKey(org)), space)
	return redis.Execute(ctx, "sweep.remove", pipe)
}

// dropTerms removes the postings of the terms that are true.
func (x *Index) dropTerms(ctx context.Context, keys keys, space string, terms map[termID]bool) error {
	wanted := slices.DeleteFunc(slices.Sorted(maps.Keys(terms)), func(id termID) bool { return !terms[id] })
	for chunk := range slices.Chunk(wanted, txn.ChunkFields) {
		pipe := x.store.Client.Pipeline()
		for _, id := range chunk {
			pipe.Unlink(ctx, x.store.Name(keys.term(id.hash())))
			pipe.SRem(ctx, x.store.Name(keys.spaces(id.hash())), space)
		}
		if err := redis.Execute(ctx, "sweep.remove", pipe); err != nil {
			return err
		}
	}
	return nil
}

// Move writes the state of a space's index if it still is the old one;
// else it returns ErrStale.
func (x *Index) Move(ctx context.Context, space string, old, next State) error {
	return x.while(ctx, space, old, func(pipe goredis.Pipeliner) {
		pipe.Set(ctx, x.store.Name(keysOf("", space).state()), next.String(), 0)
	})
}

// while carries out commands in one transaction if the state of a space's
// index is as given, else it returns ErrStale.
func (x *Index) while(ctx context.Context, space string, want State, queue func(pipe goredis.Pipeliner)) error {
	key := x.store.Name(keysOf("", space).state())
	redis.FailBefore("search.write")
	err := x.store.Client.Watch(ctx, func(tx *goredis.Tx) error {
		have, err := tx.Get(ctx, key).Result()
		if err != nil && !errors.Is(err, goredis.Nil) {
			return err
		}
		if have != want.String() {
			return redis.ErrStale
		}
		_, err = tx.TxPipelined(ctx, func(pipe goredis.Pipeliner) error {
			queue(pipe)
			return nil
		})
		return err
	}, key)
	redis.FailAfter("search.write")
	if errors.Is(err, redis.ErrStale) || errors.Is(err, goredis.TxFailedErr) {
		return fmt.Errorf("%w: the search index of %s goes on elsewhere", redis.ErrStale, space)
	}
	return redis.Wrap(ctx, err)
}
