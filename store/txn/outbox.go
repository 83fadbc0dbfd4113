package txn

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// On a Cluster, the objects of a space and the heads that refer to them are on
// two masters. When that of the objects is lost, a replica takes its place, and
// may lack what came last, while the heads stand. So a commit carries its new
// objects in the outbox of its organization, as far as that master has replicas.
// Whoever misses an object looks there, too (outbox_read.go); a job takes out
// what the replicas hold by then (outbox_deliver.go). What is more than
// outboxCommit is not carried: then the commit waits for the replicas first.

// outboxCommit is how many bytes of objects one commit carries.
const outboxCommit = 4 << 20

// defaultOutbox is the default of Config.OutboxBytes.
const defaultOutbox = 64 << 20

// OutboxKind is the kind of the job that empties an outbox; it has one per
// organization.
const OutboxKind = "outbox"

// outboxJob is that job.
var outboxJob = JobName(OutboxKind, "all")

// OutboxDelay is how long that job waits for more of the same.
const OutboxDelay = 2 * time.Second

// OutboxBytes is the field with the size of all others.
const OutboxBytes = "bytes"

// packed is an object in the form in which it is stored.
type packed struct {
	Hash  string
	Bytes []byte
}

// pack compresses the objects of a transaction.
func (s *Store) pack(objects []objects.Object) (all []packed, size int) {
	all = make([]packed, len(objects))
	for i, object := range objects {
		all[i] = packed{object.Hash, s.Codec.Pack(object)}
		size += len(all[i].Bytes)
	}
	return all, size
}

// carry packs the objects of the transaction, and has the commit carry them
// where they and it are on two masters. Which organization has them is found by
// the id of the space; where that does not say it, they wait for the replicas.
func (u *update) carry(tx *Tx) {
	if tx.dry {
		return
	}
	org := strings.Trim(tx.shard.Tag(), "{}")
	for _, space := range tx.before.spaces {
		all, size := u.store.pack(tx.before.objects[space])
		tx.before.pack(space, all)
		key := ObjectKey(space, 0)
		if !key.Valid() || key.Tag() == tx.shard.Tag() || !u.store.outboxed(tx.ctx, key) {
			continue
		}
		_, homed := HomeOrganization(space)
		if !homed || !strings.HasPrefix(org, OrganizationPrefix) || tx.carried+size > outboxCommit {
			tx.before.confirm(space)
			continue
		}
		tx.carried += size
		for _, object := range all {
			tx.post(org, space, object)
		}
	}
	if tx.carried > 0 {
		tx.ScheduleOnce(org, outboxJob, OutboxDelay)
	}
}

// post puts an object into the outbox.
func (tx *Tx) post(org, space string, object packed) {
	field := outboxField(space, object.Hash)
	value := append(strconv.AppendInt(nil, tx.now.UnixMilli(), 10), ' ')
	tx.write("O", OutboxKey(org), field, field, append(value, object.Bytes...))
}

// unpost takes an object out of the outbox.
func (tx *Tx) unpost(org, field string) {
	tx.write("Q", OutboxKey(org), field, field)
}

func outboxField(space, hash string) string { return space + "/" + hash }

// posted is a field of an outbox.
type posted struct {
	Space string
	At    time.Time
	packed
}

// ParsePosted reads a field of an outbox.
func ParsePosted(field, value string) (p posted, err error) {
	space, hash, ok := strings.Cut(field, "/")
	text, stored, has := strings.Cut(value, " ")
	millis, failed := strconv.ParseInt(text, 10, 64)
	if !ok || !has || failed != nil {
		return p, redis.Corrupt("outbox has %q", field)
	}
	return posted{space, time.UnixMilli(millis), packed{hash, []byte(stored)}}, nil
}

// outboxed reports whether objects of a key have to be carried by their commit.
func (s *Store) outboxed(ctx context.Context, key redis.Key) bool {
	return s.CarryAll || s.Fenced && s.Replicas(ctx, key) > 0
}

// full is the error of a commit for which the outbox has no room.
func (s *Store) full() error {
	return fmt.Errorf("%w: %d bytes wait already", errors.Join(ErrOutboxFull, redis.ErrLagging), s.outboxMax)
}
