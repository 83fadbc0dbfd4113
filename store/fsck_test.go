package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/sortkey"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// estate is an organization with one of everything.
type estate struct {
	org, collection, space, comment string
	text                            objects.Object // reached by the head
	garbage                         objects.Object // reached by nothing
}

// build makes an estate.
func build(t *testing.T, s *store.Store) estate {
	t.Helper()
	org := s.NewID("o_")
	e := estate{
		org: org, comment: s.NewID("c_"),
		collection: s.NewID(txn.HomePrefix("l_", org)), space: s.NewID(txn.HomePrefix("s_", org)),
		text: objects.NewBlob([]byte("some text")), garbage: objects.NewBlob([]byte("abandoned")),
	}
	content := s.Content(e.space)
	content.Stage(e.text)
	pages := content.BuildMap(map[string]objects.Entry{"p_1": {Value: []byte(`{}`), Refs: []string{e.text.Hash}}})
	revision := content.Stage(objects.NewNode([]string{pages}, []byte(`{"type":"initial"}`)))
	if err := s.PutObjects(t.Context(), e.space, []objects.Object{e.garbage}); err != nil {
		t.Fatal(err)
	}
	update(t, s, org, func(tx *store.Tx) error {
		tx.Objects(e.space, content.Staged()...)
		tx.MoveHead(org, e.space, store.Head{Revision: revision, Pages: pages, At: time.UnixMilli(1)})
		return e.write(tx)
	})
	if err := s.Deliver(t.Context(), org, nil); err != nil { // else a Cluster has a second copy of what a test damages
		t.Fatal(err)
	}
	return e
}

// write writes the records of an estate.
func (e estate) write(tx *store.Tx) error {
	organization, err := tx.Organization(e.org)
	if err != nil {
		return err
	}
	organization.Fields = api.OrganizationFields{ID: e.org, Title: "Estate"}
	if _, err := tx.PutOrganization(organization); err != nil {
		return err
	}
	collection, err := tx.Collection(e.org, e.collection)
	if err != nil {
		return err
	}
	collection.Fields = api.CollectionFields{ID: e.collection, Organization: e.org}
	if err := tx.PlaceCollection(&collection, "", txn.Position{}); err != nil {
		return err
	}
	if _, err := tx.PutCollection(collection); err != nil {
		return err
	}
	return e.writeSpace(tx)
}

func (e estate) writeSpace(tx *store.Tx) error {
	space, err := tx.Space(e.org, e.space)
	if err != nil {
		return err
	}
	space.Fields = api.SpaceFields{ID: e.space, Organization: e.org}
	if err := tx.PlaceSpace(&space, e.collection, txn.Position{}); err != nil {
		return err
	}
	if _, err := tx.PutSpace(space); err != nil {
		return err
	}
	comment, err := tx.Comment(e.org, e.comment)
	if err != nil {
		return err
	}
	comment.Fields = api.CommentFields{ID: e.comment, Status: api.CommentOpen}
	comment.Private = store.CommentPrivate{Author: "u_1", Target: e.space, Space: e.space}
	_, err = tx.PutComment(e.org, comment, "")
	return err
}

func examine(t *testing.T, s *store.Store, options fsck.Options) fsck.Report {
	t.Helper()
	report, err := fsck.Run(t.Context(), s, options)
	if err != nil {
		t.Fatalf("fsck: %v", err)
	}
	return report
}

func TestFsckOfSoundData(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		build(t, s)
		want := fsck.Report{Organizations: 1, Records: 4, Objects: 3}
		if diff := cmp.Diff(want, examine(t, s, fsck.Options{})); diff != "" {
			t.Error(diff)
		}
	})
}

