package objects

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// A persistent map is a tree of objects: a single leaf for up to leafMax entries; otherwise a root with the number of
// entries and a number of buckets that depends on it. Each bucket is a leaf, chosen by the hash of the id. Equal maps
// have equal bytes regardless of their history, so two maps of about the same size differ only in the buckets with
// different hashes. The empty map has the root "".
//
// 	leaf: tag, uvarint count, per entry by id: id, value, refs (each preceded by
// 	      its length or count)
// 	root: tag, uvarint count, per bucket: 32 characters of hash, or '-' = empty

const (
	leafMax    = 256
	minBuckets = 64
	maxBuckets = 1 << 16
)

// bucketCount returns the number of buckets of a map with count entries: the power of two that minimizes the bytes written
// by a small change, since the root grows with the buckets and each bucket shrinks.
func bucketCount(count int) (buckets int) {
	for buckets = minBuckets; buckets < maxBuckets && buckets*buckets < 16*count; {
		buckets *= 2
	}
	return buckets
}

// Entry is a value of a persistent map and the hashes of the objects it refers to, which are reachable as long as the
// entry is.
type Entry struct {
	Value []byte
	Refs  []string
}

// equal reports whether two entries have the same value and the same references in the same order.
func (e Entry) equal(other Entry) bool {
	return string(e.Value) == string(other.Value) && slices.Equal(e.Refs, other.Refs)
}

// bucketOf returns the bucket of an id; buckets is a power of two.
func bucketOf(id string, buckets int) int {
	sum := sha256.Sum256([]byte(id))
	return int(binary.LittleEndian.Uint32(sum[:])) & (buckets - 1)
}

// leaf is a decoded leaf.
type leaf map[string]Entry

// encodeLeaf returns the object of a leaf.
func encodeLeaf(entries leaf) Object {
	data := binary.AppendUvarint([]byte{tagLeaf}, uint64(len(entries)))
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		entry := entries[id]
		data = appendBytes(data, id)
		data = appendBytes(data, string(entry.Value))
		data = binary.AppendUvarint(data, uint64(len(entry.Refs)))
		for _, ref := range entry.Refs {
			data = appendBytes(data, ref)
		}
	}
	return NewObject(data)
}

func appendBytes(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// decodeLeaf decodes a leaf. Values are slices of the object's bytes.
func decodeLeaf(object Object) (leaf, error) {
	r := reader{data: object.data[1:]}
	count := r.uvarint()
	entries := make(leaf, min(count, 1<<12))
	for i := uint64(0); i < count && !r.failed; i++ {
		id := string(r.bytes())
		entry := Entry{Value: r.bytes()}
		for n := r.uvarint(); n > 0 && !r.failed; n-- {
			entry.Refs = append(entry.Refs, string(r.bytes()))
		}
		entries[id] = entry
	}
	if r.failed || len(r.data) != 0 || uint64(len(entries)) != count {
		return nil, redis.Corrupt("map object %s", object.Hash)
	}
	return entries, nil
}

// reader decodes lengths and bytes; failed is set after an error.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.failed = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.data)) {
		r.failed = true
		return nil
	}
	taken := r.data[:n:n]
	r.data = r.data[n:]
	return taken
}

// root is a decoded root.
type root struct {
	count   int
	buckets []string // hashes; "" = empty
}

// bucket returns the hash of the bucket of an id.
func (r root) bucket(id string) string { return r.buckets[bucketOf(id, len(r.buckets))] }

// encodeRoot returns the object of a root.
func encodeRoot(r root) Object {
	data := binary.AppendUvarint([]byte{tagRoot}, uint64(max(r.count, 0)))
	for _, hash := range r.buckets {
		if hash == "" {
			hash = "-"
		}
		data = append(data, hash...)
	}
	return NewObject(data)
}

// decodeRoot decodes a root.
func decodeRoot(object Object) (root, error) {
	count, n := binary.Uvarint(object.data[1:])
	if n <= 0 || count > 1<<31 {
		return root{}, redis.Corrupt("map object %s", object.Hash)
	}
	rest := string(object.data[1+n:]) // one allocation: the hashes are substrings
	decoded := root{count: int(count), buckets: make([]string, 0, len(rest)/HashSize)}
	for len(rest) > 0 {
		switch {
		case rest[0] == '-':
			decoded.buckets, rest = append(decoded.buckets, ""), rest[1:]
		case len(rest) >= HashSize:
			decoded.buckets, rest = append(decoded.buckets, rest[:HashSize]), rest[HashSize:]
		default:
			return root{}, redis.Corrupt("map object %s", object.Hash)
		}
	}
	if size := len(decoded.buckets); size < minBuckets || size > maxBuckets || size&(size-1) != 0 {
		return root{}, redis.Corrupt("map object %s has %d buckets", object.Hash, size)
	}
	return decoded, nil
}

// mapRefs returns the references of a leaf or root.
func mapRefs(object Object) (refs []string, err error) {
	if object.data[0] == tagRoot {
		decoded, err := decodeRoot(object)
		for _, hash := range decoded.buckets {
			if hash != "" {
				refs = append(refs, hash)
			}
		}
		return refs, err
	}
	entries, err := decodeLeaf(object)
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		refs = append(refs, entries[id].Refs...)
	}
	return refs, err
}
