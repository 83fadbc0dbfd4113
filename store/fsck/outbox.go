package fsck

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// maxOutboxAge is the age at which outbox entries should have been delivered.
const maxOutboxAge = 10 * time.Minute

// checkOutbox checks that the outbox entries are readable and counted. Old entries are a note: the replicas need
// attention, not the data.
func (in *pass) checkOutbox(ctx context.Context, want *expectation) error {
	key := txn.OutboxKey(want.org)
	have, err := in.readHash(ctx, key)
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
		if p.At.Before(in.store.Now().Add(-maxOutboxAge)) {
			old++
		}
		if p.At.Before(oldest) {
			oldest = p.At
		}
	}
	if have[txn.OutboxBytes] != strconv.Itoa(size) {
		in.add(key.Name(), txn.OutboxBytes, "differs from what is there", in.rewriteRepair(want.org, func(tx *store.Tx) {
			tx.SetField(key, txn.OutboxBytes, strconv.Itoa(size))
		}))
	}
	if old > 0 {
		in.report.Notes = append(in.report.Notes,
			fmt.Sprintf("%s: %d objects wait for the replicas of a master, the first since %s: wsd doctor says more", key.Name(), old,
				oldest.UTC().Format(time.RFC3339)))
	}
	return nil
}
