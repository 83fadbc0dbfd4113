package fsck_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func TestRunAcceptsIntactData(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		storetest.NewFixture(t, s)
		want := fsck.Report{Organizations: 1, Records: 4, Objects: 3}
		if diff := cmp.Diff(want, storetest.Fsck(t, s, fsck.Options{})); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRunFindsDamage damages one thing at a time, which must be found and, where possible, repaired.
func TestRunFindsDamage(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		damage func(e storetest.Fixture, client goredis.UniversalClient, prefix string) goredis.Cmder
		want   string // text of a finding
		repair bool
	}{
		"missing index member": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZRem(ctx(), p+"{"+e.Org+"}:ix:comments:"+e.Space, e.Comment)
		}, "missing, implied by", true},
		"missing index": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Del(ctx(), p+"{"+e.Org+"}:ix:comments:"+e.Space+":open")
		}, "missing, implied by", true},
		"extra index member": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZAdd(ctx(), p+"{"+e.Org+"}:ix:comments:"+e.Space, goredis.Z{Member: "c_0"})
		}, "no record implies it", true},
		"missing child order": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Del(ctx(), p+"{"+e.Org+"}:kids:"+e.Collection)
		}, "missing, implied by", true},
		"listed below two parents": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZAdd(ctx(), p+"{"+e.Org+"}:kids:root", goredis.Z{Member: txn.OrderMember("a7", e.Space)})
		}, "no record implies it", true},
		"invalid order key": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZAdd(ctx(), p+"{"+e.Org+"}:kids:root", goredis.Z{Member: "a-b!" + e.Space})
		}, "no order key", true},
		"shape entry differs": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:shapes", e.Space, `{}`)
		}, "differs from", true},
		"missing shape entry": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HDel(ctx(), p+"{"+e.Org+"}:shapes", e.Collection)
		}, "differs from", true},
		"extra shape entry": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:shapes", "s_0", `{}`)
		}, "no record implies it", true},
		"count differs": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:counts", e.Space, "2 0 0 0")
		}, "differs from the indexes", true},
		"count too high": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:counts", "s_0", "1")
		}, "counts nothing", true},
		"summary without request": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:summaries", e.Space+"-77", "{}")
		}, "of nothing that has a head", true},
		"pending summary without request": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZAdd(ctx(), p+"{"+e.Org+"}:ix:wanted:"+e.Space, goredis.Z{Member: "0" + e.Space + "-77"})
		}, "of nothing that has a head", true},
		"record is damaged": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Set(ctx(), p+"{"+e.Org+"}:org", "1 {}", 0)
		}, "cannot be read", false},
		"record's JSON is damaged": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Set(ctx(), p+"{"+e.Org+"}:cm:"+e.Comment, "1 1 {}\n{", 0)
		}, "cannot be read", false},
		"head without record": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:heads", e.Space+"-7", e.Text.Hash)
		}, "head without", false},
		"head without object": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:heads", e.Space, "x - - 1")
		}, "names no object", false},
		"missing object": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HDel(ctx(), objectName(p, e.Space, e.Text.Hash), e.Text.Hash)
		}, "object is missing", false},
		"object damaged": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), objectName(p, e.Space, e.Text.Hash), e.Text.Hash, "\x00bsome texT")
		}, "does not match its hash", false},
		"object matches its hash but has no form": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			formless := objects.NewObject([]byte("?some text"))
			c.HSet(ctx(), objectName(p, e.Space, formless.Hash), formless.Hash, "\x00?some text")
			return c.HSet(ctx(), p+"{"+e.Org+"}:heads", e.Space, formless.Hash+" - - 1")
		}, "has tag '?'", false},
		"wrong type": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			c.Del(ctx(), p+"{"+e.Org+"}:kids:root")
			return c.Set(ctx(), p+"{"+e.Org+"}:kids:root", "x", 0)
		}, "has another type", false},
		"interrupted sweep": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:epochs", e.Space, "7")
		}, "the sweep was cut off", true},
		"lease of no job": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.Org+"}:leases", "purge:s_1", "1 x")
		}, "lease of no job", true},
		"unregistered job": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			for i := range 16 {
				c.Del(ctx(), fmt.Sprintf("%s{g:%02x}:due", p, i))
			}
			return c.ZAdd(ctx(), p+"{"+e.Org+"}:due", goredis.Z{Score: 1, Member: "purge:s_1"})
		}, "nobody looks at its jobs", true},
		"unregistered organization": {func(e storetest.Fixture, c goredis.UniversalClient, p string) goredis.Cmder {
			for i := range 16 {
				c.Del(ctx(), fmt.Sprintf("%s{g:%02x}:orgs", p, i))
			}
			return c.Ping(ctx())
		}, "not registered", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				e := storetest.NewFixture(t, s)
				client, prefix := s.Client, s.Prefix
				if err := c.damage(e, client, prefix).Err(); err != nil {
					t.Fatal(err)
				}
				report := storetest.Fsck(t, s, fsck.Options{})
				if !storetest.HasFinding(report, c.want) {
					t.Fatalf("%q is not among %v", c.want, report.Findings)
				}
				if report.Clean() {
					t.Error("the report is clean")
				}
				storetest.Fsck(t, s, fsck.Options{Repair: true})
				if report := storetest.Fsck(t, s, fsck.Options{}); report.Clean() != c.repair {
					t.Errorf("after the repair: %v", report.Findings)
				}
			})
		})
	}
}

