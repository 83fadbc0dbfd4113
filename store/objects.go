package store

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/redis/go-redis/v9"
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
		return nil, nil, corrupt("object %s is empty", o.Hash)
	}
	switch o.data[0] {
	case tagBlob:
		return o.data[1:], nil, nil
	case tagNode:
		count, n := binary.Uvarint(o.data[1:])
		rest := o.data[1+max(n, 0):]
		if n <= 0 || count > uint64(len(rest)/hashSize) {
			return nil, nil, corrupt("object %s", o.Hash)
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
	return nil, nil, corrupt("object %s has tag %q", o.Hash, o.data[0])
}

// Bounds of one call that writes objects.
const (
	chunkBytes  = 256 << 10
	chunkFields = 500
)

// PutObjects stores objects of a space, in pipelines of at most 500 objects or
// 256 KiB. Storing one again changes nothing. Inside Update use Tx.Objects.
func (s *Store) PutObjects(ctx context.Context, space string, objects []Object) error {
	pipe, size := s.client.Pipeline(), 0
	for _, object := range objects {
		first, ok := firstByte(object.Hash)
		key := objectKey(space, first)
		if !ok || !key.valid() {
			return misuse("object %q of space %q", object.Hash, space)
		}
		stored := s.codec.encode(object.data)
		pipe.HSet(ctx, s.name(key), object.Hash, stored)
		if size += len(stored); size >= chunkBytes || pipe.Len() >= chunkFields {
			if err := execute(ctx, "objects.write", pipe); err != nil {
				return err
			}
			pipe, size = s.client.Pipeline(), 0
		}
	}
	if err := execute(ctx, "objects.write", pipe); err != nil {
		return err
	}
	for _, object := range objects {
		s.cache.add(space, object)
	}
	return nil
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
	pipe, replies := s.client.Pipeline(), map[string]*redis.StringCmd{}
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
	if err := execute(ctx, "objects.read", pipe); err != nil {
		return nil, err
	}
	for hash, reply := range replies {
		object, err := s.readObject(space, hash, reply)
		if err != nil {
			return nil, err
		}
		found[hash] = object
	}
	return found, nil
}

func (s *Store) queueObject(ctx context.Context, pipe redis.Pipeliner, space, hash string) (*redis.StringCmd, error) {
	first, ok := firstByte(hash)
	key := objectKey(space, first)
	if !ok || !key.valid() {
		return nil, fmt.Errorf("%w: %q of space %q", ErrMissing, hash, space)
	}
	return pipe.HGet(ctx, s.name(key), hash), nil
}

// readObject verifies what Redis answered and remembers it.
func (s *Store) readObject(space, hash string, reply *redis.StringCmd) (Object, error) {
	object, err := s.verifyObject(space, hash, reply)
	if err == nil {
		s.cache.add(space, object)
	}
	return object, err
}

// verifyObject compares what Redis answered with its hash.
func (s *Store) verifyObject(space, hash string, reply *redis.StringCmd) (Object, error) {
	if reply.Err() != nil {
		return Object{}, fmt.Errorf("%w: %s of space %s", ErrMissing, hash, space)
	}
	data, err := s.codec.decode([]byte(reply.Val()))
	if err != nil || len(data) == 0 || Hash(data) != hash {
		return Object{}, corrupt("object %s of space %s does not match its hash", hash, space)
	}
	return Object{Hash: hash, data: data}, nil
}

// CopyContent copies everything that a head reaches from one space to another, a
// few objects at a time. What is not there any more is ErrMissing.
func (s *Store) CopyContent(ctx context.Context, from, to string, head Head) error {
	_, err := s.follow(ctx, from, headRoots(head.String()), func(_ []string, objects []fetched) error {
		copied := make([]Object, len(objects))
		for i, found := range objects {
			if found.err != nil {
				return found.err
			}
			copied[i] = found.object
		}
		return s.PutObjects(ctx, to, copied)
	})
	return err
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
	return nil, corrupt("unknown codec")
}

func (c *codec) close() {
	c.decoder.Close()
	_ = c.encoder.Close()
}
