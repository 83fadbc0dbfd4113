package objects

import (
	"context"
	"maps"
	"slices"
)

// Survey is the readable part of a damaged map.
type Survey struct {
	Entries    map[string]Entry
	Unreadable []string // unreadable objects

	buckets    int // number of buckets; 0 for a single leaf or if unknown
	gaps       map[int]bool
	unreadable bool // set if nothing can be read
}

// IsMissing reports whether an entry would be in an unreadable part.
func (v Survey) IsMissing(id string) bool {
	return v.unreadable || v.buckets > 0 && v.gaps[bucketOf(id, v.buckets)]
}

// Survey reads the readable part of a map, bypassing the cache. Placeholders count as unreadable.
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
		v.unreadable, v.Unreadable = true, []string{hash}
		return v, nil //nolint:nilerr // unreadable objects are part of the survey
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
			v.gaps[n], v.Unreadable = true, append(v.Unreadable, bucket)
			continue
		}
		maps.Copy(v.Entries, leaf.leaf)
	}
	return v, nil
}

// Unreadable returns which of the objects are missing, damaged or replaced by a placeholder, bypassing the cache.
func (c *Content) Unreadable(ctx context.Context, hashes []string) (map[string]bool, error) {
	bad := map[string]bool{}
	for page := range slices.Chunk(hashes, FollowPage) {
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

// Broken returns the unreadable objects without placeholder that are reachable from roots.
func (c *Content) Broken(ctx context.Context, roots []string) ([]string, error) {
	var broken []string
	_, err := Follow(ctx, c.source, c.space, roots, FollowPage, func(page []string, objects []FetchResult) error {
		for i, found := range objects {
			if _, err := found.Refs(); err != nil {
				broken = append(broken, page[i])
			}
		}
		return nil
	})
	return broken, err
}

// Readable reports whether everything reachable from roots can be read.
func (c *Content) Readable(ctx context.Context, roots []string) (bool, error) {
	whole := true
	_, err := Follow(ctx, c.source, c.space, roots, FollowPage, func(_ []string, objects []FetchResult) error {
		for _, found := range objects {
			whole = whole && found.Err == nil
		}
		return nil
	})
	return whole, err
}
