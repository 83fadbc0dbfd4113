package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// checkHeads checks that every head has a record and that everything it reaches is stored.
func (in *pass) checkHeads(ctx context.Context, want *expectation) error {
	key := store.HeadsKey(want.org)
	have, err := in.readHash(ctx, key)
	if err != nil {
		return err
	}
	roots := map[string][]string{}
	for id, head := range have {
		space := store.HeadSpace(id)
		record := store.SpaceKey(want.org, id)
		if id != space {
			record = store.ChangeRequestKey(want.org, id)
		}
		if _, found := slices.BinarySearch(in.names, record.Name()); !found {
			in.add(key.Name(), id, "head without "+record.Name(), nil)
		}
		named := store.HeadRoots(head)
		if len(named) == 0 {
			in.add(key.Name(), id, "names no object", nil)
		}
		roots[space] = append(roots[space], named...)
	}
	for space, named := range roots {
		slices.Sort(named) // so that two passes report the same problems
		if err := in.checkContent(ctx, want, space, named, have); err != nil {
			return err
		}
	}
	return nil
}

// checkContent checks everything reachable from the heads of a space.
func (in *pass) checkContent(ctx context.Context, want *expectation, space string, named []string, heads map[string]string) error {
	before, lost := len(in.problems), len(in.placeholders)
	if _, err := in.findReachable(ctx, space, named); err != nil {
		return err
	}
	if len(in.placeholders) > lost {
		if err := in.checkLostHeads(ctx, want, space, heads); err != nil {
			return err
		}
	}
	if len(in.problems) > before {
		in.report.Unreadable = append(in.report.Unreadable, UnreadableSpace{want.org, space})
	}
	return nil
}

