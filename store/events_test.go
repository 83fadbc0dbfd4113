package store_test

import (
	"context"
	"errors"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// errDenied is the reply of a Redis that does not allow a command.
type errDenied struct{}

func (errDenied) Error() string {
	return "NOPERM this user has no permissions to run the 'memory|usage' command"
}

func (errDenied) RedisError() {}

// memoryDenied is a hook that refuses MEMORY.
type memoryDenied struct{}

func (memoryDenied) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (memoryDenied) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

func (memoryDenied) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		if commands[0].Name() != "memory" {
			return next(ctx, commands)
		}
		for _, command := range commands {
			command.SetErr(errDenied{})
		}
		return errDenied{}
	}
}

// TestEventLogs checks the size and the age of event logs, that the latest events can be kept alone, and that the memory is unknown if
// Redis does not tell it.
func TestEventLogs(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		s := engine.Open(t)
		update := func(org string, fn func(tx *store.Tx)) {
			storetest.Update(t, s, org, func(tx *store.Tx) error {
				fn(tx)
				return nil
			})
		}
		read := func() map[string]store.EventLog {
			t.Helper()
			logs, err := store.EventLogs(t.Context(), s, []string{"o_1", "o_2", "o_empty"})
			if err := errors.Join(err, store.MeasureEventLogs(t.Context(), s, logs, false)); err != nil {
				t.Fatal(err)
			}
			return logs
		}
		for _, org := range []string{"o_1", "o_2"} {
			update(org, func(tx *store.Tx) {
				for range 300 {
					tx.Event(map[string]string{"type": "spaces.update", "id": org})
				}
			})
		}
		update("o_2", func(tx *store.Tx) {
			tx.SetField(txn.QuotaKey("o_2"), txn.FieldEvents, "5000")
			tx.SetField(txn.QuotaKey("o_2"), txn.FieldBytes, "1000")
		})
		all := read()
		update("o_1", func(tx *store.Tx) { tx.KeepEvents(100) })
		fewer := read()
		if len(all) != 2 || all["o_1"].Entries != 300 || all["o_2"].MaxEntries != 5000 || all["o_2"].MaxBytes != 100 {
			t.Errorf("%+v", all)
		}
		if a, b := all["o_1"], fewer["o_1"]; b.Entries != 100 || b.Bytes <= 0 || b.Bytes >= a.Bytes || b.OldestID <= a.OldestID {
			t.Errorf("%+v, then %+v", a, b)
		}
		s.Client.AddHook(memoryDenied{})
		if unknown := read()["o_1"]; unknown.Bytes != 0 || unknown.Entries != 100 {
			t.Errorf("without MEMORY: %+v", unknown)
		}
	})
}

// TestEventLogExcess checks how many events are kept of logs of different sizes.
func TestEventLogExcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log  store.EventLog
		keep int64 // 0 = all
	}{
		"no limit":                   {store.EventLog{Entries: 5_000_000, Bytes: 1 << 40}, 0},
		"a tenth":                    {store.EventLog{Entries: 10_000, Bytes: 5_000_000, MaxBytes: 5_000_000}, 0},
		"more than a tenth":          {store.EventLog{Entries: 10_000, Bytes: 5_000_000, MaxBytes: 4_000_000}, 7_600},
		"a little more than a tenth": {store.EventLog{Entries: 10_000, Bytes: 5_000_001, MaxBytes: 5_000_000}, 9_481},
		"a small quota":              {store.EventLog{Entries: 10_000, Bytes: 5_000_000, MaxBytes: 1}, store.MinEventsKept},
		"few events":                 {store.EventLog{Entries: store.MinEventsKept + 50, Bytes: 5_000_000, MaxBytes: 1}, 0},
		"memory unknown":             {store.EventLog{Entries: 10_000, MaxBytes: 1}, 0},
		"its own number":             {store.EventLog{Entries: 10_000, MaxEntries: 8_000}, 8_000},
		"a few over its own number":  {store.EventLog{Entries: 8_400, MaxEntries: 8_000}, 0},
		"both":                       {store.EventLog{Entries: 10_000, MaxEntries: 8_000, Bytes: 5_000_000, MaxBytes: 4_000_000}, 7_600},
		"no events":                  {store.EventLog{MaxBytes: 1, MaxEntries: 8_000}, 0},
	} {
		keep, exceeds := c.log.Excess()
		if exceeds != (c.keep > 0) || exceeds && keep != c.keep {
			t.Errorf("%s: %d events are kept (%t), want %d", name, keep, exceeds, c.keep)
		}
	}
}
