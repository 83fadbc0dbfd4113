package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// SearchChange is what becomes of one page in the search index.
type SearchChange struct {
	Page        string
	Before      SearchDocument // as SearchDocuments returned it
	Fingerprint string         // of what is indexed now; "" = the page goes
	Scores      map[string]float64
	Words       map[string]string // as they are looked up by their beginning -> term
	Sections    []byte            // what SearchSections answers
}

// Indexer brings the search index of one space to one goal. It remembers which
// terms it has made known, so that each is sent once.
type Indexer struct {
	store *Store
	keys  searchKeys
	space string
	goal  SearchState
	known map[string]bool // words
	terms map[termID]bool
}

// Indexer returns an Indexer of a space toward a goal that MoveSearch has written.
func (s *Store) Indexer(org, space string, goal SearchState) *Indexer {
	return &Indexer{
		store: s, keys: searchOf(org, space), space: space, goal: goal,
		known: map[string]bool{}, terms: map[termID]bool{},
	}
}

// Put carries out changes. What is found by the terms of the organization is
// added first and never taken away, so it leads to the space whenever the space
// has the term. It is ErrStale when the index goes on elsewhere.
func (x *Indexer) Put(ctx context.Context, changes []SearchChange) error {
	pipe := x.store.Client.Pipeline()
	for _, change := range changes {
		x.announce(ctx, pipe, change)
	}
	if err := redis.Execute(ctx, "search.announce", pipe); err != nil {
		return err
	}
	return x.store.whileSearch(ctx, x.space, x.goal, func(pipe goredis.Pipeliner) {
		added, removed := map[termID][]goredis.Z{}, map[termID][]any{}
		for _, change := range changes {
			x.put(ctx, pipe, change, added, removed)
		}
		for _, id := range slices.Sorted(maps.Keys(removed)) {
			pipe.ZRem(ctx, x.store.Name(x.keys.term(id.hash())), removed[id]...)
		}
		for _, id := range slices.Sorted(maps.Keys(added)) {
			pipe.ZAdd(ctx, x.store.Name(x.keys.term(id.hash())), added[id]...)
		}
	})
}

// announce makes the words and terms of a change known.
func (x *Indexer) announce(ctx context.Context, pipe goredis.Pipeliner, change SearchChange) {
	for term := range change.Scores {
		if id := idOfTerm(term); !x.terms[id] {
			x.terms[id] = true
			pipe.SAdd(ctx, x.store.Name(x.keys.spaces(id.hash())), x.space)
		}
	}
	var words []goredis.Z
	for word, term := range change.Words {
		if member := wordMember(word, term); !x.known[member] {
			x.known[member] = true
			words = append(words, goredis.Z{Member: member})
		}
	}
	if len(words) > 0 {
		pipe.ZAdd(ctx, x.store.Name(x.keys.words()), words...)
		pipe.ZAdd(ctx, x.store.Name(x.keys.allWords()), words...)
	}
}

// put queues what becomes of one page; postings are collected by term.
func (x *Indexer) put(ctx context.Context, pipe goredis.Pipeliner, change SearchChange, added map[termID][]goredis.Z, removed map[termID][]any) {
	next := SearchDocument{Fingerprint: change.Fingerprint}
	has := make(map[termID]bool, len(change.Scores))
	for term, score := range change.Scores {
		id := idOfTerm(term)
		has[id] = true
		next.terms = append(next.terms, id)
		added[id] = append(added[id], goredis.Z{Score: score, Member: change.Page})
	}
	for _, id := range change.Before.terms {
		if !has[id] {
			removed[id] = append(removed[id], change.Page)
		}
	}
	documents, sections := x.store.Name(x.keys.documents()), x.store.Name(x.keys.sections())
	if change.Fingerprint == "" {
		pipe.HDel(ctx, documents, change.Page)
		pipe.HDel(ctx, sections, change.Page)
		return
	}
	slices.Sort(next.terms)
	pipe.HSet(ctx, documents, change.Page, next.encode())
	pipe.HSet(ctx, sections, change.Page, change.Sections)
}