func TestRunFindsUnknownKeys(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	client, prefix := s.Client, s.Prefix
	for _, name := range []string{"{o_1}:orgx", "o_1:org", "{o_1}:kids:a:b", "{o_1}:kids:a}b", "{x_1}:org"} {
		if err := client.Set(ctx(), prefix+name, "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if report := storetest.Fsck(t, s, fsck.Options{Repair: true}); !storetest.HasFinding(report, "not in the catalogue") ||
			report.Clean() {
			t.Errorf("%s: %v", name, report.Findings)
		}
		client.Del(ctx(), prefix+name)
	}
}

func TestSweepRemovesUnreachableObjects(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		orphan := s.NewID(txn.HomePrefix(txn.SpacePrefix, e.Org)) // without a commit
		if err := s.PutObjects(t.Context(), orphan, []objects.Object{e.Text}); err != nil {
			t.Fatal(err)
		}
		if report := storetest.Fsck(t, s, fsck.Options{GC: true}); report.Removed != 2 || !report.Clean() {
			t.Errorf("removed %d, %v", report.Removed, report.Findings)
		}
		if _, err := s.Objects(t.Context(), e.Space, []string{e.Text.Hash}); err != nil {
			t.Errorf("a reachable object: %v", err)
		}
		_, err := s.Objects(t.Context(), e.Space, []string{e.Garbage.Hash})
		storetest.WantError(t, err, objects.ErrMissing)
		if report := storetest.Fsck(t, s, fsck.Options{GC: true}); report.Removed != 0 || !report.Clean() {
			t.Errorf("again: removed %d, %v", report.Removed, report.Findings)
		}
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error { // the space accepts objects again
			tx.Objects(e.Space, e.Garbage)
			return nil
		})
	})
}

// A space is not swept if the references of an object in it are unknown.
func TestSweepSkipsDamagedSpaces(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, e storetest.Fixture, s *store.Store){
		"object is missing": func(_ *testing.T, e storetest.Fixture, s *store.Store) {
			s.Client.HDel(ctx(), objectName(s.Prefix, e.Space, e.Text.Hash), e.Text.Hash)
		},
		"object matches its hash but has no form": func(t *testing.T, e storetest.Fixture, s *store.Store) {
			t.Helper()
			formless := objects.NewObject([]byte("?some text"))
			storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
				head, _, err := tx.Head(e.Org, e.Space)
				head.Files = formless.Hash
				tx.Objects(e.Space, formless)
				tx.SetHead(e.Org, e.Space, head)
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				e := storetest.NewFixture(t, s)
				damage(t, e, s)
				report := storetest.Fsck(t, s, fsck.Options{GC: true})
				if !storetest.HasFinding(report, "not swept") || report.Removed != 0 {
					t.Errorf("removed %d, %v", report.Removed, report.Findings)
				}
				if report := storetest.Fsck(t, s, fsck.Options{}); storetest.HasFinding(report, "sweep was cut off") {
					t.Error("the space stays closed")
				}
			})
		})
	}
}

// objectName returns the Redis key of an object.
func objectName(prefix, space, hash string) string {
	first, _ := objects.FirstByte(hash)
	return prefix + txn.ObjectKey(space, first).Name()
}

// TestRunRepairsUsage checks that wrong usage and sizes are found and corrected.
func TestRunRepairsUsage(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		storetest.Put(t, s, "o_1", store.OrganizationKey("o_1"), `{}`)
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			tx.Objects("s_1", objects.NewBlob([]byte("text")))
			return nil
		})
		client, prefix := s.Client, s.Prefix
		for _, at := range [][2]string{{"{s_1}:size", "all"}, {"{s_1}:size", "0"}, {"{o_1}:use", "bytes"}, {"{o_1}:use", "records"}} {
			key, field := at[0], at[1]
			if err := client.HIncrBy(t.Context(), prefix+key, field, 5).Err(); err != nil {
				t.Fatal(err)
			}
			report := storetest.Fsck(t, s, fsck.Options{Repair: true})
			if len(report.Findings) == 0 {
				t.Errorf("%s: nothing found", key)
			}
		}
		for _, finding := range storetest.Fsck(t, s, fsck.Options{}).Findings {
			t.Errorf("afterwards: %s", finding)
		}
	})
}

// TestRunWritesNewIndex checks that an index that earlier builds did not write is not a finding, and is written by a repair.
func TestRunWritesNewIndex(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		key := store.UnpublishedIntegrationsKey()
		err := s.Update(t.Context(), store.Integrations(), txn.UpdateOptions{}, func(tx *store.Tx) error {
			i, err := tx.Integration("acme.linter")
			if err != nil {
				return err
			}
			i.Fields.Name, i.Private.Organization = "acme.linter", "o_1"
			return tx.UnpublishIntegration(i)
		})
		if err != nil {
			t.Fatal(err)
		}
		before := storetest.Fsck(t, s, fsck.Options{})
		if err := s.Client.Del(t.Context(), s.Prefix+key.Name()).Err(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, storetest.Fsck(t, s, fsck.Options{})); diff != "" {
			t.Error(diff)
		}
		storetest.Fsck(t, s, fsck.Options{Repair: true})
		b := s.NewBatch()
		members := b.Range(key, "", -1, false)
		if err := b.Do(t.Context()); err != nil || len(members.Value()) != 1 {
			t.Errorf("%q, %v", members.Value(), err)
		}
	})
}