// checkLostHeads reports heads whose current content contains placeholders of lost objects. They are permitted in history
// only.
func (in *pass) checkLostHeads(ctx context.Context, want *expectation, space string, heads map[string]string) error {
	for _, id := range slices.Sorted(maps.Keys(heads)) {
		if store.HeadSpace(id) != space || want.merged[id] {
			continue
		}
		head, err := store.ParseHead(heads[id])
		if err != nil {
			continue // reported by other checks
		}
		roots := slices.DeleteFunc([]string{head.Pages, head.Files, head.Links}, func(root string) bool { return root == "" })
		_, err = objects.Follow(ctx, in.store, space, roots, objects.FollowPage, func(page []string, fetched []objects.FetchResult) error {
			for i, found := range fetched {
				if u, unreadable := objects.AsUnreadable(found.Err); unreadable && u.Lost != nil {
					in.add(store.HeadsKey(want.org).Name(), id, "needs "+page[i]+", which was given up", nil)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findReachable reads every object reachable from the roots and returns their hashes.
func (in *pass) findReachable(ctx context.Context, space string, roots []string) (map[string]bool, error) {
	return objects.Follow(ctx, in.store, space, roots, objects.FollowPage, func(page []string, fetched []objects.FetchResult) error {
		for i, found := range fetched {
			in.report.Objects++
			if u, unreadable := objects.AsUnreadable(found.Err); unreadable && u.Lost != nil {
				in.placeholders = append(in.placeholders, page[i])
			} else if _, err := found.Refs(); err != nil {
				in.add("{"+space+"}:o", page[i], err.Error(), nil)
			}
		}
		return nil
	})
}

// sweepAll removes unreachable objects from every space with content. A space that cannot be swept is a finding.
func sweepAll(ctx context.Context, s *store.Store, report *Report) error {
	names, err := s.Scan(ctx)
	if err != nil {
		return err
	}
	owners, err := contentOwners(ctx, &pass{store: s, names: names, find: store.CatalogueMatcher()})
	if err != nil {
		return err
	}
	for _, space := range slices.Sorted(maps.Keys(owners)) {
		removed, err := sweep(ctx, s, owners[space], space)
		report.Removed += removed
		if errors.Is(err, redis.ErrUnavailable) {
			return err
		}
		if err != nil {
			report.Findings = append(report.Findings, Finding{Key: "{" + space + "}:o", Problem: "not swept: " + err.Error()})
		}
	}
	return nil
}

// contentOwners returns the organization of every space with content: the one with its heads, or its home if no
// commit has referred to the content yet.
func contentOwners(ctx context.Context, in *pass) (map[string]string, error) {
	owners := map[string]string{}
	for _, name := range in.names {
		tag, _, _ := strings.Cut(strings.TrimPrefix(name, "{"), "}")
		if home, ok := txn.HomeOrganization(tag); ok && strings.HasPrefix(tag, txn.SpacePrefix) {
			owners[tag] = home
		}
	}
	for _, org := range in.organizations() {
		heads, err := in.readHash(ctx, store.HeadsKey(org))
		if err != nil {
			return nil, err
		}
		for id := range heads {
			owners[store.HeadSpace(id)] = org
		}
	}
	return owners, nil
}

// sweep removes the objects of a space that no head reaches. From the odd to the even GC epoch no commit that stores
// objects in the space succeeds, so no object becomes reachable between the traversal and the removal. A commit that
// stored its objects before fails at its check and stores them again.
func sweep(ctx context.Context, s *store.Store, org, space string) (removed int, err error) {
	gcEpoch, err := advanceGCEpoch(ctx, s, org, space, 0)
	if err != nil {
		return 0, err
	}
	defer func() {
		_, ended := advanceGCEpoch(context.WithoutCancel(ctx), s, org, space, 1)
		err = errors.Join(err, ended)
	}()
	redis.FailBefore("sweep.heads")
	heads, err := s.Client.HGetAll(ctx, s.Name(store.HeadsKey(org))).Result()
	redis.FailAfter("sweep.heads")
	if err != nil {
		return 0, redis.Wrap(ctx, err)
	}
	var roots []string
	for id, head := range heads {
		if store.HeadSpace(id) == space {
			roots = append(roots, store.HeadRoots(head)...)
		}
	}
	in := &pass{store: s}
	reached, err := in.findReachable(ctx, space, roots)
	if err != nil {
		return 0, err
	}
	if len(in.problems) > 0 { // keep all objects: the references of an unreadable object are unknown
		return 0, redis.Corrupt("%s", in.problems[0].Finding)
	}
	swept := func(ctx context.Context) error { return checkGCEpoch(ctx, s, org, space, gcEpoch) }
	return removeObjects(ctx, s, space, reached, swept)
}

// checkGCEpoch returns an error if the GC epoch has changed: another process considered the sweep interrupted and ended
// it.
func checkGCEpoch(ctx context.Context, s *store.Store, org, space string, gcEpoch uint64) error {
	now, err := s.GCEpoch(ctx, org, space)
	if err != nil {
		return err
	}
	if now != strconv.FormatUint(gcEpoch, 10) {
		return fmt.Errorf("%w: the sweep of space %s was ended by a repair", txn.ErrBusy, space)
	}
	return nil
}

// advanceGCEpoch increments the GC epoch of a space and returns the new one. It returns ErrBusy if the parity of the epoch is
// not from, or if a sweep begins (from = 0) and the organization may not sweep the space. The end of a sweep (from = 1) updates
// the usage.
func advanceGCEpoch(ctx context.Context, s *store.Store, org, space string, from uint64) (gcEpoch uint64, err error) {
	err = s.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		text, _, err := tx.Field(txn.GCEpochsKey(org), space)
		if err != nil {
			return err
		}
		gcEpoch, err = txn.ParseGCEpoch(text)
		if err != nil {
			return err
		}
		if from == 0 {
			if err := checkOwner(tx, org, space); err != nil {
				return err
			}
		}
		if gcEpoch%2 != from {
			return fmt.Errorf("%w: space %s is being swept by another process, or a sweep was cut off (repair)", txn.ErrBusy, space)
		}
		gcEpoch++
		tx.SetField(txn.GCEpochsKey(org), space, strconv.FormatUint(gcEpoch, 10))
		if from == 1 {
			return tx.AddContentUsage(space)
		}
		return nil
	})
	return gcEpoch, err
}

// checkOwner returns ErrBusy unless this organization may sweep the content of a space: the space belongs to it, or no
// commit has referred to the content and this is its home. A transfer may have happened after the spaces were listed.
func checkOwner(tx *store.Tx, org, space string) error {
	document, err := tx.Space(org, space)
	if err != nil {
		return err
	}
	away := document.Private.State != ""
	if document.Version == 0 {
		if home, _ := txn.HomeOrganization(space); home != org {
			away = true
		} else if _, away, err = tx.Record(store.MovedKey(org, space)); err != nil {
			return err
		}
	}
	if away {
		return fmt.Errorf("%w: space %s is in another organization, or on its way", txn.ErrBusy, space)
	}
	return nil
}

// removeObjects removes all objects of a space except kept and returns their number. It calls proceed before each chunk and
// stops at its first error.
func removeObjects(
	ctx context.Context, s *store.Store, space string, kept map[string]bool, proceed func(context.Context) error,
) (removed int, err error) {
	for first := range 256 {
		key := s.Name(txn.ObjectKey(space, byte(first)))
		redis.FailBefore("sweep.list")
		hashes, err := s.Client.HKeys(ctx, key).Result()
		redis.FailAfter("sweep.list")
		if err != nil {
			return removed, redis.Wrap(ctx, err)
		}
		hashes = slices.DeleteFunc(hashes, func(hash string) bool { return kept[hash] })
		for chunk := range slices.Chunk(hashes, txn.ChunkFields) {
			if err := proceed(ctx); err != nil {
				return removed, err
			}
			redis.FailBefore("sweep.remove")
			err := s.DropObjects(ctx, space, key, chunk)
			redis.FailAfter("sweep.remove")
			if err != nil {
				return removed, err
			}
			removed += len(chunk)
		}
		s.Cache.Forget(space, hashes)
	}
	return removed, nil
}
