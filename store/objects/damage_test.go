package objects

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/store/redis"
)

// mapSource is a Source with the objects of one space by hash. Reading a lost or damaged object returns an error.
type mapSource map[string]FetchResult

func (s mapSource) ReadObjects(_ context.Context, space string, hashes []string) (map[string]Object, error) {
	found := map[string]Object{}
	for _, hash := range hashes {
		one, ok := s[hash]
		if !ok {
			return nil, NewUnreadable(space, hash, nil, false)
		}
		if one.Err != nil {
			return nil, one.Err
		}
		found[hash] = one.Object
	}
	return found, nil
}

func (s mapSource) FetchObjects(_ context.Context, space string, hashes []string) ([]FetchResult, error) {
	found := make([]FetchResult, len(hashes))
	for i, hash := range hashes {
		one, ok := s[hash]
		if !ok {
			one.Err = NewUnreadable(space, hash, nil, false)
		}
		found[i] = one
	}
	return found, nil
}

// rootObject returns a map root of buckets, each the hash of a leaf or "-".
func rootObject(count uint64, buckets ...string) Object {
	return NewObject(append(binary.AppendUvarint([]byte{tagRoot}, count), strings.Join(buckets, "")...))
}

// TestDamagedMapIsCorrupt checks that objects that are no maps, or are cut off, are errors: they are not read as maps with
// fewer entries.
func TestDamagedMapIsCorrupt(t *testing.T) {
	t.Parallel()
	whole := encodeLeaf(leaf{"p_1": {Value: []byte("one")}, "p_2": {Value: []byte("two"), Refs: []string{Hash([]byte("two"))}}})
	entry := appendBytes(appendBytes(nil, "p_1"), "one")
	entry = append(entry, 0)
	empty := slices.Repeat([]string{"-"}, minBuckets)
	for name, object := range map[string]Object{
		"blob":                    NewBlob([]byte("x")),
		"node":                    NewNode(nil, []byte("x")),
		"leaf without a count":    NewObject([]byte{tagLeaf}),
		"leaf that is cut off":    NewObject(whole.data[:len(whole.data)-1]),
		"leaf with further bytes": NewObject(append(slices.Clone(whole.data), 0)),
		"leaf with one id twice":  NewObject(slices.Concat([]byte{tagLeaf, 2}, entry, entry)),
		"leaf of fewer entries":   NewObject(slices.Concat([]byte{tagLeaf, 2}, entry)),
		"root without a count":    NewObject([]byte{tagRoot}),
		"root of few buckets":     rootObject(300, empty[:minBuckets/2]...),
		"root of no power of two": rootObject(300, append(slices.Clone(empty), "-")...),
		"root with half a hash":   rootObject(300, append(slices.Clone(empty[1:]), Hash([]byte("x"))[:HashSize/2])...),
	} {
		if _, err := openTree(object); !errors.Is(err, redis.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := openTree(whole); err != nil {
		t.Errorf("the undamaged leaf: %v", err)
	}
}

// TestMapWithDamagedBucketsIsCorrupt checks that a map whose number of entries differs from the count in its root is an error,
// and so is a bucket that is no leaf: neither is read as a map with fewer entries.
func TestMapWithDamagedBucketsIsCorrupt(t *testing.T) {
	t.Parallel()
	bucket := encodeLeaf(leaf{"p_1": {Value: []byte("one")}})
	buckets := append([]string{bucket.Hash}, slices.Repeat([]string{"-"}, minBuckets-1)...)
	inner := rootObject(1, buckets...)
	for name, root := range map[string]Object{
		"more entries counted":  rootObject(2, buckets...),
		"fewer entries counted": rootObject(0, buckets...),
		"root as a bucket":      rootObject(0, append([]string{inner.Hash}, buckets[1:]...)...),
	} {
		c := NewContent(mapSource{bucket.Hash: {Object: bucket}, inner.Hash: {Object: inner}}, "s_1")
		decoded, err := decodeRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		if entries, err := c.readAll(t.Context(), decoded); !errors.Is(err, redis.ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, entries, err)
		}
	}
}

// TestObjectWithReferencesIsNoBlob checks that an object with references is not read as the bytes of a file.
func TestObjectWithReferencesIsNoBlob(t *testing.T) {
	t.Parallel()
	node := NewNode([]string{Hash([]byte("x"))}, []byte("text"))
	c := NewContent(mapSource{node.Hash: {Object: node}}, "s_1")
	if data, err := c.Blob(t.Context(), node.Hash); !errors.Is(err, ErrMissing) {
		t.Errorf("%q, %v", data, err)
	}
}

// TestFollowContinuesAfterLostObject checks that everything that a lost object is known to refer to is reachable and therefore
// not swept; nothing is reachable through a damaged object.
func TestFollowContinuesAfterLostObject(t *testing.T) {
	t.Parallel()
	older := NewBlob([]byte("older"))
	revision := NewNode([]string{older.Hash}, []byte("revision"))
	head := NewNode([]string{revision.Hash}, []byte("head"))
	placeholder := Placeholder{Refs: []string{older.Hash}, Note: []byte("note")}.Bytes()
	for name, c := range map[string]struct {
		stored  []byte
		lost    bool
		reaches bool
	}{
		"lost":                {placeholder, true, true},
		"damaged":             {[]byte("\x00other bytes"), false, false},
		"damaged placeholder": {placeholder[:10], false, false},
		"empty placeholder":   {[]byte{codecLost}, false, false},
	} {
		err := NewUnreadable("s_1", revision.Hash, c.stored, true)
		source := mapSource{head.Hash: {Object: head}, revision.Hash: {Err: err}, older.Hash: {Object: older}}
		reached, failed := Follow(t.Context(), source, "s_1", []string{head.Hash}, 1,
			func([]string, []FetchResult) error { return nil })
		if failed != nil || reached[older.Hash] != c.reaches || !reached[revision.Hash] {
			t.Errorf("%s: reached %v, %v", name, reached, failed)
		}
		u, _ := AsUnreadable(err)
		if IsLost(err) != c.lost || c.lost && !bytes.Equal(u.Lost.Note, []byte("note")) {
			t.Errorf("%s: lost %t, %v", name, IsLost(err), u.Lost)
		}
		if errors.Is(err, ErrMissing) != c.lost || errors.Is(err, redis.ErrCorrupt) == c.lost {
			t.Errorf("%s: %v", name, err)
		}
		if text := fmt.Sprint(err); !strings.Contains(text, revision.Hash) {
			t.Errorf("%s: %q does not name the object", name, text)
		}
	}
}

// TestSurveyCountsUnreadableBucketAsMissing checks that a survey of a map does not treat an unreadable bucket as empty: the
// entries that would be in it count as missing, and those of the other buckets are read.
func TestSurveyCountsUnreadableBucketAsMissing(t *testing.T) {
	t.Parallel()
	entries := map[string]Entry{}
	for n := range leafMax + 1 {
		entries[fmt.Sprintf("p_%03d", n)] = Entry{Value: fmt.Append(nil, n)}
	}
	for name, stored := range map[string]struct {
		bytes   []byte
		present bool
	}{
		"lost":     {nil, false},
		"given up": {Placeholder{}.Bytes(), true},
		"damaged":  {[]byte("\x00other bytes"), true},
	} {
		source := mapSource{}
		c := NewContent(source, "s_1")
		hash := c.BuildMap(entries)
		for _, object := range c.Staged() {
			source[object.Hash] = FetchResult{Object: object}
		}
		decoded, err := decodeRoot(source[hash].Object)
		if err != nil {
			t.Fatal(err)
		}
		bucket := decoded.bucket("p_000")
		source[bucket] = FetchResult{Err: NewUnreadable("s_1", bucket, stored.bytes, stored.present)}
		v, err := c.Survey(t.Context(), hash)
		if err != nil || !slices.Equal(v.Unreadable, []string{bucket}) {
			t.Errorf("%s: the survey of a map without %s found %v, %v", name, bucket, v.Unreadable, err)
		}
		for id := range entries {
			gap := decoded.bucket(id) == bucket
			if _, found := v.Entries[id]; found == gap || v.IsMissing(id) != gap {
				t.Errorf("%s: %s is found: %t, missing: %t", name, id, found, v.IsMissing(id))
			}
		}
	}
}
