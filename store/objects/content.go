package objects

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// Content is the objects of a space and the persistent maps in them, together with staged objects that are not stored
// yet. Staged objects can be read and are finally passed to Tx.Objects. A Content is created by NewContent and used
// by one goroutine.
type Content struct {
	source      Source
	space       string
	staged      map[string]Object
	order       []string
	read        map[string]bool    // hashes of the objects read from the store
	trees       map[string]mapTree // decoded map objects by hash; shared and immutable
	attachments map[string]any     // values that Attach attached to staged objects
}

// Source reads objects of a space by hash. The store implements it, inside and outside of transactions.
type Source interface {
	// ReadObjects reads objects from the cache or in one trip. A missing or damaged object is an UnreadableError.
	ReadObjects(ctx context.Context, space string, hashes []string) (map[string]Object, error)
	// FetchObjects reads objects from Redis, bypassing the cache.
	FetchObjects(ctx context.Context, space string, hashes []string) ([]FetchResult, error)
}

// NewContent returns the content of a space, read from a source.
func NewContent(source Source, space string) *Content {
	return &Content{
		source: source, space: space, staged: map[string]Object{}, read: map[string]bool{}, trees: map[string]mapTree{},
		attachments: map[string]any{},
	}
}

// Space returns the space of the objects.
func (c *Content) Space() string { return c.space }

// Stage adds objects that are to be stored and returns the hash of the last one.
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

// IsStaged reports whether an object was staged here. Values derived from it must not be shared, because it may never
// be stored.
func (c *Content) IsStaged(hash string) bool {
	_, staged := c.staged[hash]
	return staged
}

// Attach attaches a derived value to a staged object for the lifetime of this Content.
func (c *Content) Attach(hash string, value any) { c.attachments[hash] = value }

// Attached returns the value attached by Attach, or nil.
func (c *Content) Attached(hash string) any { return c.attachments[hash] }

// Staged returns the staged objects in order. If roots are given, it returns only those reachable from them, without
// the intermediate versions.
func (c *Content) Staged(roots ...string) []Object {
	var wanted map[string]bool
	if len(roots) > 0 {
		wanted = map[string]bool{}
		c.markReached(roots, wanted, nil)
	}
	return c.stagedObjects(wanted)
}

// New returns the staged objects reachable from a root, except those that were also read: a merge stages many
// objects that one of its sides contains. All read objects must be reachable from heads in the transaction's read
// set; otherwise they may have been removed at the commit.
func (c *Content) New(root string) []Object {
	wanted := map[string]bool{}
	c.markReached([]string{root}, wanted, c.read)
	return c.stagedObjects(wanted)
}

// stagedObjects returns the wanted staged objects; nil means all.
func (c *Content) stagedObjects(wanted map[string]bool) []Object {
	objects := make([]Object, 0, len(c.order))
	for _, hash := range c.order {
		if wanted == nil || wanted[hash] {
			objects = append(objects, c.staged[hash])
		}
	}
	return objects
}

// markReached marks the staged objects reachable from the hashes. Stored objects refer only to stored objects.
func (c *Content) markReached(hashes []string, reached, stored map[string]bool) {
	for _, hash := range hashes {
		object, have := c.staged[hash]
		if !have || reached[hash] || stored[hash] {
			continue
		}
		reached[hash] = true
		if _, refs, err := object.Split(); err == nil { // staged objects are always valid
			c.markReached(refs, reached, stored)
		}
	}
}

// Objects returns the payloads of blobs and nodes by hash, in at most one trip. It returns an ErrMissing with the
// hash if one is missing. The payloads must not be modified.
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

// Blob returns the bytes of an object without references. For an object with references it returns an ErrMissing, as
// for a missing one.
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

// object returns an object by hash, from the staged objects first.
func (c *Content) object(ctx context.Context, hash string) (Object, error) {
	if object, have := c.staged[hash]; have {
		return object, nil
	}
	objects, err := c.source.ReadObjects(ctx, c.space, []string{hash})
	if err != nil {
		return Object{}, err
	}
	c.read[hash] = true
	return objects[hash], nil
}

