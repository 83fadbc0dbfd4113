package objects

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// HashSize is the length of a hash: 160 bits in base32hex.
const HashSize = 32

// HashEncoding is the encoding of hashes: lower-case base32hex.
var HashEncoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// Hash returns the hash of data: lower-case base32hex of the first 160 bits of its SHA-256.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return HashEncoding.EncodeToString(sum[:20])
}

// FirstByte returns the first byte of the digest; ok is false if the text is not a hash.
func FirstByte(hash string) (first byte, ok bool) {
	if len(hash) != HashSize {
		return 0, false
	}
	digest, err := HashEncoding.DecodeString(hash)
	if err != nil || len(digest) != 20 {
		return 0, false
	}
	return digest[0], true
}

// Object is an immutable piece of content, named by the hash of its bytes. The bytes begin with a tag, so that
// everything reachable from a head can be found without knowing its meaning.
type Object struct {
	Hash string
	data []byte // tag, references of a node, payload
}

// Tags of objects.
const (
	tagBlob = 'b' // bytes without references
	tagNode = 'n' // uvarint count, that many hashes, bytes
	tagLeaf = 'l' // entries of a map (maps.go)
	tagRoot = 'r' // buckets of a map
)

// NewBlob returns an object of bytes without references.
func NewBlob(payload []byte) Object {
	return NewObject(append(append(make([]byte, 0, len(payload)+1), tagBlob), payload...))
}

// NewNode returns an object of bytes and references; empty references are omitted. The referenced objects are
// reachable as long as the node is.
func NewNode(refs []string, payload []byte) Object {
	refs = slices.DeleteFunc(slices.Clone(refs), func(ref string) bool { return ref == "" })
	data := binary.AppendUvarint([]byte{tagNode}, uint64(len(refs)))
	for _, ref := range refs {
		data = append(data, ref...)
	}
	return NewObject(append(data, payload...))
}

// NewObject returns the object of bytes that begin with a tag. Invalid bytes are accepted, so that damaged objects
// can be inspected. See NewBlob and NewNode.
func NewObject(data []byte) Object { return Object{Hash: Hash(data), data: data} }

// Payload returns the bytes passed to NewBlob or NewNode. They must not be modified.
func (o Object) Payload() ([]byte, error) {
	payload, _, err := o.Split()
	return payload, err
}

// Split returns the payload and the references of an object.
func (o Object) Split() (payload []byte, refs []string, err error) {
	if len(o.data) == 0 {
		return nil, nil, redis.Corrupt("object %s is empty", o.Hash)
	}
	switch o.data[0] {
	case tagBlob:
		return o.data[1:], nil, nil
	case tagNode:
		count, n := binary.Uvarint(o.data[1:])
		rest := o.data[1+max(n, 0):]
		if n <= 0 || count > uint64(len(rest)/HashSize) {
			return nil, nil, redis.Corrupt("object %s", o.Hash)
		}
		for range count {
			refs = append(refs, string(rest[:HashSize]))
			rest = rest[HashSize:]
		}
		return rest, refs, nil
	case tagLeaf, tagRoot:
		refs, err = mapRefs(o)
		return nil, refs, err
	}
	return nil, nil, redis.Corrupt("object %s has tag %q", o.Hash, o.data[0])
}

// Refs returns the references of the object.
func (o Object) Refs() ([]string, error) {
	_, refs, err := o.Split()
	return refs, err
}

// IsNode reports whether the object is a node.
func (o Object) IsNode() bool { return len(o.data) > 0 && o.data[0] == tagNode }

// IsBlob reports whether the object is a blob.
func (o Object) IsBlob() bool { return len(o.data) > 0 && o.data[0] == tagBlob }
