package postings

import (
	"context"
	"encoding/binary"
	"slices"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Up to version 3 of the format an index and an organization had a key per term, and a document per page listed its terms by eight
// bytes each. All of these are removed when the index is rebuilt.

func (k keys) documents() redis.Key { return k.space.Key(redis.HashKind, "docs") }

func (k keys) formerTermKeys(hash string) (ofSpace, ofOrganization redis.Key) {
	return k.space.Key(redis.OrderKind, "term", hash), k.organization.Key(redis.SetKind, "term", hash)
}

func (k keys) formerKeys() []redis.Key {
	return []redis.Key{
		k.space.Key(redis.HashKind, "sections"), k.space.Key(redis.OrderKind, "words"), k.organization.Key(redis.OrderKind, "words"),
		k.documents(),
	}
}

// dropFormerKeys removes the keys of an index of an older version. It removes the documents last, so that an interrupted
// call is continued by the next one.
func (x *Index) dropFormerKeys(ctx context.Context, keys keys, space string) error {
	documents := x.store.Name(keys.documents())
	pages, err := x.store.Client.HKeys(ctx, documents).Result()
	if err != nil || len(pages) == 0 {
		return redis.Wrap(ctx, err)
	}
	for chunk := range slices.Chunk(pages, txn.ChunkFields) {
		values, err := x.store.Client.HMGet(ctx, documents, chunk...).Result()
		if err != nil {
			return redis.Wrap(ctx, err)
		}
		terms := map[string]bool{}
		for _, value := range values {
			text, _ := value.(string)
			for offset := objects.HashSize; offset+8 <= len(text); offset += 8 {
				terms[text[offset:offset+8]] = true
			}
		}
		if err := x.dropFormerTerms(ctx, keys, space, terms); err != nil {
			return err
		}
	}
	pipe := x.store.Client.Pipeline()
	for _, key := range keys.formerKeys() {
		pipe.Unlink(ctx, x.store.Name(key))
	}
	return redis.Execute(ctx, "sweep.remove", pipe)
}

func (x *Index) dropFormerTerms(ctx context.Context, keys keys, space string, terms map[string]bool) error {
	pipe := x.store.Client.Pipeline()
	for term := range terms {
		hash := objects.HashEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64([]byte(term))))
		ofSpace, ofOrganization := keys.formerTermKeys(hash)
		pipe.Unlink(ctx, x.store.Name(ofSpace))
		pipe.SRem(ctx, x.store.Name(ofOrganization), space)
	}
	return redis.Execute(ctx, "sweep.remove", pipe)
}
