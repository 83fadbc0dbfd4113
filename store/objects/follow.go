package objects

import "context"

// FollowPage is the number of objects that maintenance reads at once; each may be a megabyte.
const FollowPage = 64

// Follow reads all objects reachable from the roots in pages of size objects, calls visit for each page and returns their hashes. It
// stops at an error of visit. The references of a damaged object are not followed.
func Follow(
	ctx context.Context, source Source, space string, roots []string, size int, visit func(page []string, objects []FetchResult) error,
) (map[string]bool, error) {
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
		page := queue[:min(size, len(queue))]
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

// FetchResult is an object read from Redis, or the error of the read.
type FetchResult struct {
	Object Object
	Stored []byte // the bytes in Redis; nil if they are damaged or not there
	Err    error  // why the object cannot be read
}

// Refs returns the references of the object.
func (f FetchResult) Refs() ([]string, error) {
	if u, unreadable := AsUnreadable(f.Err); unreadable && u.Lost != nil {
		return u.Lost.Refs, nil // a lost object is an error only in a head: fsck reports it
	}
	if f.Err != nil {
		return nil, f.Err
	}
	return f.Object.Refs()
}
