package objects

import (
	"context"
	"maps"
	"slices"
)

// Survey is what can still be read of a map.
type Survey struct {
	Entries map[string]Entry
	Gone    []string // objects that cannot be read

	buckets int // of the map; 0 if there is one leaf, or if not even that is known
	gaps    map[int]bool
	all     bool // nothing can be read
}

// Lacks reports whether an entry would be in a part that cannot be read.
func (v Survey) Lacks(id string) bool {
	return v.all || v.buckets > 0 && v.gaps[bucketOf(id, v.buckets)]
}

// Survey reads what can be read of a map, past the memory of this process. What
// was given up counts as gone.
func (c *Content) Survey(ctx context.Context, hash string) (Survey, error) {
	v := Survey{Entries: map[string]Entry{}, gaps: map[int]bool{}}
	if hash == "" {
		return v, nil
	}
	first, err := c.source.FetchObjects(ctx, c.space, []string{hash})
	if err != nil {
		return v, err
	}
	opened, err := openTree(first[0].Object)
	if first[0].Err != nil || err != nil {
		v.all, v.Gone = true, []string{hash}
		return v, nil //nolint:nilerr // it is what is surveyed
	}
	if opened.root == nil {
		v.Entries = opened.leaf
		return v, nil
	}
	v.buckets = len(opened.root.buckets)
	for n, bucket := range opened.root.buckets {
		if bucket == "" {
			continue
		}
		found, err := c.source.FetchObjects(ctx, c.space, []string{bucket})
		if err != nil {
			return v, err
		}
		leaf, err := openTree(found[0].Object)
		if found[0].Err != nil || err != nil || leaf.root != nil {
			v.gaps[n], v.Gone = true, append(v.Gone, bucket)
			continue
		}
		maps.Copy(v.Entries, leaf.leaf)
	}
	return v, nil
}

// Unreadable returns those of some objects that cannot be read, past the memory
// of this process.
func (c *Content) Unreadable(ctx context.Context, hashes []string) (map[string]bool, error) {
	bad := map[string]bool{}
	for page := range slices.Chunk(hashes, WalkPage) {
		found, err := c.source.FetchObjects(ctx, c.space, page)
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			if f.Err != nil {
				bad[page[i]] = true
			}
		}
	}
	return bad, nil
}

// Broken returns the objects that some others reach and that can neither be read
// nor were given up.
func (c *Content) Broken(ctx context.Context, roots []string) ([]string, error) {
	var broken []string
	_, err := Follow(ctx, c.source, c.space, roots, func(page []string, objects []Fetched) error {
		for i, found := range objects {
			if _, err := found.Refs(); err != nil {
				broken = append(broken, page[i])
			}
		}
		return nil
	})
	return broken, err
}

// Whole reports whether everything can be read that some objects reach.
func (c *Content) Whole(ctx context.Context, roots []string) (bool, error) {
	whole := true
	_, err := Follow(ctx, c.source, c.space, roots, func(_ []string, objects []Fetched) error {
		for _, found := range objects {
			whole = whole && found.Err == nil
		}
		return nil
	})
	return whole, err
}
