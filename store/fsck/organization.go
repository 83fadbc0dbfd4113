package fsck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// expectation is the derived data that the records of an organization imply, each with the record that implies it.
type expectation struct {
	org       string
	members   map[txn.KeyMember]redis.Key // member of an index -> record
	access    map[string]string
	owners    map[string]redis.Key // access entry -> record
	counts    map[string]txn.Count
	merged    map[string]bool // merged change requests
	bytes     int64           // of the records
	records   int64
	supersets []txn.SupersetMember // superset index members in other slots
	domains   []string             // e-mail domains
	hostnames []holder             // the organization and its sites, with or without a hostname
	repliers  map[string]store.Repliers
	replies   map[string][]store.ReplyDocument // by comment
}

// checkOrganization checks the registry entry, the records, the derived data and the content of an organization.
func (in *pass) checkOrganization(ctx context.Context, org string) error {
	if err := in.checkRegistry(ctx, org); err != nil {
		return err
	}
	want, err := in.readRecords(ctx, org)
	if err != nil {
		return err
	}
	sizes, err := in.checkIndexes(ctx, want)
	if err != nil {
		return err
	}
	checks := []func(
		context.Context, *expectation,
	) error{
		in.checkAccess, in.checkHeads, in.checkSummaries, in.checkSweeps, in.checkJobs, in.checkDomains, in.checkOutbox, in.checkUsage,
		in.checkCrossSlot, in.checkRepliers,
	}
	for _, check := range checks {
		if err := check(ctx, want); err != nil {
			return err
		}
	}
	return in.checkCounts(ctx, want, sizes)
}

// readRecords reads all records of an organization and collects the data they imply.
func (in *pass) readRecords(ctx context.Context, org string) (*expectation, error) {
	want := &expectation{
		org: org, members: map[txn.KeyMember]redis.Key{}, access: map[string]string{}, owners: map[string]redis.Key{},
		counts: map[string]txn.Count{},
		merged: map[string]bool{}, repliers: map[string]store.Repliers{}, replies: map[string][]store.ReplyDocument{},
	}
	heads, err := in.readHash(ctx, store.HeadsKey(org))
	if err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(in.knownKeys(org, redis.RecordKind), txn.ChunkFields) {
		pipe := in.store.Client.Pipeline()
		for _, name := range chunk {
			pipe.Get(ctx, in.store.Prefix+name)
		}
		redis.FailBefore("fsck.records")
		replies, err := pipe.Exec(ctx)
		redis.FailAfter("fsck.records")
		if err != nil && redis.IsUnavailable(err) {
			return nil, redis.Wrap(ctx, err)
		}
		for i, reply := range replies {
			if err := in.addRecord(want, redis.NamedKey(redis.RecordKind, chunk[i]), reply.(*goredis.StringCmd), heads); err != nil {
				return nil, err
			}
		}
	}
	return want, nil
}

// addRecord decodes one record and adds the data it implies. It returns a redis.ErrNewerFormat for a record of a newer
// format: its derived data is unknown and must not be reported as damaged.
func (in *pass) addRecord(want *expectation, key redis.Key, reply *goredis.StringCmd, heads map[string]string) error {
	if errors.Is(reply.Err(), goredis.Nil) {
		return nil // deleted since the scan
	}
	in.report.Records++
	want.records++
	want.bytes += int64(len(reply.Val()))
	record, err := in.store.Decode([]byte(reply.Val()))
	if errors.Is(err, redis.ErrNewerFormat) {
		return fmt.Errorf("%s: %w", key.Name(), err)
	}
	if err = errors.Join(reply.Err(), err); err == nil {
		var implied store.DerivedData
		if implied, err = in.store.DerivedData(want.org, key.Name(), record, heads); err == nil {
			want.add(key, implied)
			want.noteMerged(key, record)
			kind, id := store.RecordName(key.Name())
			err = errors.Join(want.noteCrossSlot(kind, id, record), want.noteReplies(kind, id, record))
		}
		if err == nil {
			return nil
		}
	}
	in.add(key.Name(), "", "cannot be read: "+err.Error(), nil)
	return nil
}

// noteMerged records merged change requests. They are part of the history, so their lost objects are not reported.
func (w *expectation) noteMerged(key redis.Key, record txn.Record) {
	var d store.ChangeRequestDocument
	if kind, id := store.RecordName(key.Name()); kind == "cr" && d.Decode(record) == nil && d.Fields.Status == api.StatusMerged {
		w.merged[id] = true
	}
}

// add adds to the expectation the derived data implied by the record with the given key.
func (w *expectation) add(key redis.Key, implied store.DerivedData) {
	for _, member := range implied.Members {
		w.members[member] = key
	}
	for id, entry := range implied.Access {
		w.access[id], w.owners[id] = entry, key
	}
	for _, count := range implied.Counts {
		w.counts[count.ID] = count
	}
}

// missingPrefix is the prefix of the finding for a missing member.
const missingPrefix = "missing, implied by "

// checkIndexes compares the members of orders and indexes and returns the size of each.
func (in *pass) checkIndexes(ctx context.Context, want *expectation) (sizes map[redis.Key]int, err error) {
	sizes = map[redis.Key]int{}
	have := map[txn.KeyMember]bool{}
	for _, name := range in.knownKeys(want.org, redis.OrderKind) {
		key := redis.NamedKey(redis.OrderKind, name)
		redis.FailBefore("fsck.index")
		members, err := in.store.Client.ZRange(ctx, in.store.Prefix+name, 0, -1).Result()
		redis.FailAfter("fsck.index")
		if err := in.addUnreadable(ctx, name, err); err != nil {
			return nil, err
		}
		sizes[key] = len(members)
		in.checkOrder(want.org, key, members)
		for _, member := range members {
			have[txn.KeyMember{Key: key, Member: member}] = true
			if _, implied := want.members[txn.KeyMember{Key: key, Member: member}]; !implied && store.WritesIndex(name) {
				in.add(name, member, "no record implies it", in.rewriteRepair(want.org, func(tx *store.Tx) { tx.Remove(key, member) }))
			}
		}
	}
	for member, record := range want.members {
		if !have[member] {
			in.add(member.Key.Name(), member.Member, missingPrefix+record.Name(), in.restoreRepair(want.org, record))
		}
	}
	return sizes, nil
}

