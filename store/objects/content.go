package objects

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// Content is a space's objects and the persistent maps in them, together with
// objects that are not stored yet: what it makes is read back from memory, and
// handed to Tx.Objects at the end. Made by NewContent, used by one goroutine.
type Content struct {
	source Source
	space  string
	staged map[string]Object
	order  []string
	read   map[string]bool // hashes of what was read from the store
	opened map[string]tree // decoded objects of maps, by hash; shared, never changed
	kept   map[string]any  // what its user made of staged objects
}

// Source reads objects of a space by hash. The store is one: content is below it,
// so that it can be read within a transaction and outside of one.
type Source interface {
	// ReadObjects reads them from memory, or in one trip. One that is absent or
	// damaged is Unreadable.
	ReadObjects(ctx context.Context, space string, hashes []string) (map[string]Object, error)
	// FetchObjects reads them past the memory of this process.
	FetchObjects(ctx context.Context, space string, hashes []string) ([]Fetched, error)
}

// NewContent returns a view of a space's objects, which come from a source.
func NewContent(source Source, space string) *Content {
	return &Content{source: source, space: space, staged: map[string]Object{}, read: map[string]bool{}, opened: map[string]tree{}, kept: map[string]any{}}
}

// Space is the space whose objects these are.
func (c *Content) Space() string { return c.space }

// Stage keeps objects that are to be stored and returns the hash of the last.
func (c *Content) Stage(objects ...Object) (hash string) {
	for _, object := range objects {
		hash = object.Hash
		if _, have := c.staged[hash]; !have {
			c.staged[hash] = object
			c.order = append(c.order, hash)
		}
	}
	return hash
}

// IsStaged reports whether an object was made here. It may be stored by then, or
// never: what is made of it is nothing to share with others.
func (c *Content) IsStaged(hash string) bool {
	_, staged := c.staged[hash]
	return staged
}

// Keep remembers what was made of a staged object for as long as the object
// lives: as long as this Content.
func (c *Content) Keep(hash string, made any) { c.kept[hash] = made }

// Kept returns what Keep was given, or nil.
func (c *Content) Kept(hash string) any { return c.kept[hash] }

// Staged returns the objects that were made, in the order in which they were
// made; with roots, only those that the roots reach, which leaves out the steps
// in between.
func (c *Content) Staged(roots ...string) []Object {
	var wanted map[string]bool
	if len(roots) > 0 {
		wanted = map[string]bool{}
		c.reach(roots, wanted, nil)
	}
	return c.made(wanted)
}

// Fresh returns the objects that were made and that a root reaches, but for those
// that were also read: a merge makes much that one of its sides has. All that was
// read must be kept by heads that the transaction holds, since only then is it
// still stored when the transaction commits.
func (c *Content) Fresh(root string) []Object {
	wanted := map[string]bool{}
	c.reach([]string{root}, wanted, c.read)
	return c.made(wanted)
}

// made returns the staged objects that are wanted; nil is all.
func (c *Content) made(wanted map[string]bool) []Object {
	objects := make([]Object, 0, len(c.order))
	for _, hash := range c.order {
		if wanted == nil || wanted[hash] {
			objects = append(objects, c.staged[hash])
		}
	}
	return objects
}

// reach marks the staged objects that the hashes reach. What is stored refers
// only to what is stored.
func (c *Content) reach(hashes []string, reached, stored map[string]bool) {
	for _, hash := range hashes {
		object, have := c.staged[hash]
		if !have || reached[hash] || stored[hash] {
			continue
		}
		reached[hash] = true
		if _, refs, err := object.Split(); err == nil { // staged objects were made here
			c.reach(refs, reached, stored)
		}
	}
}

// Objects returns the payloads of blobs and nodes by hash, in at most one trip.
// It is ErrMissing, with the hash, if one is absent. The payloads must not be
// changed.
func (c *Content) Objects(ctx context.Context, hashes []string) (map[string][]byte, error) {
	objects, err := c.objects(ctx, hashes)
	if err != nil {
		return nil, err
	}
	payloads := make(map[string][]byte, len(objects))
	for hash, object := range objects {
		if payloads[hash], err = object.Payload(); err != nil {
			return nil, err
		}
	}
	return payloads, nil
}

// Object returns the payload of one blob or node.
func (c *Content) Object(ctx context.Context, hash string) ([]byte, error) {
	object, err := c.object(ctx, hash)
	if err != nil {
		return nil, err
	}
	return object.Payload()
}

// Blob returns the bytes of an object that refers to no other. What does is ErrMissing, as what is not there.
func (c *Content) Blob(ctx context.Context, hash string) ([]byte, error) {
	object, err := c.object(ctx, hash)
	if err != nil {
		return nil, err
	}
	if !object.IsBlob() {
		return nil, fmt.Errorf("%w: %s is no blob", ErrMissing, hash)
	}
	return object.Payload()
}

