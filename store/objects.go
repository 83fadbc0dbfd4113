package store

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// hashSize is the length of a hash: 160 bits in base32hex.
const hashSize = 32

var hashEncoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// Hash returns the name of bytes: lower-case base32hex of the first 160 bits of
// their SHA-256.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hashEncoding.EncodeToString(sum[:20])
}

// firstByte returns the first byte of the digest that a hash stands for; ok is
// false if the text is no hash.
func firstByte(hash string) (first byte, ok bool) {
	if len(hash) != hashSize {
		return 0, false
	}
	digest, err := hashEncoding.DecodeString(hash)
	if err != nil || len(digest) != 20 {
		return 0, false
	}
	return digest[0], true
}

// Object is an immutable piece of content. Its name is the hash of its bytes,
// which begin with a tag, so that everything that is reachable from a head can
// be found without knowing what it means.
type Object struct {
	Hash string
	data []byte // tag, references of a node, payload
}

// The tags of objects.
const (
	tagBlob = 'b' // bytes that refer to nothing
	tagNode = 'n' // uvarint count, that many hashes, bytes
	tagLeaf = 'l' // entries of a map (maps.go)
	tagRoot = 'r' // buckets of a map
)

// NewBlob makes an object of bytes that refer to no other object.
func NewBlob(payload []byte) Object {
	return newObject(append(append(make([]byte, 0, len(payload)+1), tagBlob), payload...))
}

// NewNode makes an object of bytes that refer to others; empty references are
// left out. What it refers to is kept as long as it is.
func NewNode(refs []string, payload []byte) Object {
	refs = slices.DeleteFunc(slices.Clone(refs), func(ref string) bool { return ref == "" })
	data := binary.AppendUvarint([]byte{tagNode}, uint64(len(refs)))
	for _, ref := range refs {
		data = append(data, ref...)
	}
	return newObject(append(data, payload...))
}

func newObject(data []byte) Object { return Object{Hash: Hash(data), data: data} }

// Payload returns the bytes that a blob or node was made of. They must not be
// changed.
func (o Object) Payload() ([]byte, error) {
	payload, _, err := o.split()
	return payload, err
}

// split returns the payload and the references of an object.
func (o Object) split() (payload []byte, refs []string, err error) {
	if len(o.data) == 0 {
		return nil, nil, redis.Corrupt("object %s is empty", o.Hash)
	}
	switch o.data[0] {
	case tagBlob:
		return o.data[1:], nil, nil
	case tagNode:
		count, n := binary.Uvarint(o.data[1:])
		rest := o.data[1+max(n, 0):]
		if n <= 0 || count > uint64(len(rest)/hashSize) {
			return nil, nil, redis.Corrupt("object %s", o.Hash)
		}
		for range count {
			refs = append(refs, string(rest[:hashSize]))
			rest = rest[hashSize:]
		}
		return rest, refs, nil
	case tagLeaf, tagRoot:
		refs, err = mapRefs(o)
		return nil, refs, err
	}
	return nil, nil, redis.Corrupt("object %s has tag %q", o.Hash, o.data[0])
}

// Bounds of one call that writes objects.
const (
	chunkBytes  = 256 << 10
	chunkFields = 500
)

// PutObjects stores objects of a space, at most 500 or some 256 KiB at once.
// Storing one again changes nothing. Inside Update use Tx.Objects.
func (s *Store) PutObjects(ctx context.Context, space string, objects []Object) error {
	all, _ := s.pack(objects)
	return s.writePacked(ctx, redis.Shard{}, space, all, &preparation{}, &redis.Written{})
}

// writePacked is PutObjects for a transaction of a shard, whose preparation gets
// to know what was stored. It is errNoRoom if there is not room for all of them: a
// part may be stored then.
func (s *Store) writePacked(ctx context.Context, transaction redis.Shard, space string, all []packed, p *preparation, at *redis.Written) error {
	next, seen := s.newChunk(transaction, space, p.room), make(map[string]bool, len(all))
	send := func() error {
		if next.objects() == 0 {
			return nil
		}
		done, err := s.put(ctx, next)
		if err == nil {
			p.stored(space, done)
			at.Note(done.generation)
		}
		next = s.newChunk(transaction, space, p.room)
		return err
	}
	for _, object := range all {
		if seen[object.hash] {
			continue
		}
		seen[object.hash] = true
		first, ok := firstByte(object.hash)
		key := objectKey(space, first)
		if !ok || !key.Valid() {
			return redis.Misuse("object %q of space %q", object.hash, space)
		}
		next.add(s.Name(key), object.hash, object.bytes)
		if next.bytes >= chunkBytes || next.objects() >= chunkFields {
			if err := send(); err != nil {
				return err
			}
		}
	}
	return send()
}

