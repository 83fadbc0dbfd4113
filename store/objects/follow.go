package objects

import "context"

// WalkPage is how many objects are read at once: each may be a megabyte.
const WalkPage = 64

// Follow visits every object that the roots reach, a few at a time, and returns
// their hashes. What is behind a damaged one is not visited.
func Follow(ctx context.Context, source Source, space string, roots []string, visit func(page []string, objects []Fetched) error) (map[string]bool, error) {
	reached, queue := map[string]bool{}, []string(nil)
	push := func(hashes []string) {
		for _, hash := range hashes {
			if !reached[hash] {
				reached[hash] = true
				queue = append(queue, hash)
			}
		}
	}
	push(roots)
	for len(queue) > 0 {
		page := queue[:min(WalkPage, len(queue))]
		queue = queue[len(page):]
		objects, err := source.FetchObjects(ctx, space, page)
		if err != nil {
			return nil, err
		}
		for _, found := range objects {
			if refs, err := found.Refs(); err == nil {
				push(refs)
			}
		}
		if err := visit(page, objects); err != nil {
			return nil, err
		}
	}
	return reached, nil
}

// Fetched is an object as Redis has it.
type Fetched struct {
	Object Object
	Err    error // why it cannot be read
}

// Refs returns what the object refers to.
func (f Fetched) Refs() ([]string, error) {
	if u, unreadable := AsUnreadable(f.Err); unreadable && u.Lost != nil {
		return u.Lost.Refs, nil // what was given up is not looked for, but by a head: see lostHeads
	}
	if f.Err != nil {
		return nil, f.Err
	}
	return f.Object.Refs()
}
