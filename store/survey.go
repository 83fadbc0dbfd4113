package store

import (
	"context"
	"maps"
	"slices"

	"docspace.dev/wsd/store/redis"
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
	first, err := c.store.fetch(ctx, c.space, []string{hash})
	if err != nil {
		return v, err
	}
	opened, err := openTree(first[0].object)
	if first[0].err != nil || err != nil {
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
		found, err := c.store.fetch(ctx, c.space, []string{bucket})
		if err != nil {
			return v, err
		}
		leaf, err := openTree(found[0].object)
		if found[0].err != nil || err != nil || leaf.root != nil {
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
	for page := range slices.Chunk(hashes, walkPage) {
		found, err := c.store.fetch(ctx, c.space, page)
		if err != nil {
			return nil, err
		}
		for i, f := range found {
			if f.err != nil {
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
	_, err := c.store.follow(ctx, c.space, roots, func(page []string, objects []fetched) error {
		for i, found := range objects {
			if _, err := found.refs(); err != nil {
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
	_, err := c.store.follow(ctx, c.space, roots, func(_ []string, objects []fetched) error {
		for _, found := range objects {
			whole = whole && found.err == nil
		}
		return nil
	})
	return whole, err
}

// HeadsOf reads the heads of a space and of its change requests, by id.
func (s *Store) HeadsOf(ctx context.Context, org, space string) (map[string]Head, error) {
	redis.FailBefore("heads.read")
	texts, err := s.Client.HGetAll(ctx, s.Name(HeadsKey(org))).Result()
	redis.FailAfter("heads.read")
	if err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	heads := map[string]Head{}
	for id, text := range texts {
		if headSpace(id) != space {
			continue
		}
		if heads[id], err = ParseHead(text); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// ForgetContent drops what this process has in memory of a space's content.
func (s *Store) ForgetContent(space string) { s.cache.forgetSpace(space) }
