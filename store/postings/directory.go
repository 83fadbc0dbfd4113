package postings

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// The directory of an organization lists the spaces that may contain a word. It has the format of the index of a space with the
// organization's id: its pages are the spaces, with their terms and words. It is a superset: additions of a space are written
// to the directory, in a separate page, before the index of the space is written; only whole spaces are removed, when they
// leave the organization. Small pages are merged into segments like those of a space.

// PrefixTerm returns the term of the directory for the spaces with a word that begins with letters. Other terms do not
// contain a NUL.
func PrefixTerm(letters string) string { return "\x00" + letters }

// directoryAttempts is the maximum number of attempts of a write that conflicts with other writers of the directory.
const directoryAttempts = 32

// BeginDirectory clears and restarts the directory of an organization. It returns ErrStale unless the directory has
// the state was. The root of the fresh state must be unique. The caller has marked the indexes of all spaces of the
// organization as stale.
func (x *Index) BeginDirectory(ctx context.Context, org string, was, fresh State) error {
	if err := x.clear(ctx, org, was); err != nil {
		return err
	}
	return x.SetState(ctx, org, State{}, fresh)
}

// AddToDirectory adds terms and words of a space to the directory of its organization. It returns ErrStale unless the
// directory was begun with the given version of the index format.
func (x *Index) AddToDirectory(ctx context.Context, org, space, version string, terms, words []string) error {
	come := Change{Page: space, Fingerprint: noFingerprint}
	for _, term := range terms {
		come.Terms = append(come.Terms, Occurrence{Term: term, Sections: 1})
	}
	return x.changeDirectory(ctx, org, func(d *Indexer, next *manifest) (merge, error) {
		if d.goal.Version != version {
			return merge{}, redis.ErrStale
		}
		return d.mergeChanges(ctx, next, []Change{come}, words)
	})
}

// noFingerprint is the constant fingerprint of every page of a directory.
const noFingerprint = "\x00\x00\x00\x00\x00\x00\x00\x00"

// RemoveFromDirectory removes a space from the directory of an organization by rewriting the segments that contain it.
func (x *Index) RemoveFromDirectory(ctx context.Context, org, space string) error {
	for {
		err := x.changeDirectory(ctx, org, func(d *Indexer, next *manifest) (merge, error) {
			for _, s := range next.segments {
				rows, err := d.readRows(ctx, s)
				if err != nil {
					return merge{}, err
				}
				for n, row := range rows {
					if row.id == space {
						s.markDeleted(n)
					}
				}
				if slices.ContainsFunc(rows, func(row pageRow) bool { return row.id == space }) {
					return d.rebuild(ctx, next, []*segment{s}, nil, nil)
				}
			}
			return merge{}, errNotInDirectory
		})
		// nothing to remove; readers rebuild an unreadable directory
		if errors.Is(err, errNotInDirectory) || errors.Is(err, redis.ErrCorrupt) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errNotInDirectory is returned if a directory does not contain a space.
var errNotInDirectory = errors.New("the space is in no segment")

// changeDirectory writes a change of a directory and repeats it on conflicts, at most directoryAttempts times; then it returns
// ErrStale. Each write gets a new mark.
func (x *Index) changeDirectory(ctx context.Context, org string, change func(d *Indexer, next *manifest) (merge, error)) (err error) {
	for range directoryAttempts {
		if err = x.changeOnce(ctx, org, change); !errors.Is(err, redis.ErrStale) {
			return err
		}
	}
	return err
}

func (x *Index) changeOnce(ctx context.Context, org string, change func(d *Indexer, next *manifest) (merge, error)) error {
	current, err := x.readIndex(ctx, org)
	if err != nil {
		return err
	}
	d := &Indexer{index: x, space: org, storedIndex: current, goal: current.state}
	next := current.manifest.clone()
	result, err := change(d, next)
	if err != nil {
		return err
	}
	marked := current.state
	marked.Mark = fmt.Sprintf("%s.%d", marked.Root, next.next)
	return d.write(ctx, next, result, marked)
}

// Invalidate removes the index state of spaces, so that their indexes are rebuilt even if they are complete.
func (x *Index) Invalidate(ctx context.Context, spaces []string) error {
	pipe := x.store.Client.Pipeline()
	for _, space := range spaces {
		pipe.Unlink(ctx, x.store.Name(keysOf("", space).state()))
	}
	return redis.Execute(ctx, "sweep.remove", pipe)
}