// wordMember is a word in the lists of words. No word has a NUL.
func wordMember(word, term string) string { return word + "\x00" + term }

// ReadSearchState reads what the search index of a space reflects; the zero state if
// there is none.
func ReadSearchState(b *txn.Batch, space string) *txn.Future[SearchState] {
	return txn.Queue(b, searchOf("", space).state(), redis.StringKind, func(ctx context.Context, name string) (goredis.Cmder, func() (SearchState, bool, error)) {
		reply := b.Pipe.Get(ctx, name)
		return reply, func() (SearchState, bool, error) {
			state, err := parseSearchState(reply.Val())
			return state, err == nil, err
		}
	})
}

// ReadSearchSections reads what Put was given of pages.
func ReadSearchSections(b *txn.Batch, space string, pages []string) *txn.Future[map[string]string] {
	return b.Fields(searchOf("", space).sections(), pages...)
}

// SearchIndex is where words are looked up: the index of a space, or what an
// organization knows of all of them. Words may be there that no page has any
// more.
type SearchIndex struct{ keys searchKeys }

// SpaceSearch is the index of a space.
func SpaceSearch(space string) SearchIndex { return SearchIndex{searchOf("", space)} }

// OrganizationSearch is what an organization knows of the indexes of its spaces.
func OrganizationSearch(org string) SearchIndex { return SearchIndex{searchOf(org, "")} }

// Terms reads the terms of up to limit words that begin with a prefix.
func (x SearchIndex) Terms(b *txn.Batch, prefix string, limit int) *txn.Future[[]string] {
	key := x.keys.words()
	if !key.Valid() {
		key = x.keys.allWords()
	}
	return txn.Queue(b, key, redis.OrderKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]string, bool, error)) {
		reply := b.Pipe.ZRangeByLex(ctx, name, &goredis.ZRangeBy{Min: "[" + prefix, Max: "[" + prefix + "\xff", Count: int64(limit)})
		return reply, func() ([]string, bool, error) {
			var terms []string
			for _, member := range reply.Val() {
				if _, term, ok := strings.Cut(member, "\x00"); ok && !slices.Contains(terms, term) {
					terms = append(terms, term)
				}
			}
			return terms, len(terms) > 0, nil
		}
	})
}

// Count reads how many pages have a term.
func (x SearchIndex) Count(b *txn.Batch, term string) *txn.Future[int64] {
	return b.Card(x.keys.term(idOfTerm(term).hash()))
}

// PageScore is a page that has a term, with its score.
type PageScore struct {
	Page  string
	Score float64
}

// Pages reads the pages that have a term, the heaviest last.
func (x SearchIndex) Pages(b *txn.Batch, term string) *txn.Future[[]PageScore] {
	return txn.Queue(b, x.keys.term(idOfTerm(term).hash()), redis.OrderKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]PageScore, bool, error)) {
		reply := b.Pipe.ZRangeWithScores(ctx, name, 0, -1)
		return reply, func() ([]PageScore, bool, error) {
			scores := make([]PageScore, len(reply.Val()))
			for i, z := range reply.Val() {
				page, _ := z.Member.(string)
				scores[i] = PageScore{page, z.Score}
			}
			return scores, len(scores) > 0, nil
		}
	})
}

// Spaces reads the spaces that may have one of the terms.
func (x SearchIndex) Spaces(b *txn.Batch, terms []string) *txn.Future[[]string] {
	var keys []string
	for _, term := range terms {
		keys = append(keys, b.Store.Name(x.keys.spaces(idOfTerm(term).hash())))
	}
	first := redis.Key{}
	if len(terms) > 0 {
		first = x.keys.spaces(idOfTerm(terms[0]).hash())
	}
	return txn.Queue(b, first, redis.SetKind, func(ctx context.Context, _ string) (goredis.Cmder, func() ([]string, bool, error)) {
		reply := b.Pipe.SUnion(ctx, keys...)
		return reply, func() ([]string, bool, error) { return reply.Val(), len(reply.Val()) > 0, nil }
	})
}
