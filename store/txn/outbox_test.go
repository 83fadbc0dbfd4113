package txn_test

import (
	"context"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// outboxHook is a hook that calls act before the next pipeline that reads an outbox.
type outboxHook struct {
	storetest.Trips
	act func()
}

func (h *outboxHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		for _, command := range commands {
			if act := h.act; act != nil && command.Name() == "hmget" {
				h.act = nil
				act()
			}
		}
		return next(ctx, commands)
	}
}

// TestReadFindsObjectsDuringDelivery checks that objects that a failover removed from their space, and that are delivered
// between the read of the space and that of the outbox, are found by both kinds of reads.
func TestReadFindsObjectsDuringDelivery(t *testing.T) {
	t.Parallel()
	hook := &outboxHook{}
	s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	s.AlwaysUseOutbox = true
	e := storetest.NewFixture(t, s)
	for name, read := range map[string]func(hashes []string) error{
		"read": func(hashes []string) error {
			_, err := s.ReadObjects(t.Context(), e.Space, hashes)
			return err
		},
		"fetch": func(hashes []string) error {
			found, err := s.FetchObjects(t.Context(), e.Space, hashes)
			for _, f := range found {
				if err == nil {
					err = f.Err
				}
			}
			return err
		},
	} {
		first, second := objects.NewBlob([]byte("first of "+name)), objects.NewBlob([]byte("second of "+name))
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error { tx.Objects(e.Space, first, second); return nil })
		hashes := []string{first.Hash, second.Hash}
		for _, hash := range hashes {
			n, _ := objects.FirstByte(hash)
			if err := s.DropObjects(t.Context(), e.Space, s.Name(txn.ObjectKey(e.Space, n)), []string{hash}); err != nil {
				t.Fatal(err)
			}
		}
		s.ForgetContent(e.Space)
		hook.act = func() {
			if err := s.DeliverOutbox(t.Context(), e.Org, nil); err != nil {
				t.Error(err)
			}
			if text, filled := storetest.Dump(t, s)["{"+e.Org+"}:outbox"]; filled {
				t.Errorf("%s: the outbox still contains %q", name, text)
			}
			s.ForgetContent(e.Space)
		}
		if err := read(hashes); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if hook.act != nil {
			t.Errorf("%s: the outbox was not read", name)
		}
	}
}

// TestCopiedObjectsKeepStoredBytes checks that objects are copied to another space as they are stored, also one that the master
// of the first space has lost and that is read from the outbox.
func TestCopiedObjectsKeepStoredBytes(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		s.AlwaysUseOutbox = true
		all := []objects.Object{objects.NewBlob([]byte(strings.Repeat("Stored. ", 100))), objects.NewBlob([]byte("Lost."))}
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error { tx.Objects(e.Space, all...); return nil })
		key := func(space string, i int) string {
			first, _ := objects.FirstByte(all[i].Hash)
			return s.Name(txn.ObjectKey(space, first))
		}
		if err := s.DropObjects(t.Context(), e.Space, key(e.Space, 1), []string{all[1].Hash}); err != nil {
			t.Fatal(err)
		}
		fetched, err := s.FetchObjects(t.Context(), e.Space, []string{all[0].Hash, all[1].Hash})
		if err != nil {
			t.Fatal(err)
		}
		to := s.NewID(txn.HomePrefix(txn.SpacePrefix, e.Org))
		var written redis.WriteGeneration
		if err := s.CopyObjects(t.Context(), to, fetched, &written); err != nil {
			t.Fatal(err)
		}
		for i, object := range all {
			want := string(s.Codec.Pack(object))
			if got := s.Client.HGet(t.Context(), key(to, i), object.Hash).Val(); got != want {
				t.Errorf("object %d of the copy: %q, want %q", i, got, want)
			}
		}
		if fetched[1].Stored != nil {
			t.Errorf("a lost object has the stored bytes %q", fetched[1].Stored)
		}
	})
}