// objects returns objects by hash, from the staged objects first.
func (c *Content) objects(ctx context.Context, hashes []string) (map[string]Object, error) {
	missing := hashes
	if len(c.staged) > 0 {
		missing = slices.DeleteFunc(slices.Clone(hashes), c.IsStaged)
	}
	objects, err := c.source.ReadObjects(ctx, c.space, missing)
	if err != nil {
		return nil, err
	}
	for hash := range objects {
		c.read[hash] = true
	}
	for _, hash := range hashes {
		if object, have := c.staged[hash]; have {
			objects[hash] = object
		}
	}
	return objects, nil
}

// mapTree is a map with its first object decoded.
type mapTree struct {
	leaf leaf  // all entries if root is nil
	root *root // nil if there is one leaf
}

// open reads the first object of a map.
func (c *Content) open(ctx context.Context, hash string) (mapTree, error) {
	if hash == "" {
		return mapTree{leaf: leaf{}}, nil
	}
	object, err := c.object(ctx, hash)
	if err != nil {
		return mapTree{}, err
	}
	return c.openObject(object)
}

// openObject decodes the first object of a map and caches the result.
func (c *Content) openObject(object Object) (mapTree, error) {
	if opened, have := c.trees[object.Hash]; have {
		return opened, nil
	}
	opened, err := openTree(object)
	if err == nil {
		c.trees[object.Hash] = opened
	}
	return opened, err
}

// openTree decodes the first object of a map; a zero object is the empty map.
func openTree(object Object) (mapTree, error) {
	if object.data == nil {
		return mapTree{leaf: leaf{}}, nil
	}
	if object.data[0] == tagRoot {
		decoded, err := decodeRoot(object)
		return mapTree{root: &decoded}, err
	}
	if object.data[0] != tagLeaf {
		return mapTree{}, redis.Corrupt("object %s is not a map", object.Hash)
	}
	entries, err := decodeLeaf(object)
	return mapTree{leaf: entries}, err
}

// leaves reads buckets in one trip; the empty hash is the empty leaf.
func (c *Content) leaves(ctx context.Context, hashes []string) (map[string]leaf, error) {
	wanted := slices.DeleteFunc(slices.Clone(hashes), func(hash string) bool { return hash == "" })
	objects, err := c.objects(ctx, wanted)
	if err != nil {
		return nil, err
	}
	leaves := map[string]leaf{"": {}}
	for hash, object := range objects {
		opened, err := c.openObject(object)
		if err != nil {
			return nil, err
		}
		if opened.leaf == nil {
			return nil, redis.Corrupt("object %s is not a bucket", hash)
		}
		leaves[hash] = opened.leaf
	}
	return leaves, nil
}

// BuildMap stages a map of entries and returns its root.
func (c *Content) BuildMap(entries map[string]Entry) (newRoot string) {
	if len(entries) == 0 {
		return ""
	}
	if len(entries) <= leafMax {
		return c.Stage(encodeLeaf(entries))
	}
	buckets := bucketCount(len(entries))
	split := make([]leaf, buckets)
	for id, entry := range entries {
		n := bucketOf(id, buckets)
		if split[n] == nil {
			split[n] = leaf{}
		}
		split[n][id] = entry
	}
	r := root{count: len(entries), buckets: make([]string, buckets)}
	for n, bucket := range split {
		if len(bucket) > 0 {
			r.buckets[n] = c.Stage(encodeLeaf(bucket))
		}
	}
	return c.Stage(encodeRoot(r))
}

