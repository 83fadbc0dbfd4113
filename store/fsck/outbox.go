package fsck

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// outboxOld is when what waits in an outbox should have been delivered.
const outboxOld = 10 * time.Minute

// outbox checks that what commits carry can be read and is counted. What waits
// for long is a note: the replicas are to be looked at, not the data.
func (in *inspection) outbox(ctx context.Context, want *expectation) error {
	key := txn.OutboxKey(want.org)
	have, err := in.hash(ctx, key)
	if err != nil || len(have) == 0 {
		return err
	}
	size, old, oldest := 0, 0, in.store.Now()
	for field, value := range have {
		if field == txn.OutboxBytes {
			continue
		}
		size += len(value)
		p, err := txn.ParseOutboxField(field, value)
		if err == nil {
			_, err = in.store.Codec.Unpack(p.Space, p.Hash, p.Bytes)
		}
		if err != nil {
			in.add(key.Name(), field, err.Error(), nil)
			continue
		}
		if p.At.Before(in.store.Now().Add(-outboxOld)) {
			old++
		}
		if p.At.Before(oldest) {
			oldest = p.At
		}
	}
	if have[txn.OutboxBytes] != strconv.Itoa(size) {
		in.add(key.Name(), txn.OutboxBytes, "differs from what is there", in.rewrite(want.org, func(tx *store.Tx) { tx.SetField(key, txn.OutboxBytes, strconv.Itoa(size)) }))
	}
	if old > 0 {
		in.report.Notes = append(in.report.Notes, fmt.Sprintf("%s: %d objects wait for the replicas of a master, the first since %s: wsd doctor says more", key.Name(), old, oldest.UTC().Format(time.RFC3339)))
	}
	return nil
}
