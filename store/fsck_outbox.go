package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// outboxOld is when what waits in an outbox should have been delivered.
const outboxOld = 10 * time.Minute

// outbox checks that what commits carry can be read and is counted. What waits
// for long is a note: the replicas are to be looked at, not the data.
func (in *inspection) outbox(ctx context.Context, want *expectation) error {
	key := OutboxKey(want.org)
	have, err := in.hash(ctx, key)
	if err != nil || len(have) == 0 {
		return err
	}
	size, old, oldest := 0, 0, in.store.Now()
	for field, value := range have {
		if field == outboxBytes {
			continue
		}
		size += len(value)
		p, err := parsePosted(field, value)
		if err == nil {
			_, err = in.store.codec.Unpack(p.space, p.hash, p.bytes)
		}
		if err != nil {
			in.add(key.Name(), field, err.Error(), nil)
			continue
		}
		if p.at.Before(in.store.Now().Add(-outboxOld)) {
			old++
		}
		if p.at.Before(oldest) {
			oldest = p.at
		}
	}
	if have[outboxBytes] != strconv.Itoa(size) {
		in.add(key.Name(), outboxBytes, "differs from what is there", in.rewrite(want.org, func(tx *Tx) { tx.SetField(key, outboxBytes, strconv.Itoa(size)) }))
	}
	if old > 0 {
		in.report.Notes = append(in.report.Notes, fmt.Sprintf("%s: %d objects wait for the replicas of a master, the first since %s: wsd doctor says more", key.Name(), old, oldest.UTC().Format(time.RFC3339)))
	}
	return nil
}