// object returns an object by hash, one that is staged first.
func (c *Content) object(ctx context.Context, hash string) (Object, error) {
	if object, have := c.staged[hash]; have {
		return object, nil
	}
	found, err := c.source.ReadObjects(ctx, c.space, []string{hash})
	if err != nil {
		return Object{}, err
	}
	c.read[hash] = true
	return found[hash], nil
}

// objects returns objects by hash, staged ones first.
func (c *Content) objects(ctx context.Context, hashes []string) (map[string]Object, error) {
	missing := hashes
	if len(c.staged) > 0 {
		missing = slices.DeleteFunc(slices.Clone(hashes), c.IsStaged)
	}
	found, err := c.source.ReadObjects(ctx, c.space, missing)
	if err != nil {
		return nil, err
	}
	for hash := range found {
		c.read[hash] = true
	}
	for _, hash := range hashes {
		if object, have := c.staged[hash]; have {
			found[hash] = object
		}
	}
	return found, nil
}

// tree is a map opened at its first object.
type tree struct {
	leaf leaf  // all entries, if there is no root
	root *root // else
}

// open reads the first object of a map.
func (c *Content) open(ctx context.Context, hash string) (tree, error) {
	if hash == "" {
		return tree{leaf: leaf{}}, nil
	}
	object, err := c.object(ctx, hash)
	if err != nil {
		return tree{}, err
	}
	return c.openObject(object)
}

// openObject decodes an object of a map, once.
func (c *Content) openObject(object Object) (tree, error) {
	if opened, have := c.opened[object.Hash]; have {
		return opened, nil
	}
	opened, err := openTree(object)
	if err == nil {
		c.opened[object.Hash] = opened
	}
	return opened, err
}

// openTree decodes the first object of a map; none is the empty map.
func openTree(object Object) (tree, error) {
	if object.data == nil {
		return tree{leaf: leaf{}}, nil
	}
	if object.data[0] == tagRoot {
		decoded, err := decodeRoot(object)
		return tree{root: &decoded}, err
	}
	if object.data[0] != tagLeaf {
		return tree{}, redis.Corrupt("object %s is not a map", object.Hash)
	}
	entries, err := decodeLeaf(object)
	return tree{leaf: entries}, err
}

// leaves reads buckets, in one trip; the empty hash is the empty leaf.
func (c *Content) leaves(ctx context.Context, hashes []string) (map[string]leaf, error) {
	wanted := slices.DeleteFunc(slices.Clone(hashes), func(hash string) bool { return hash == "" })
	objects, err := c.objects(ctx, wanted)
	if err != nil {
		return nil, err
	}
	found := map[string]leaf{"": {}}
	for hash, object := range objects {
		opened, err := c.openObject(object)
		if err != nil {
			return nil, err
		}
		if opened.leaf == nil {
			return nil, redis.Corrupt("object %s is not a bucket", hash)
		}
		found[hash] = opened.leaf
	}
	return found, nil
}

// BuildMap makes a map of entries and returns its root.
func (c *Content) BuildMap(entries map[string]Entry) (newRoot string) {
	if len(entries) == 0 {
		return ""
	}
	if len(entries) <= leafMax {
		return c.Stage(encodeLeaf(entries))
	}
	buckets := spread(len(entries))
	split := make([]leaf, buckets)
	for id, entry := range entries {
		n := bucketOf(id, buckets)
		if split[n] == nil {
			split[n] = leaf{}
		}
		split[n][id] = entry
	}
	made := root{count: len(entries), buckets: make([]string, buckets)}
	for n, bucket := range split {
		if len(bucket) > 0 {
			made.buckets[n] = c.Stage(encodeLeaf(bucket))
		}
	}
	return c.Stage(encodeRoot(made))
}

// Apply returns the root of the map with entries set and ids removed. It reads
// and writes only the buckets that change: at most two trips, one more when the
// map shrinks to a single leaf or changes its number of buckets.
func (c *Content) Apply(ctx context.Context, root string, set map[string]Entry, remove []string) (newRoot string, err error) {
	opened, err := c.open(ctx, root)
	if err != nil {
		return "", err
	}
	if opened.root == nil {
		entries := maps.Clone(opened.leaf)
		change(entries, set, remove)
		return c.BuildMap(entries), nil
	}
	made, err := c.applyBuckets(ctx, *opened.root, set, remove)
	if err != nil {
		return "", err
	}
	if made.count > leafMax && len(made.buckets) == spread(made.count) {
		return c.Stage(encodeRoot(made)), nil
	}
	entries, err := c.gather(ctx, made)
	if err != nil {
		return "", err
	}
	return c.BuildMap(entries), nil
}

// change applies a change to entries in place.
func change(entries leaf, set map[string]Entry, remove []string) {
	for _, id := range remove {
		delete(entries, id)
	}
	maps.Copy(entries, set)
}

