package postings

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/store/redis"
)

// The directory of an organization says which spaces to ask for a word. It is an index as a space has one, under the
// keys that a space with the organization's id would have: its pages are the spaces, its terms and words are theirs. It
// is a superset: what a space has more is added before the index of the space has it, in a page of its own, and nothing
// is taken away but all of a space, when it leaves. Small pages are joined with others into segments
// as those of a space are.

// Beginning is a term of the directory that leads to the spaces with a word that begins so. No term that is looked up
// as it stands has a NUL.
func Beginning(letters string) string { return "\x00" + letters }

// directoryAttempts bounds how often a write is begun again because another process has written to the directory.
const directoryAttempts = 32

// BeginDirectory begins the directory of an organization anew, from a state that it has still, else it is ErrStale. The
// root of the fresh state is one that no other directory has. The caller has marked all spaces of the organization as
// behind.
func (x *Index) BeginDirectory(ctx context.Context, org string, was, fresh State) error {
	if err := x.clear(ctx, org, was); err != nil {
		return err
	}
	return x.Move(ctx, org, State{}, fresh)
}

// Announce adds what a space has to the directory of its organization. The directory must have been begun in the form,
// else it is ErrStale.
func (x *Index) Announce(ctx context.Context, org, space, form string, terms, words []string) error {
	come := Change{Page: space, Fingerprint: noFingerprint}
	for _, term := range terms {
		come.Terms = append(come.Terms, Has{Term: term, Sections: 1})
	}
	return x.changeDirectory(ctx, org, func(d *Indexer, next *manifest) (made, error) {
		if d.goal.Form != form {
			return made{}, redis.ErrStale
		}
		return d.join(ctx, next, []Change{come}, words)
	})
}

// noFingerprint is that of all pages of a directory.
const noFingerprint = "\x00\x00\x00\x00\x00\x00\x00\x00"

// LeaveDirectory takes a space out of the directory of an organization: the segments that have it are written anew.
func (x *Index) LeaveDirectory(ctx context.Context, org, space string) error {
	for {
		err := x.changeDirectory(ctx, org, func(d *Indexer, next *manifest) (made, error) {
			for _, s := range next.segments {
				rows, err := d.rows(ctx, s)
				if err != nil {
					return made{}, err
				}
				for n, row := range rows {
					if row.id == space {
						s.strike(n)
					}
				}
				if slices.ContainsFunc(rows, func(row pageRow) bool { return row.id == space }) {
					return d.rebuild(ctx, next, []*segment{s}, nil, nil)
				}
			}
			return made{}, errNothing
		})
		if errors.Is(err, errNothing) || errors.Is(err, redis.ErrCorrupt) { // what cannot be read is begun anew by who reads it
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errNothing says that a directory does not have a space.
var errNothing = errors.New("the space is in no segment")

// changeDirectory writes a change of a directory, which is made again while others write. Each write has a mark of its
// own.
func (x *Index) changeDirectory(ctx context.Context, org string, change func(d *Indexer, next *manifest) (made, error)) (err error) {
	for range directoryAttempts {
		if err = x.changeOnce(ctx, org, change); !errors.Is(err, redis.ErrStale) {
			return err
		}
	}
	return err
}

func (x *Index) changeOnce(ctx context.Context, org string, change func(d *Indexer, next *manifest) (made, error)) error {
	at, err := x.stored(ctx, org)
	if err != nil {
		return err
	}
	d := &Indexer{index: x, space: org, stored: at, goal: at.state}
	next := at.m.clone()
	result, err := change(d, next)
	if err != nil {
		return err
	}
	marked := at.state
	marked.Mark = fmt.Sprintf("%s.%d", marked.Root, next.next)
	return d.write(ctx, next, result, marked)
}

// Forget removes what is known of the index of a space, so that it is built anew though it is complete.
func (x *Index) Forget(ctx context.Context, spaces []string) error {
	pipe := x.store.Client.Pipeline()
	for _, space := range spaces {
		pipe.Unlink(ctx, x.store.Name(keysOf("", space).state()))
	}
	return redis.Execute(ctx, "sweep.remove", pipe)
}