// TestFsckFinds damages one thing at a time: it has to be found, and to be
// repaired where it can be.
func TestFsckFinds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		damage func(e estate, client goredis.UniversalClient, prefix string) goredis.Cmder
		want   string // in a finding
		repair bool
	}{
		"index member gone": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZRem(ctx(), p+"{"+e.org+"}:ix:comments:"+e.space, e.comment)
		}, "missing, implied by", true},
		"index gone": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Del(ctx(), p+"{"+e.org+"}:ix:comments:"+e.space+":open")
		}, "missing, implied by", true},
		"index member too many": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZAdd(ctx(), p+"{"+e.org+"}:ix:comments:"+e.space, goredis.Z{Member: "c_0"})
		}, "no record implies it", true},
		"not among the siblings": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Del(ctx(), p+"{"+e.org+"}:kids:"+e.collection)
		}, "missing, implied by", true},
		"below another parent too": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZAdd(ctx(), p+"{"+e.org+"}:kids:root", goredis.Z{Member: sortkey.Member("a7", e.space)})
		}, "no record implies it", true},
		"no order key": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.ZAdd(ctx(), p+"{"+e.org+"}:kids:root", goredis.Z{Member: "a-b!" + e.space})
		}, "no order key", true},
		"shape entry differs": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:shapes", e.space, `{}`)
		}, "differs from", true},
		"shape entry gone": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HDel(ctx(), p+"{"+e.org+"}:shapes", e.collection)
		}, "differs from", true},
		"shape entry too many": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:shapes", "s_0", `{}`)
		}, "no record implies it", true},
		"count differs": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:counts", e.space, "2 0 0 0")
		}, "differs from the indexes", true},
		"count too many": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:counts", "s_0", "1")
		}, "counts nothing", true},
		"record is damaged": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Set(ctx(), p+"{"+e.org+"}:org", "1 {}", 0)
		}, "cannot be read", false},
		"record's JSON is damaged": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.Set(ctx(), p+"{"+e.org+"}:cm:"+e.comment, "1 1 {}\n{", 0)
		}, "cannot be read", false},
		"head without record": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:heads", e.space+"-7", e.text.Hash)
		}, "head without", false},
		"head without object": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:heads", e.space, "x - - 1")
		}, "names no object", false},
		"object gone": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HDel(ctx(), store.ObjectName(p, e.space, e.text.Hash), e.text.Hash)
		}, "object is missing", false},
		"object damaged": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), store.ObjectName(p, e.space, e.text.Hash), e.text.Hash, "\x00bsome texT")
		}, "does not match its hash", false},
		"another type": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			c.Del(ctx(), p+"{"+e.org+"}:kids:root")
			return c.Set(ctx(), p+"{"+e.org+"}:kids:root", "x", 0)
		}, "has another type", false},
		"sweep cut off": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:epochs", e.space, "7")
		}, "the sweep was cut off", true},
		"lease of no job": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			return c.HSet(ctx(), p+"{"+e.org+"}:leases", "purge:s_1", "1 x")
		}, "lease of no job", true},
		"job that nobody looks at": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			for i := range 16 {
				c.Del(ctx(), fmt.Sprintf("%s{g:%02x}:due", p, i))
			}
			return c.ZAdd(ctx(), p+"{"+e.org+"}:due", goredis.Z{Score: 1, Member: "purge:s_1"})
		}, "nobody looks at its jobs", true},
		"not registered": {func(e estate, c goredis.UniversalClient, p string) goredis.Cmder {
			for i := range 16 {
				c.Del(ctx(), fmt.Sprintf("%s{g:%02x}:orgs", p, i))
			}
			return c.Ping(ctx())
		}, "not registered", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *store.Store) {
				e := build(t, s)
				client, prefix := store.Client(s)
				if err := c.damage(e, client, prefix).Err(); err != nil {
					t.Fatal(err)
				}
				report := examine(t, s, fsck.Options{})
				if !found(report, c.want) {
					t.Fatalf("%q is not among %v", c.want, report.Findings)
				}
				if report.Clean() {
					t.Error("the report is clean")
				}
				examine(t, s, fsck.Options{Repair: true})
				if report := examine(t, s, fsck.Options{}); report.Clean() != c.repair {
					t.Errorf("after the repair: %v", report.Findings)
				}
			})
		})
	}
}

func found(report fsck.Report, problem string) bool {
	return slices.ContainsFunc(report.Findings, func(f fsck.Finding) bool { return strings.Contains(f.Problem, problem) })
}

func TestFsckFindsUnknownKeys(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	client, prefix := store.Client(s)
	for _, name := range []string{"{o_1}:orgx", "o_1:org", "{o_1}:kids:a:b", "{o_1}:kids:a}b", "{x_1}:org"} {
		if err := client.Set(ctx(), prefix+name, "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if report := examine(t, s, fsck.Options{Repair: true}); !found(report, "not in the catalogue") || report.Clean() {
			t.Errorf("%s: %v", name, report.Findings)
		}
		client.Del(ctx(), prefix+name)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		e := build(t, s)
		orphan := s.NewID(txn.HomePrefix(txn.SpacePrefix, e.org)) // its commit was never made
		if err := s.PutObjects(t.Context(), orphan, []objects.Object{e.text}); err != nil {
			t.Fatal(err)
		}
		if report := examine(t, s, fsck.Options{GC: true}); report.Removed != 2 || !report.Clean() {
			t.Errorf("removed %d, %v", report.Removed, report.Findings)
		}
		if _, err := s.Objects(t.Context(), e.space, []string{e.text.Hash}); err != nil {
			t.Errorf("a reachable object: %v", err)
		}
		_, err := s.Objects(t.Context(), e.space, []string{e.garbage.Hash})
		wantError(t, err, objects.ErrMissing)
		if report := examine(t, s, fsck.Options{GC: true}); report.Removed != 0 || !report.Clean() {
			t.Errorf("again: removed %d, %v", report.Removed, report.Findings)
		}
		update(t, s, e.org, func(tx *store.Tx) error { // the space takes objects again
			tx.Objects(e.space, e.garbage)
			return nil
		})
	})
}

func TestSweepSparesDamagedSpaces(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		e := build(t, s)
		client, prefix := store.Client(s)
		client.HDel(ctx(), store.ObjectName(prefix, e.space, e.text.Hash), e.text.Hash)
		if report := examine(t, s, fsck.Options{GC: true}); !found(report, "not swept") || report.Removed != 0 {
			t.Errorf("removed %d, %v", report.Removed, report.Findings)
		}
		if report := examine(t, s, fsck.Options{}); found(report, "sweep was cut off") {
			t.Error("the space stays closed")
		}
	})
}
