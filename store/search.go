package store

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

// The search index of a space is derived from the pages of its head. Each page
// has a document, which says what the index has of it, so that a page is taken
// out again without its old text. What reflects another head is brought forward
// page by page: see SearchState.

// SearchState says which pages the search index of a space reflects. Whoever
// brings it forward writes the goal first and from where pages may still be;
// every write of a page holds only while the state is the one that it belongs
// to. So two processes that work on the same goal write the same, and one that
// works on an older goal is stopped.
type SearchState struct {
	Form         string   // of the index, as the caller counts it: another one is built anew
	Organization string   // that can find the space by its terms
	Root         string   // of the map of pages that the index reflects, or will
	Mark         string   // of this goal alone: what was read of a complete index under a mark holds as long as it has it
	From         []string // roots that pages may still reflect; none = the index is complete
}

// maxSearchRoots bounds From: with more, every page is looked at.
const maxSearchRoots = 8

// Reflects reports whether the index is complete and that of the pages.
func (s SearchState) Reflects(form, org, root string) bool {
	return s.Form == form && s.Organization == org && s.Root == root && len(s.From) == 0
}

// CompleteAt reports whether the index is complete under a mark.
func (s SearchState) CompleteAt(mark string) bool { return s.Mark == mark && len(s.From) == 0 }

// Toward returns the state of bringing the index forward to other pages, under a
// mark that no other goal has. The root "" among From means that every page has to
// be looked at.
func (s SearchState) Toward(root, mark string) SearchState {
	if s.Root == root && len(s.From) > 0 {
		return s
	}
	next := s
	next.Root, next.Mark, next.From = root, mark, slices.Clone(s.From)
	if !slices.Contains(next.From, s.Root) {
		next.From = append(next.From, s.Root)
	}
	if len(next.From) > maxSearchRoots {
		next.From = []string{""}
	}
	return next
}

// Complete returns the state when every page reflects the root.
func (s SearchState) Complete() SearchState {
	s.From = nil
	return s
}

// String is the stored form; that of no index is empty.
func (s SearchState) String() string {
	if s.Form == "" {
		return ""
	}
	words := []string{s.Form, s.Organization, dash(s.Root), dash(s.Mark)}
	for _, root := range s.From {
		words = append(words, dash(root))
	}
	return strings.Join(words, " ")
}

// parseSearchState reads the stored form.
func parseSearchState(text string) (SearchState, error) {
	words := strings.Fields(text)
	if len(words) < 4 {
		return SearchState{}, redis.Corrupt("search state %q", text)
	}
	undash := func(root string) string { return strings.TrimPrefix(root, "-") }
	s := SearchState{Form: words[0], Organization: words[1], Root: undash(words[2]), Mark: undash(words[3])}
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

// SearchDocument is what the search index has of a page.
type SearchDocument struct {
	Fingerprint string // of what was indexed: hashSize characters
	terms       []termID
}

// encode is the stored form.
func (d SearchDocument) encode() []byte {
	data := make([]byte, 0, objects.HashSize+8*len(d.terms))
	data = append(data, d.Fingerprint...)
	for _, id := range d.terms {
		data = binary.BigEndian.AppendUint64(data, uint64(id))
	}
	return data
}

func parseSearchDocument(data string) (SearchDocument, error) {
	if len(data) < objects.HashSize || (len(data)-objects.HashSize)%8 != 0 {
		return SearchDocument{}, redis.Corrupt("search document of %d bytes", len(data))
	}
	d := SearchDocument{Fingerprint: data[:objects.HashSize]}
	for at := objects.HashSize; at < len(data); at += 8 {
		d.terms = append(d.terms, termID(binary.BigEndian.Uint64([]byte(data[at:at+8]))))
	}
	return d, nil
}

// SearchDocuments returns what the index has of pages. What cannot be read is
// as if it were not there, but for its terms, which fsck finds.
func (s *Store) SearchDocuments(ctx context.Context, space string, pages []string) (map[string]SearchDocument, error) {
	found := make(map[string]SearchDocument, len(pages))
	for chunk := range slices.Chunk(pages, txn.ChunkFields) {
		redis.FailBefore("search.documents")
		values, err := s.Client.HMGet(ctx, s.Name(searchOf("", space).documents()), chunk...).Result()
		redis.FailAfter("search.documents")
		if err != nil {
			return nil, redis.Wrap(ctx, err)
		}
		for i, value := range values {
			text, stored := value.(string)
			if !stored {
				continue
			}
			if found[chunk[i]], err = parseSearchDocument(text); err != nil {
				return nil, fmt.Errorf("page %s of space %s: %w", chunk[i], space, err)
			}
		}
	}
	return found, nil
}

// SearchPages returns the ids of the pages that the index has.
func (s *Store) SearchPages(ctx context.Context, space string) ([]string, error) {
	redis.FailBefore("search.pages")
	pages, err := s.Client.HKeys(ctx, s.Name(searchOf("", space).documents())).Result()
	redis.FailAfter("search.pages")
	return pages, redis.Wrap(ctx, err)
}

// DropSearch removes the search index of a space, and the space from the terms
// of the organization. Cut off, it is continued by the next call. Purge calls it
// before it unlinks the rest of the space.
func (s *Store) DropSearch(ctx context.Context, org, space string) error {
	keys := searchOf(org, space)
	pages, err := s.SearchPages(ctx, space)
	if err != nil {
		return err
	}
	dropped := map[termID]bool{}
	for chunk := range slices.Chunk(pages, txn.ChunkFields) {
		documents, err := s.SearchDocuments(ctx, space, chunk)
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
		if err := s.dropTerms(ctx, keys, space, terms); err != nil {
			return err
		}
	}
	pipe := s.Client.Pipeline()
	for _, key := range []redis.Key{keys.state(), keys.documents(), keys.sections(), keys.words()} {
		pipe.Unlink(ctx, s.Name(key))
	}
	pipe.SRem(ctx, s.Name(StaleKey(org)), space)
	return redis.Execute(ctx, "sweep.remove", pipe)
}

// dropTerms removes the postings of the terms that are true.
func (s *Store) dropTerms(ctx context.Context, keys searchKeys, space string, terms map[termID]bool) error {
	wanted := slices.DeleteFunc(slices.Sorted(maps.Keys(terms)), func(id termID) bool { return !terms[id] })
	for chunk := range slices.Chunk(wanted, txn.ChunkFields) {
		pipe := s.Client.Pipeline()
		for _, id := range chunk {
			pipe.Unlink(ctx, s.Name(keys.term(id.hash())))
			pipe.SRem(ctx, s.Name(keys.spaces(id.hash())), space)
		}
		if err := redis.Execute(ctx, "sweep.remove", pipe); err != nil {
			return err
		}
	}
	return nil
}

// MoveSearch writes the state of a space's index if it still is the old one;
// else it returns ErrStale.
func (s *Store) MoveSearch(ctx context.Context, space string, old, next SearchState) error {
	return s.whileSearch(ctx, space, old, func(pipe goredis.Pipeliner) {
		pipe.Set(ctx, s.Name(searchOf("", space).state()), next.String(), 0)
	})
}

// whileSearch carries out commands in one transaction if the state of a space's
// index is as given, else it returns ErrStale.
func (s *Store) whileSearch(ctx context.Context, space string, want SearchState, queue func(pipe goredis.Pipeliner)) error {
	key := s.Name(searchOf("", space).state())
	redis.FailBefore("search.write")
	err := s.Client.Watch(ctx, func(tx *goredis.Tx) error {
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
