package postings

import (
	"context"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ReadState reads what the search index of a space reflects; the zero state if
// there is none, or none that can be read: the index is built anew then.
func ReadState(b *txn.Batch, space string) *txn.Reply[State] {
	return txn.Queue(b, keysOf("", space).state(), redis.StringKind, func(ctx context.Context, name string) (goredis.Cmder, func() (State, bool)) {
		reply := b.Pipe.Get(ctx, name)
		return reply, func() (State, bool) {
			state, err := parseState(reply.Val())
			return state, err == nil
		}
	})
}

// ReadSections reads what Put was given of pages.
func ReadSections(b *txn.Batch, space string, pages []string) *txn.Reply[map[string]string] {
	return b.Fields(keysOf("", space).sections(), pages...)
}

// Reader is where words are looked up: the index of a space, or what an
// organization knows of all of them. Words may be there that no page has any
// more.
type Reader struct{ keys keys }

// OfSpace is the index of a space.
func OfSpace(space string) Reader { return Reader{keysOf("", space)} }

// OfOrganization is what an organization knows of the indexes of its spaces.
func OfOrganization(org string) Reader { return Reader{keysOf(org, "")} }

// Terms reads the terms of up to limit words that begin with a prefix.
func (x Reader) Terms(b *txn.Batch, prefix string, limit int) *txn.Reply[[]string] {
	key := x.keys.words()
	if !key.Valid() {
		key = x.keys.allWords()
	}
	return txn.Queue(b, key, redis.OrderKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]string, bool)) {
		reply := b.Pipe.ZRangeByLex(ctx, name, &goredis.ZRangeBy{Min: "[" + prefix, Max: "[" + prefix + "\xff", Count: int64(limit)})
		return reply, func() ([]string, bool) {
			var terms []string
			for _, member := range reply.Val() {
				if _, term, ok := strings.Cut(member, "\x00"); ok && !slices.Contains(terms, term) {
					terms = append(terms, term)
				}
			}
			return terms, len(terms) > 0
		}
	})
}

// Count reads how many pages have a term.
func (x Reader) Count(b *txn.Batch, term string) *txn.Reply[int64] {
	return b.Card(x.keys.term(idOfTerm(term).hash()))
}

// PageScore is a page that has a term, with its score.
type PageScore struct {
	Page  string
	Score float64
}

// Pages reads the pages that have a term, the heaviest last.
func (x Reader) Pages(b *txn.Batch, term string) *txn.Reply[[]PageScore] {
	return txn.Queue(b, x.keys.term(idOfTerm(term).hash()), redis.OrderKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]PageScore, bool)) {
		reply := b.Pipe.ZRangeWithScores(ctx, name, 0, -1)
		return reply, func() ([]PageScore, bool) {
			scores := make([]PageScore, len(reply.Val()))
			for i, z := range reply.Val() {
				page, _ := z.Member.(string)
				scores[i] = PageScore{page, z.Score}
			}
			return scores, len(scores) > 0
		}
	})
}

// Spaces reads the spaces that may have one of the terms.
func (x Reader) Spaces(b *txn.Batch, terms []string) *txn.Reply[[]string] {
	var keys []string
	for _, term := range terms {
		keys = append(keys, b.Store.Name(x.keys.spaces(idOfTerm(term).hash())))
	}
	first := redis.Key{}
	if len(terms) > 0 {
		first = x.keys.spaces(idOfTerm(terms[0]).hash())
	}
	return txn.Queue(b, first, redis.SetKind, func(ctx context.Context, _ string) (goredis.Cmder, func() ([]string, bool)) {
		reply := b.Pipe.SUnion(ctx, keys...)
		return reply, func() ([]string, bool) { return reply.Val(), len(reply.Val()) > 0 }
	})
}