// Objects returns the payloads of blobs and nodes by hash, in at most one trip.
// It is ErrMissing, with the hash, if one is not stored. The payloads must not
// be changed.
func (s *Store) Objects(ctx context.Context, space string, hashes []string) (map[string][]byte, error) {
	return s.Content(space).Objects(ctx, hashes)
}

// objects returns objects by hash, from memory or in one trip.
func (s *Store) objects(ctx context.Context, space string, hashes []string) (map[string]Object, error) {
	found := make(map[string]Object, len(hashes))
	pipe, replies := s.Client.Pipeline(), map[string]*goredis.StringCmd{}
	for _, hash := range hashes {
		if object, ok := s.cache.get(space, hash); ok {
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
	rescued, err := s.rescue(ctx, space, missing(replies))
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

func (s *Store) queueObject(ctx context.Context, pipe goredis.Pipeliner, space, hash string) (*goredis.StringCmd, error) {
	first, ok := firstByte(hash)
	key := objectKey(space, first)
	if !ok || !key.Valid() {
		return nil, fmt.Errorf("%w: %q of space %q", ErrMissing, hash, space)
	}
	return pipe.HGet(ctx, s.Name(key), hash), nil
}

// readObject verifies what Redis answered and remembers it.
func (s *Store) readObject(space, hash string, reply *goredis.StringCmd) (Object, error) {
	object, err := s.verifyObject(space, hash, reply)
	if err == nil {
		s.cache.add(space, object)
	}
	return object, err
}

// verifyObject compares what Redis answered with its hash.
func (s *Store) verifyObject(space, hash string, reply *goredis.StringCmd) (Object, error) {
	if reply.Err() != nil {
		return Object{}, damaged(space, hash, nil, false)
	}
	return s.unpack(space, packed{hash, []byte(reply.Val())})
}

// unpack compares what is stored with its hash.
func (s *Store) unpack(space string, p packed) (Object, error) {
	data, err := s.codec.decode(p.bytes)
	if err != nil || len(data) == 0 || Hash(data) != p.hash {
		return Object{}, damaged(space, p.hash, p.bytes, true)
	}
	return Object{Hash: p.hash, data: data}, nil
}

// CopyContent copies everything that a head reaches from one space to another, a
// few objects at a time, and waits for the replicas of a Cluster. What is not
// there any more is ErrMissing. What refers to the copy has to rest on the ground.
func (s *Store) CopyContent(ctx context.Context, from, to string, head Head) (redis.Ground, error) {
	var at redis.Written
	_, err := s.follow(ctx, from, headRoots(head.String()), func(_ []string, objects []fetched) error {
		copied, lost := make([]Object, 0, len(objects)), map[string]Lost{}
		for _, found := range objects {
			if u, unreadable := AsUnreadable(found.err); unreadable && u.Lost != nil {
				lost[u.Hash] = *u.Lost
				continue
			}
			if found.err != nil {
				return found.err
			}
			copied = append(copied, found.object)
		}
		if err := s.GiveUp(ctx, to, lost); err != nil {
			return err
		}
		all, _ := s.pack(copied)
		return s.writePacked(ctx, redis.NewShard("", to), to, all, &preparation{}, &at)
	})
	if err != nil {
		return redis.Ground{}, err
	}
	if at.Torn {
		return redis.Ground{}, fmt.Errorf("%w: the master of %s has changed", redis.ErrStale, to)
	}
	return s.GroundAt(objectKey(to, 0), at.Generation), s.ConfirmKey(ctx, objectKey(to, 0), at.Generation)
}

// codec compresses objects. Its first byte says how.
type codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

const (
	codecPlain  = 0
	codecZstd   = 1
	maxDecoded  = 64 << 20
	minCompress = 64 // bytes below which compression cannot win
)

func newCodec() (*codec, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDecoded))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &codec{encoder, decoder}, nil
}

func (c *codec) encode(data []byte) []byte {
	if len(data) >= minCompress {
		packed := c.encoder.EncodeAll(data, append(make([]byte, 0, len(data)/2), codecZstd))
		if len(packed) <= len(data) {
			return packed
		}
	}
	return append(append(make([]byte, 0, len(data)+1), codecPlain), data...)
}

func (c *codec) decode(stored []byte) ([]byte, error) {
	switch {
	case len(stored) > 0 && stored[0] == codecPlain:
		return stored[1:], nil
	case len(stored) > 0 && stored[0] == codecZstd:
		return c.decoder.DecodeAll(stored[1:], nil)
	}
	return nil, redis.Corrupt("unknown codec")
}

func (c *codec) close() {
	c.decoder.Close()
	_ = c.encoder.Close()
}
