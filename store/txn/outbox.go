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

// On a Cluster, the objects of a space and the heads that refer to them are on different masters. If the master of the
// objects fails, the replica that replaces it may lack the last writes although the heads are still present. A commit
// therefore also writes its new objects to the outbox of its organization, provided that this master has replicas.
// Readers that miss an object look it up in the outbox (outbox_read.go); a job removes the objects that the replicas
// contain (outbox_deliver.go). Commits with more than maxCommitOutboxBytes of objects wait for the replicas instead.

// maxCommitOutboxBytes is the maximum number of object bytes that one commit adds to the outbox.
const maxCommitOutboxBytes = 4 << 20

// defaultOutboxBytes is the default of Config.OutboxBytes.
const defaultOutboxBytes = 64 << 20

// OutboxKind is the kind of the job that empties an outbox. There is one job per organization.
const OutboxKind = "outbox"

// outboxJob is the name of the job that empties an outbox.
var outboxJob = JobName(OutboxKind, "all")

// OutboxDelay is the delay of the job that empties an outbox, so that it delivers several commits at once.
const OutboxDelay = 2 * time.Second

// OutboxBytes is the field of an outbox with the total size of all its other fields.
const OutboxBytes = "bytes"

// packedObject is an object in its stored form.
type packedObject struct {
	Hash  string
	Bytes []byte
}

// pack compresses the objects of a transaction.
func (s *Store) pack(objects []objects.Object) (all []packedObject, size int) {
	all = make([]packedObject, len(objects))
	for i, object := range objects {
		all[i] = packedObject{object.Hash, s.Codec.Pack(object)}
		size += len(all[i].Bytes)
	}
	return all, size
}

// addToOutbox packs the objects of the transaction and adds them to the outbox if they and the commit are on different
// masters. The organization is derived from the id of the space; if that is not possible, the commit waits for the
// replicas.
func (u *update) addToOutbox(tx *Tx) {
	if tx.dry {
		return
	}
	org := strings.Trim(tx.shard.Tag(), "{}")
	for _, space := range tx.preparation.spaces {
		all, size := u.store.pack(tx.preparation.objects[space])
		tx.preparation.setPacked(space, all)
		key := ObjectKey(space, 0)
		if !key.Valid() || key.Tag() == tx.shard.Tag() || !u.store.needsOutbox(tx.ctx, key) {
			continue
		}
		_, homed := HomeOrganization(space)
		if !homed || !strings.HasPrefix(org, OrganizationPrefix) || tx.outboxBytes+size > maxCommitOutboxBytes {
			tx.preparation.requireReplicas(space)
			continue
		}
		tx.outboxBytes += size
		for _, object := range all {
			tx.postObject(org, space, object)
		}
	}
	if tx.outboxBytes > 0 {
		tx.ScheduleOnce(org, outboxJob, OutboxDelay)
	}
}

// postObject adds an object to the outbox.
func (tx *Tx) postObject(org, space string, object packedObject) {
	field := outboxField(space, object.Hash)
	value := append(strconv.AppendInt(nil, tx.now.UnixMilli(), 10), ' ')
	tx.write("O", OutboxKey(org), field, field, append(value, object.Bytes...))
}

// removePosted removes an object from the outbox.
func (tx *Tx) removePosted(org, field string) {
	tx.write("Q", OutboxKey(org), field, field)
}

func outboxField(space, hash string) string { return space + "/" + hash }

// postedObject is an entry of an outbox: an object in stored form, its space and the time of the transaction that added it.
type postedObject struct {
	Space string
	At    time.Time
	packedObject
}

// ParseOutboxField parses a field of an outbox.
func ParseOutboxField(field, value string) (p postedObject, err error) {
	space, hash, ok := strings.Cut(field, "/")
	text, stored, has := strings.Cut(value, " ")
	millis, failed := strconv.ParseInt(text, 10, 64)
	if !ok || !has || failed != nil {
		return p, redis.Corrupt("outbox has %q", field)
	}
	return postedObject{space, time.UnixMilli(millis), packedObject{hash, []byte(stored)}}, nil
}

// needsOutbox reports whether commits must add the objects of a key to the outbox.
func (s *Store) needsOutbox(ctx context.Context, key redis.Key) bool {
	return s.AlwaysUseOutbox || s.HasGenerations && s.Replicas(ctx, key) > 0
}

// outboxFullError returns the error of a commit that exceeds the size limit of the outbox.
func (s *Store) outboxFullError() error {
	return fmt.Errorf("%w: %d bytes wait already", errors.Join(ErrOutboxFull, redis.ErrLagging), s.outboxMax)
}