// Apply returns the root of the map with entries set and ids removed. It reads and writes only the changed buckets:
// in at most two trips, or three if the map shrinks to a single leaf or changes its number of buckets.
func (c *Content) Apply(ctx context.Context, root string, set map[string]Entry, remove []string) (newRoot string, err error) {
	opened, err := c.open(ctx, root)
	if err != nil {
		return "", err
	}
	if opened.root == nil {
		entries := maps.Clone(opened.leaf)
		applyChange(entries, set, remove)
		return c.BuildMap(entries), nil
	}
	changed, err := c.applyBuckets(ctx, *opened.root, set, remove)
	if err != nil {
		return "", err
	}
	if changed.count > leafMax && len(changed.buckets) == bucketCount(changed.count) {
		return c.Stage(encodeRoot(changed)), nil
	}
	entries, err := c.readAll(ctx, changed)
	if err != nil {
		return "", err
	}
	return c.BuildMap(entries), nil
}

// applyChange applies a change to entries in place.
func applyChange(entries leaf, set map[string]Entry, remove []string) {
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
		applyChange(bucket, sets[n], removes[n])
		r.count += len(bucket) - before
		r.buckets[n] = ""
		if len(bucket) > 0 {
			r.buckets[n] = c.Stage(encodeLeaf(bucket))
		}
	}
	return r, nil
}

// readAll reads all entries of a root.
func (c *Content) readAll(ctx context.Context, r root) (leaf, error) {
	leaves, err := c.leaves(ctx, r.buckets)
	if err != nil {
		return nil, err
	}
	all := make(leaf, r.count)
	for _, bucket := range leaves {
		maps.Copy(all, bucket)
	}
	if len(all) != r.count {
		return nil, redis.Corrupt("map has %d entries of %d", len(all), r.count)
	}
	return all, nil
}

// All returns every entry of a map in at most two trips. The entries must not be modified.
func (c *Content) All(ctx context.Context, root string) (map[string]Entry, error) {
	opened, err := c.open(ctx, root)
	if err != nil || opened.root == nil {
		return opened.leaf, err
	}
	return c.readAll(ctx, *opened.root)
}

// Get returns the entries of a map with the given ids, in at most two trips. Missing ids are omitted.
func (c *Content) Get(ctx context.Context, root string, ids ...string) (map[string]Entry, error) {
	opened, err := c.open(ctx, root)
	if err != nil {
		return nil, err
	}
	entries := make(map[string]Entry, len(ids))
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
		bucket := opened.leaf
		if opened.root != nil {
			bucket = bucketsOf[hashes[i]]
		}
		if entry, have := bucket[id]; have {
			entries[id] = entry
		}
	}
	return entries, nil
}

// Change is the difference of one entry between two maps; nil = absent on that side.
type Change struct {
	Before, After *Entry
}

// Diff returns the entries that differ between two maps by id. It reads only the buckets that differ, in at most two
// trips.
func (c *Content) Diff(ctx context.Context, rootA, rootB string) (map[string]Change, error) {
	if rootA == rootB {
		return map[string]Change{}, nil
	}
	a, b, err := c.openPair(ctx, rootA, rootB)
	if err != nil {
		return nil, err
	}
	if a.root != nil && b.root != nil && len(a.root.buckets) == len(b.root.buckets) {
		return c.diffBuckets(ctx, *a.root, *b.root)
	}
	sides := make([]leaf, 2)
	for i, side := range []mapTree{a, b} {
		if sides[i] = side.leaf; side.root != nil {
			if sides[i], err = c.readAll(ctx, *side.root); err != nil {
				return nil, err
			}
		}
	}
	changes := map[string]Change{}
	diffLeaves(sides[0], sides[1], changes)
	return changes, nil
}

// openPair opens two maps in one trip.
func (c *Content) openPair(ctx context.Context, rootA, rootB string) (a, b mapTree, err error) {
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
	leaves, err := c.leaves(ctx, hashes)
	if err != nil {
		return nil, err
	}
	changes := map[string]Change{}
	for n := range a.buckets {
		if a.buckets[n] != b.buckets[n] {
			diffLeaves(leaves[a.buckets[n]], leaves[b.buckets[n]], changes)
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
