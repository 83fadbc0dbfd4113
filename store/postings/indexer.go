package postings

import (
	"context"
	"maps"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Change is what becomes of one page in the search index.
type Change struct {
	Page        string
	Before      Document // as Documents returned it
	Fingerprint string   // of what is indexed now; "" = the page goes
	Scores      map[string]float64
	Words       map[string]string // as they are looked up by their beginning -> term
	Sections    []byte            // what ReadSections answers
}

// Indexer brings the search index of one space to one goal. It remembers which
// terms it has made known, so that each is sent once.
type Indexer struct {
	index *Index
	keys  keys
	space string
	goal  State
	known map[string]bool // words
	terms map[termID]bool
}

// Indexer returns an Indexer of a space toward a goal that Move has written.
func (x *Index) Indexer(org, space string, goal State) *Indexer {
	return &Indexer{
		index: x, keys: keysOf(org, space), space: space, goal: goal,
		known: map[string]bool{}, terms: map[termID]bool{},
	}
}

// Put carries out changes. What is found by the terms of the organization is
// added first and never taken away, so it leads to the space whenever the space
// has the term. It is ErrStale when the index goes on elsewhere.
func (x *Indexer) Put(ctx context.Context, changes []Change) error {
	pipe := x.index.store.Client.Pipeline()
	for _, change := range changes {
		x.announce(ctx, pipe, change)
	}
	if err := redis.Execute(ctx, "search.announce", pipe); err != nil {
		return err
	}
	return x.index.while(ctx, x.space, x.goal, func(pipe goredis.Pipeliner) {
		added, removed := map[termID][]goredis.Z{}, map[termID][]any{}
		for _, change := range changes {
			x.put(ctx, pipe, change, added, removed)
		}
		for _, id := range slices.Sorted(maps.Keys(removed)) {
			pipe.ZRem(ctx, x.index.store.Name(x.keys.term(id.hash())), removed[id]...)
		}
		for _, id := range slices.Sorted(maps.Keys(added)) {
			pipe.ZAdd(ctx, x.index.store.Name(x.keys.term(id.hash())), added[id]...)
		}
	})
}

// announce makes the words and terms of a change known.
func (x *Indexer) announce(ctx context.Context, pipe goredis.Pipeliner, change Change) {
	for term := range change.Scores {
		if id := idOfTerm(term); !x.terms[id] {
			x.terms[id] = true
			pipe.SAdd(ctx, x.index.store.Name(x.keys.spaces(id.hash())), x.space)
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
		pipe.ZAdd(ctx, x.index.store.Name(x.keys.words()), words...)
		pipe.ZAdd(ctx, x.index.store.Name(x.keys.allWords()), words...)
	}
}

// put queues what becomes of one page; postings are collected by term.
func (x *Indexer) put(ctx context.Context, pipe goredis.Pipeliner, change Change, added map[termID][]goredis.Z, removed map[termID][]any) {
	next := Document{Fingerprint: change.Fingerprint}
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
	documents, sections := x.index.store.Name(x.keys.documents()), x.index.store.Name(x.keys.sections())
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