// checkOrder checks the order keys in an order of children: each must be valid, different from the previous one, and not too
// long. It ignores other orders.
func (in *pass) checkOrder(org string, key redis.Key, members []string) {
	if !strings.Contains(key.Name(), "}:kids:") {
		return
	}
	rebalance := func(ctx context.Context) error {
		return in.store.RebalanceOrder(ctx, store.Organization(org), key, store.MoveChild(org))
	}
	last := ""
	for _, member := range members {
		order, _, ok := txn.SplitOrderMember(member)
		switch {
		case !ok || order == "" || !txn.ValidOrderKey(order):
			in.add(key.Name(), member, "no order key", nil)
		case order == last:
			in.add(key.Name(), member, "same order key as its neighbour: nothing fits between", rebalance)
		case len(order) > txn.LongOrderKey:
			in.add(key.Name(), member, "order key is long", rebalance)
		}
		last = order
	}
}

// checkAccess checks that the access entries are those implied by the records. Only entries of former members need no record.
func (in *pass) checkAccess(ctx context.Context, want *expectation) error {
	key := txn.EntriesKey(want.org)
	have, err := in.readHash(ctx, key)
	if err != nil {
		return err
	}
	for id, entry := range want.access {
		if have[id] != entry && have[id] != store.WithoutTitle(id, entry) {
			in.add(key.Name(), id, "differs from "+want.owners[id].Name(), in.restoreRepair(want.org, want.owners[id]))
		}
	}
	for id := range have {
		if _, implied := want.access[id]; !implied && !isFormerMember(id, have[id]) {
			in.add(key.Name(), id, "no record implies it", in.rewriteRepair(want.org, func(tx *store.Tx) { tx.SetAccess(id, nil) }))
		}
	}
	return nil
}

// isFormerMember reports whether an access entry is of a former member, which needs no record.
func isFormerMember(id, entry string) bool {
	var p store.Person
	return strings.HasPrefix(id, txn.UserPrefix) && json.Unmarshal([]byte(entry), &p) == nil && p.Member == nil && p.User.ID == id
}

// checkCounts compares the stored cardinalities with those of the indexes.
func (in *pass) checkCounts(ctx context.Context, want *expectation, sizes map[redis.Key]int) error {
	key := txn.CountsKey(want.org)
	have, err := in.readHash(ctx, key)
	if err != nil {
		return err
	}
	for id, count := range want.counts {
		cards := make([]string, len(count.Keys))
		zero := true
		for i, index := range count.Keys {
			cards[i] = strconv.Itoa(sizes[index])
			zero = zero && sizes[index] == 0
		}
		text, stored := have[id]
		if text != strings.Join(cards, " ") && (stored || !zero) { // absent means zeros
			in.add(key.Name(), id, "differs from the indexes", in.rewriteRepair(want.org, func(tx *store.Tx) {
				tx.Counts(id, count.Keys...)
			}))
		}
	}
	for id := range have {
		if _, implied := want.counts[id]; !implied {
			in.add(key.Name(), id, "counts nothing", in.rewriteRepair(want.org, func(tx *store.Tx) { tx.DeleteField(key, id) }))
		}
	}
	return nil
}

// checkSweeps finds spaces with an unfinished sweep, in which nothing can be stored.
func (in *pass) checkSweeps(ctx context.Context, want *expectation) error {
	key := txn.GCEpochsKey(want.org)
	have, err := in.readHash(ctx, key)
	if err != nil {
		return err
	}
	for space, text := range have {
		gcEpoch, err := txn.ParseGCEpoch(text)
		if err != nil {
			in.add(key.Name(), space, err.Error(), nil)
		} else if gcEpoch%2 == 1 {
			in.add(key.Name(), space, "is being swept, or the sweep was cut off", in.rewriteRepair(want.org, func(tx *store.Tx) {
				tx.SetField(key, space, strconv.FormatUint(gcEpoch+1, 10))
			}))
		}
	}
	return nil
}

// rewriteRepair returns a repair that runs fn in a transaction of the organization.
func (in *pass) rewriteRepair(org string, fn func(tx *store.Tx)) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return in.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			fn(tx)
			return nil
		})
	}
}

// restoreRepair returns a repair that writes the data implied by the current record.
func (in *pass) restoreRepair(org string, record redis.Key) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return in.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			now, ok, err := tx.Record(record)
			if err != nil || !ok {
				return err
			}
			_, id := store.RecordName(record.Name())
			head, headed, err := tx.Field(store.HeadsKey(org), id)
			if err != nil {
				return err
			}
			heads := map[string]string{}
			if headed {
				heads[id] = head
			}
			implied, err := in.store.DerivedData(org, record.Name(), now, heads)
			if err != nil {
				return err
			}
			for _, member := range implied.Members {
				if member.Key == txn.DueKey(org) {
					tx.Schedule(org, member.Member, 0) // the job checks the due time itself
				} else {
					tx.Add(member.Key, member.Member)
				}
			}
			for _, id := range slices.Sorted(maps.Keys(implied.Access)) {
				tx.SetAccess(id, []byte(implied.Access[id]))
			}
			for _, count := range implied.Counts {
				tx.Counts(count.ID, count.Keys...)
			}
			return nil
		})
	}
}
