package txn

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Limits of one call that writes objects.
const (
	chunkBytes  = 256 << 10
	ChunkFields = 500
)

// PutObjects stores objects of a space in chunks of at most 500 objects or about 256 KiB. It is idempotent. Inside
// Update use Tx.Objects.
func (s *Store) PutObjects(ctx context.Context, space string, objects []objects.Object) error {
	all, _ := s.pack(objects)
	return s.writePacked(ctx, redis.Shard{}, space, all, &preparation{}, &redis.WriteGeneration{})
}

// CopyObjects is like PutObjects for objects that FetchObjects has read from another space, which it does not compress again.
// It records in written the generation that it wrote to, on which references to the objects depend.
func (s *Store) CopyObjects(ctx context.Context, space string, fetched []objects.FetchResult, written *redis.WriteGeneration) error {
	packed := make([]packedObject, len(fetched))
	for i, found := range fetched {
		packed[i] = packedObject{found.Object.Hash, found.Stored}
		if found.Stored == nil {
			packed[i].Bytes = s.Codec.Pack(found.Object)
		}
	}
	return s.writePacked(ctx, redis.NewShard("", space), space, packed, &preparation{}, written)
}

// writePacked is PutObjects for a transaction of a shard. It adds the stored sizes to the preparation. It returns
// errQuotaExhausted if the objects exceed the quota; some of them may be stored then.
func (s *Store) writePacked(ctx context.Context, transaction redis.Shard, space string, all []packedObject, p *preparation,
	written *redis.WriteGeneration,
) error {
	next, seen := s.newChunk(transaction, space, p.available), make(map[string]bool, len(all))
	send := func() error {
		if next.objects() == 0 {
			return nil
		}
		done, err := s.putChunk(ctx, next)
		if err == nil {
			p.addResult(space, done)
			written.Add(done.generation)
		}
		next = s.newChunk(transaction, space, p.available)
		return err
	}
	for _, object := range all {
		if seen[object.Hash] {
			continue
		}
		seen[object.Hash] = true
		first, ok := objects.FirstByte(object.Hash)
		key := ObjectKey(space, first)
		if !ok || !key.Valid() {
			return redis.Misuse("object %q of space %q", object.Hash, space)
		}
		next.add(s.Name(key), object.Hash, object.Bytes)
		if next.bytes >= chunkBytes || next.objects() >= ChunkFields {
			if err := send(); err != nil {
				return err
			}
		}
	}
	return send()
}

// Content returns a view of a space's objects.
func (s *Store) Content(space string) *objects.Content { return objects.NewContent(s, space) }

// Objects returns the payloads of blobs and nodes by hash, in at most one trip. It returns an ErrMissing with the
// hash if one is not stored. The payloads must not be modified.
func (s *Store) Objects(ctx context.Context, space string, hashes []string) (map[string][]byte, error) {
	return s.Content(space).Objects(ctx, hashes)
}

// ReadObjects returns objects by hash, from the cache or in one trip.
func (s *Store) ReadObjects(ctx context.Context, space string, hashes []string) (map[string]objects.Object, error) {
	found := make(map[string]objects.Object, len(hashes))
	pipe, replies := s.Client.Pipeline(), map[string]*goredis.StringCmd{}
	for _, hash := range hashes {
		if object, ok := s.Cache.Get(space, hash); ok {
			found[hash] = object
			continue
		}
		if _, queued := replies[hash]; queued {
			continue
		}
		reply, err := s.queueObject(ctx, pipe, space, hash)
		if err != nil {
			return nil, err
		}
		replies[hash] = reply
	}
	if err := redis.Execute(ctx, "objects.read", pipe); err != nil {
		return nil, err
	}
	rescued, err := s.findElsewhere(ctx, space, missingHashes(replies))
	if err != nil {
		return nil, err
	}
	for hash, reply := range replies {
		object, ok := rescued[hash]
		if !ok {
			if object, err = s.readObject(space, hash, reply); err != nil {
				return nil, err
			}
		}
		found[hash] = object
	}
	return found, nil
}

// FetchObjects reads objects in one trip, bypassing the cache.
func (s *Store) FetchObjects(ctx context.Context, space string, hashes []string) ([]objects.FetchResult, error) {
	pipe, found := s.Client.Pipeline(), make([]objects.FetchResult, len(hashes))
	replies := make([]*goredis.StringCmd, len(hashes))
	for i, hash := range hashes {
		replies[i], found[i].Err = s.queueObject(ctx, pipe, space, hash)
	}
	if err := redis.Execute(ctx, "fsck.objects", pipe); err != nil {
		return nil, err
	}
	var lost []string
	for i, hash := range hashes {
		if found[i].Err == nil {
			if found[i].Object, found[i].Err = s.verifyObject(space, hash, replies[i]); found[i].Err == nil {
				found[i].Stored = []byte(replies[i].Val())
			}
			if errors.Is(found[i].Err, objects.ErrMissing) {
				lost = append(lost, hash)
			}
		}
	}
	rescued, err := s.findElsewhere(ctx, space, lost)
	for i, hash := range hashes {
		if object, ok := rescued[hash]; ok {
			found[i] = objects.FetchResult{Object: object}
		}
	}
	return found, err
}

func (s *Store) queueObject(ctx context.Context, pipe goredis.Pipeliner, space, hash string) (*goredis.StringCmd, error) {
	first, ok := objects.FirstByte(hash)
	key := ObjectKey(space, first)
	if !ok || !key.Valid() {
		return nil, fmt.Errorf("%w: %q of space %q", objects.ErrMissing, hash, space)
	}
	return pipe.HGet(ctx, s.Name(key), hash), nil
}

// readObject verifies a reply of Redis and caches the object.
func (s *Store) readObject(space, hash string, reply *goredis.StringCmd) (objects.Object, error) {
	object, err := s.verifyObject(space, hash, reply)
	if err == nil {
		s.Cache.Add(space, object)
	}
	return object, err
}

// verifyObject decodes a reply of Redis and compares it with the hash.
func (s *Store) verifyObject(space, hash string, reply *goredis.StringCmd) (objects.Object, error) {
	if reply.Err() != nil {
		return objects.Object{}, objects.NewUnreadable(space, hash, nil, false)
	}
	return s.Codec.Unpack(space, hash, []byte(reply.Val()))
}

// GCEpoch returns the stored GC epoch of a space.
func (s *Store) GCEpoch(ctx context.Context, org, space string) (string, error) {
	redis.FailBefore("sweep.epoch")
	text, err := s.Client.HGet(ctx, s.Name(GCEpochsKey(org)), space).Result()
	redis.FailAfter("sweep.epoch")
	if err != nil && !errors.Is(err, goredis.Nil) {
		return "", redis.Wrap(ctx, err)
	}
	return text, nil
}