// applyBuckets changes the buckets of a root.
func (c *Content) applyBuckets(ctx context.Context, r root, set map[string]Entry, remove []string) (root, error) {
	r.buckets = slices.Clone(r.buckets)
	sets, removes := map[int]leaf{}, map[int][]string{}
	touched := map[int]bool{}
	for id, entry := range set {
		n := bucketOf(id, len(r.buckets))
		if sets[n] == nil {
			sets[n] = leaf{}
		}
		sets[n][id], touched[n] = entry, true
	}
	for _, id := range remove {
		n := bucketOf(id, len(r.buckets))
		removes[n], touched[n] = append(removes[n], id), true
	}
	var hashes []string
	for n := range touched {
		hashes = append(hashes, r.buckets[n])
	}
	old, err := c.leaves(ctx, hashes)
	if err != nil {
		return root{}, err
	}
	for _, n := range slices.Sorted(maps.Keys(touched)) {
		bucket := maps.Clone(old[r.buckets[n]])
		before := len(bucket)
		change(bucket, sets[n], removes[n])
		r.count += len(bucket) - before
		r.buckets[n] = ""
		if len(bucket) > 0 {
			r.buckets[n] = c.Stage(encodeLeaf(bucket))
		}
	}
	return r, nil
}

// gather reads all entries of a root.
func (c *Content) gather(ctx context.Context, r root) (leaf, error) {
	found, err := c.leaves(ctx, r.buckets)
	if err != nil {
		return nil, err
	}
	all := make(leaf, r.count)
	for _, bucket := range found {
		maps.Copy(all, bucket)
	}
	if len(all) != r.count {
		return nil, redis.Corrupt("map has %d entries of %d", len(all), r.count)
	}
	return all, nil
}

// All returns every entry of a map, in at most two trips. They must not be
// changed.
func (c *Content) All(ctx context.Context, root string) (map[string]Entry, error) {
	opened, err := c.open(ctx, root)
	if err != nil || opened.root == nil {
		return opened.leaf, err
	}
	return c.gather(ctx, *opened.root)
}

// Get returns the entries with the ids that the map has, in at most two trips.
func (c *Content) Get(ctx context.Context, root string, ids ...string) (map[string]Entry, error) {
	opened, err := c.open(ctx, root)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Entry, len(ids))
	var hashes []string
	if opened.root != nil {
		for _, id := range ids {
			hashes = append(hashes, opened.root.bucket(id))
		}
	}
	bucketsOf, err := c.leaves(ctx, hashes)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		entries := opened.leaf
		if opened.root != nil {
			entries = bucketsOf[hashes[i]]
		}
		if entry, have := entries[id]; have {
			found[id] = entry
		}
	}
	return found, nil
}

// Change is one difference between two maps; nil = absent on that side.
type Change struct {
	Before, After *Entry
}

// Diff returns the entries that differ between two maps, by id. It reads only
// the buckets that differ: at most two trips.
func (c *Content) Diff(ctx context.Context, rootA, rootB string) (map[string]Change, error) {
	if rootA == rootB {
		return map[string]Change{}, nil
	}
	a, b, err := c.openTwo(ctx, rootA, rootB)
	if err != nil {
		return nil, err
	}
	if a.root != nil && b.root != nil && len(a.root.buckets) == len(b.root.buckets) {
		return c.diffBuckets(ctx, *a.root, *b.root)
	}
	sides := make([]leaf, 2)
	for i, side := range []tree{a, b} {
		if sides[i] = side.leaf; side.root != nil {
			if sides[i], err = c.gather(ctx, *side.root); err != nil {
				return nil, err
			}
		}
	}
	changes := map[string]Change{}
	diffLeaves(sides[0], sides[1], changes)
	return changes, nil
}

// openTwo opens two maps in one trip.
func (c *Content) openTwo(ctx context.Context, rootA, rootB string) (a, b tree, err error) {
	wanted := slices.DeleteFunc([]string{rootA, rootB}, func(hash string) bool { return hash == "" })
	objects, err := c.objects(ctx, wanted)
	if err != nil {
		return a, b, err
	}
	if a, err = c.openObject(objects[rootA]); err != nil {
		return a, b, err
	}
	b, err = c.openObject(objects[rootB])
	return a, b, err
}

func (c *Content) diffBuckets(ctx context.Context, a, b root) (map[string]Change, error) {
	var hashes []string
	for n := range a.buckets {
		if a.buckets[n] != b.buckets[n] {
			hashes = append(hashes, a.buckets[n], b.buckets[n])
		}
	}
	found, err := c.leaves(ctx, hashes)
	if err != nil {
		return nil, err
	}
	changes := map[string]Change{}
	for n := range a.buckets {
		if a.buckets[n] != b.buckets[n] {
			diffLeaves(found[a.buckets[n]], found[b.buckets[n]], changes)
		}
	}
	return changes, nil
}

// diffLeaves adds the differences of two leaves.
func diffLeaves(a, b leaf, changes map[string]Change) {
	for id, before := range a {
		after, have := b[id]
		switch {
		case !have:
			changes[id] = Change{Before: &before}
		case !before.equal(after):
			changes[id] = Change{Before: &before, After: &after}
		}
	}
	for id, after := range b {
		if _, have := a[id]; !have {
			changes[id] = Change{After: &after}
		}
	}
}
