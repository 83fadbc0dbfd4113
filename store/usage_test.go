package store_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// readUsage returns the usage of an organization.
func readUsage(t *testing.T, s *store.Store, org string) txn.Usage {
	t.Helper()
	b := s.NewBatch()
	future := b.Usage(org)
	storetest.Do(t, b)
	return future.Value()
}

// createOrganization creates an organization whose usage is counted from the start.
func createOrganization(t *testing.T, s *store.Store, org string) {
	t.Helper()
	storetest.Put(t, s, org, store.OrganizationKey(org), `{}`)
}

// TestUsageMatchesStoredData checks that the usage equals the sizes of records and content after overwrites, removals and
// failed updates.
func TestUsageMatchesStoredData(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		s := engine.Open(t, func(c *store.Config) { c.Clock = nil })
		createOrganization(t, s, "o_1")
		random := mathrand.New(mathrand.NewPCG(1, 2))
		records, content := map[string]bool{}, int64(0)
		errMind := errors.New("changed its mind")
		for i := range 120 {
			id := fmt.Sprintf("c_%d", random.IntN(20))
			text := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", random.IntN(500)))
			options := txn.UpdateOptions{}
			if random.IntN(3) == 0 {
				options.Idempotency = &txn.Idempotency{Key: fmt.Sprintf("k%d", i), Save: true}
			}
			what := random.IntN(6)
			err := s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				key := store.TeamKey("o_1", id)
				if _, _, err := tx.Record(key); err != nil {
					return err
				}
				if what == 0 {
					tx.Delete(key)
				} else {
					tx.Put(key, []byte(`{}`), []byte(text))
				}
				if what == 1 {
					noise := make([]byte, random.IntN(3000))
					_, _ = rand.Read(noise)
					tx.Objects("s_1", objects.NewBlob(noise), objects.NewBlob([]byte("the same")), objects.NewBlob([]byte("the same")))
				}
				tx.Answer(txn.Answer{Status: 200, Body: []byte(text)})
				if what == 5 {
					return errMind
				}
				return nil
			})
			if err != nil && !errors.Is(err, errMind) {
				t.Fatal(err)
			}
			if err == nil {
				records[id] = what != 0
			}
			size, err := s.Measure(t.Context(), "s_1")
			if err != nil {
				t.Fatal(err)
			}
			content = size.Bytes
		}
		want, kept := int64(0), int64(0)
		client, prefix := s.Client, s.Prefix
		for name := range storetest.Dump(t, s) {
			switch {
			case name == "{o_1}:org" || strings.HasPrefix(name, "{o_1}:team:"):
				want += client.StrLen(t.Context(), prefix+name).Val()
			case strings.HasPrefix(name, "{o_1}:idem:"):
				kept += client.StrLen(t.Context(), prefix+name).Val()
			}
		}
		count := int64(1)
		for _, there := range records {
			if there {
				count++
			}
		}
		if use := readUsage(t, s, "o_1"); use.Bytes != want+kept+content || use.Records != count || !use.Complete || kept == 0 ||
			content == 0 {
			t.Errorf("%+v, want %d of records, %d of answers, %d of content, %d records", use, want, kept, content, count)
		}
	})
}

// A transaction that is charged to a quota may use it to the last byte and record; objects beyond the quota are not stored.
func TestQuotaIsEnforcedInCommit(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		const limit = 4000
		s := engine.Open(t, func(c *store.Config) { c.Quota = txn.Quota{Bytes: limit, Records: 4, Allowance: 10} })
		createOrganization(t, s, "o_1")
		write := func(id string, size int, options txn.UpdateOptions, objects ...objects.Object) error {
			return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				if _, _, err := tx.Record(store.TeamKey("o_1", id)); err != nil {
					return err
				}
				tx.Objects("s_1", objects...)
				tx.Put(store.TeamKey("o_1", id), []byte(`{}`), fmt.Appendf(nil, "%0*d", size, 1))
				return nil
			})
		}
		charged := txn.UpdateOptions{EnforceQuota: true}
		var full *txn.QuotaError
		noise := make([]byte, 5000)
		_, _ = rand.Read(noise)
		if err := write("a", 10, charged, objects.NewBlob(noise)); !errors.As(err, &full) || full.Resource != "bytes" ||
			full.Limit != limit {
			t.Errorf("objects beyond the quota: %v", err)
		}
		if size, err := s.Size(t.Context(), "s_1"); err != nil || size.Bytes != 0 {
			t.Errorf("%d bytes were stored beyond the quota, %v", size.Bytes, err)
		}
		available := int(limit - readUsage(t, s, "o_1").Bytes)
		head := len("1 1 {}\n")
		if err := write("a", available-head+1, charged); !errors.As(err, &full) {
			t.Errorf("a byte too many: %v", err)
		}
		if err := write("a", available-head, charged); err != nil {
			t.Errorf("write that fits the quota: %v", err)
		}
		if use := readUsage(t, s, "o_1"); use.Bytes != limit {
			t.Errorf("%d bytes, want %d", use.Bytes, limit)
		}
		if err := write("a", available-head+10, charged); err != nil {
			t.Errorf("a small change: %v", err)
		}
		if err := write("a", available-head+21, charged); !errors.As(err, &full) {
			t.Errorf("a change that is not small: %v", err)
		}
		dry := txn.UpdateOptions{EnforceQuota: true, DryRun: true}
		if err := write("b", 10, dry); !errors.As(err, &full) {
			t.Errorf("a rehearsal: %v", err)
		}
		if err := write("a", 10, charged); err != nil {
			t.Errorf("less: %v", err)
		}
		for _, id := range []string{"b", "c"} {
			if err := write(id, 10, charged); err != nil {
				t.Errorf("record %s: %v", id, err)
			}
		}
		if err := write("d", 10, charged); !errors.As(err, &full) || full.Resource != "records" || full.Usage != 4 {
			t.Errorf("a record too many: %v", err)
		}
		if err := write("d", 10, txn.UpdateOptions{}); err != nil {
			t.Errorf("what is not charged: %v", err)
		}
	})
}
