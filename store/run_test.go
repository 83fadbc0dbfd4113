package store_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestMemoryWithFakeClock runs the store on a fake clock and checks that keys expire by it and that Close leaves no goroutine.
func TestMemoryWithFakeClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		commit := func() error {
			options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: "k", Save: true}}
			return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				tx.Answer(txn.Answer{Status: 200})
				return nil
			})
		}
		if err := commit(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24*time.Hour - time.Minute)
		var replay *txn.ReplayError
		if err := commit(); !errors.As(err, &replay) {
			t.Errorf("within a day: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if err := commit(); err != nil {
			t.Errorf("after a day: %v", err)
		}
		if got := s.Describe(); got.Durable || !strings.Contains(got.String(), "gone at exit") {
			t.Errorf("described as %s", got)
		}
	})
}

// TestMemoryAcceptsLargePipeline checks that a pipeline whose replies are larger than the buffer of a pipe returns all values.
func TestMemoryAcceptsLargePipeline(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		big := strings.Repeat("x", 100<<10)
		storetest.Put(t, s, "o_1", store.SpaceKey("o_1", "s_1"), big)
		batch := s.NewBatch()
		var futures []*txn.Future[txn.Record]
		for range 300 {
			futures = append(futures, batch.Record(store.SpaceKey("o_1", "s_1")))
		}
		storetest.Do(t, batch)
		for _, future := range futures {
			if got := storetest.Get(t, future); string(got.Public) != big {
				t.Fatalf("%d bytes came back", len(got.Public))
			}
		}
	})
}

func TestBatchTakesOneRoundTrip(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		trips := &storetest.Trips{}
		s := engine.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, trips) })
		org, blob := "o_1", objects.NewBlob([]byte("text"))
		storetest.Put(t, s, org, store.SpaceKey(org, "s_1"), `{}`)
		if err := s.PutObjects(t.Context(), "s_1", []objects.Object{blob}); err != nil {
			t.Fatal(err)
		}
		if err := s.Touch(t.Context(), store.UsedKey("u_1", "t_1"), "7"); err != nil {
			t.Fatal(err)
		}
		storetest.Update(t, s, org, func(tx *store.Tx) error { tx.SetAccess("s_1", []byte("{}")); return nil })
		look := func() {
			batch := s.NewBatch()
			record, absent := batch.Record(store.SpaceKey(org, "s_1")), batch.Record(store.SpaceKey(org, "s_2"))
			fields, none := batch.Fields(store.HeadsKey(org), "a", "b"), batch.Fields(store.HeadsKey(org))
			card, used := batch.Cardinality(store.IndexKey(org, "cm", "s_1")), batch.Value(store.UsedKey("u_1", "t_1"))
			object, missing := batch.Object("s_1", blob.Hash), batch.Object("s_1", "none")
			batch.Follow(org)
			if _, _, err := record.Get(); !errors.Is(err, redis.ErrMisuse) {
				t.Errorf("before Do: %v", err)
			}
			storetest.Do(t, batch)
			if _, ok, _ := record.Get(); !ok {
				t.Error("the record is absent")
			}
			if _, ok, err := absent.Get(); ok || err != nil {
				t.Errorf("an absent record: %v %v", ok, err)
			}
			if len(fields.Value())+len(none.Value()) != 0 || card.Value() != 0 || used.Value() != "7" ||
				string(storetest.Get(t, object)) != "text" {
				t.Error("a value differs")
			}
			if _, _, err := missing.Get(); !errors.Is(err, objects.ErrMissing) {
				t.Errorf("an absent object: %v", err)
			}
		}
		for range 2 { // the model is small: its first read costs no extra trip
			trips.Count()
			look()
			if n := trips.Count(); n != 1 {
				t.Errorf("%d trips", n)
			}
		}
		batch := s.NewBatch()
		batch.Object("s_1", blob.Hash)
		if storetest.Do(t, batch); trips.Count() != 0 {
			t.Error("an object in memory took a trip")
		}
		err := s.Update(t.Context(), store.Organization(org), txn.UpdateOptions{
			Prefetch: []redis.Key{store.SpaceKey(org, "s_1"), txn.GCEpochsKey(org).Field("s_1"), store.HeadsKey(org).Field("s_1")},
		}, func(tx *store.Tx) error {
			_, _, err := tx.Record(store.SpaceKey(org, "s_1"))
			tx.Put(store.SpaceKey(org, "s_1"), nil, nil)
			return err
		})
		if n := trips.Count(); err != nil || n != 2 {
			t.Errorf("a transaction took %d trips, %v", n, err)
		}
	})
}

func TestUnreachableRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), store.Config{URL: "unix://" + filepath.Join(t.TempDir(), "none.sock")})
	storetest.WantError(t, err, redis.ErrUnavailable)

	// A server that accepts connections and never answers.
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	limited, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = store.Open(limited, store.Config{URL: "redis://" + listener.Addr().String()})
	storetest.WantError(t, err, redis.ErrUnavailable)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("it took %s to say so", took)
	}
}

// brokenHook is a hook that fails every command with a connection reset while broken is set.
type brokenHook struct {
	storetest.Trips
	broken bool
}

func (h *brokenHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if h.broken {
			err := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
			command.SetErr(err)
			return err
		}
		return next(ctx, command)
	}
}

func TestBrokenConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	hook := &brokenHook{}
	s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	hook.broken = true
	err := s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.SetField(store.HeadsKey("o_1"), "a", "b")
		return nil
	})
	hook.broken = false
	storetest.WantError(t, err, redis.ErrUnavailable)
}

func TestRebalanceOrderKeepsOrder(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		children := store.ChildrenKey(e.Org, store.Root)
		long := "a0" + strings.Repeat("V", 80)
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error { // give the collection a long order key
			c, err := tx.Collection(e.Org, e.Collection)
			if err != nil {
				return err
			}
			tx.Remove(children, txn.OrderMember(c.Private.Order, e.Collection))
			c.Private.Order = long
			tx.Add(children, txn.OrderMember(long, e.Collection))
			_, err = tx.PutCollection(c)
			return err
		})
		if report := storetest.Fsck(t, s, fsck.Options{Repair: true}); !storetest.HasFinding(report, "order key is long") ||
			!report.Clean() {
			t.Errorf("%v", report.Findings)
		}
		if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) != 0 {
			t.Errorf("afterwards: %v", report.Findings)
		}
	})
}

// openChild opens a store on its own child server.
func openChild(t *testing.T, directory string, change ...func(*store.Config)) *store.Store {
	t.Helper()
	config := store.Config{DataDir: directory}
	for _, apply := range change {
		apply(&config)
	}
	s, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serverTests returns the tests that need a server program.
func serverTests() map[string]func(t *testing.T) {
	return map[string]func(t *testing.T){
		"keeps data": func(t *testing.T) {
			directory := t.TempDir()
			for version := int64(1); version < 3; version++ {
				s := openChild(t, directory)
				storetest.Put(t, s, "o_1", store.SpaceKey("o_1", "s_1"), `{}`)
				if got, _ := storetest.Record(t, s, store.SpaceKey("o_1", "s_1")); got.Version != version {
					t.Errorf("version %d, want %d", got.Version, version)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		},
		"keeps others out": func(t *testing.T) {
			directory := t.TempDir()
			s := openChild(t, directory)
			defer func() { _ = s.Close() }()
			_, err := store.Open(t.Context(), store.Config{DataDir: directory})
			storetest.WantError(t, err, redis.ErrLocked)
			attached, err := store.Open(t.Context(), store.Config{DataDir: directory, Attach: true})
			if err != nil {
				t.Fatal(err)
			}
			storetest.Put(t, attached, "o_1", store.SpaceKey("o_1", "s_1"), `{}`)
			if err := attached.Close(); err != nil {
				t.Error(err)
			}
			if got, _ := storetest.Record(t, s, store.SpaceKey("o_1", "s_1")); got.Version != 1 {
				t.Errorf("version %d written by the attached store, want 1", got.Version)
			}
			socket := strings.TrimPrefix(s.Describe().URL, "unix://")
			for _, path := range []string{socket, filepath.Dir(socket)} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
					t.Errorf("%s: %v %v", path, info.Mode(), err)
				}
			}
		},
		"long path": func(t *testing.T) {
			s := openChild(t, filepath.Join(t.TempDir(), strings.Repeat("long", 30)))
			storetest.Put(t, s, "o_1", store.SpaceKey("o_1", "s_1"), `{}`)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"comes back": func(t *testing.T) {
			s := openChild(t, t.TempDir())
			defer func() { _ = s.Close() }()
			storetest.Put(t, s, "o_1", store.SpaceKey("o_1", "s_1"), `{}`)
			before := serverPID(t, s)
			if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			awaitServer(t, s)
			if got, _ := storetest.Record(t, s, store.SpaceKey("o_1", "s_1")); got.Version != 1 {
				t.Errorf("version %d after the server was killed", got.Version)
			}
			if after := serverPID(t, s); after == before {
				t.Error("the server was not killed")
			}
		},
		"keeps acknowledged writes when killed": killUnderLoad,
		"refuses eviction": func(t *testing.T) {
			s := openChild(t, t.TempDir())
			defer func() { _ = s.Close() }()
			client, _ := store.Client(s)
			client.ConfigSet(t.Context(), "maxmemory", "100mb")
			client.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru")
			_, err := store.Open(t.Context(), store.Config{URL: s.Describe().URL})
			storetest.WantError(t, err, redis.ErrRefused)
			other, err := store.Open(t.Context(), store.Config{URL: s.Describe().URL, AllowEviction: true})
			if err != nil {
				t.Fatal(err)
			}
			_ = other.Close()
		},
		"examines": func(t *testing.T) {
			s := openChild(t, t.TempDir(), func(c *store.Config) { c.Appendfsync = "everysec" })
			defer func() { _ = s.Close() }()
			verdicts := map[string]redis.Verdict{}
			for _, check := range s.Doctor(t.Context()) {
				verdicts[check.Name] = check.Verdict
			}
			for _, name := range []string{
				"connection", "version", "mode", "role", "eviction", "persistence", "memory", "replicas", "clock", "directory", "write",
				"scripts", "forms", "secret",
			} {
				if verdicts[name] != redis.VerdictOK {
					t.Errorf("%s is %q", name, verdicts[name])
				}
			}
			if verdicts["appendfsync"] != redis.VerdictInfo {
				t.Errorf("appendfsync is %q", verdicts["appendfsync"])
			}
		},
	}
}

func TestServerProcess(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	for name, test := range serverTests() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// serverPID returns the process id of the server.
func serverPID(t *testing.T, s *store.Store) int {
	t.Helper()
	client, _ := store.Client(s)
	info, err := client.Info(t.Context(), "server").Result()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(info, "process_id:")
	text, _, _ := strings.Cut(rest, "\r\n")
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestOpenRefusesNewerData(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		if engine.Name == "memory" {
			return // the data of this engine does not outlive the store
		}
		s := engine.Open(t)
		client, prefix := store.Client(s)
		if err := client.Set(t.Context(), prefix+"schema", 99, 0).Err(); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), store.Config{URL: engine.URL(), Prefix: prefix})
		storetest.WantError(t, err, redis.ErrRefused)
	})
}

// unavailableHook is a hook that fails a number of commands as if no server were listening yet.
type unavailableHook struct {
	storetest.Trips

	remaining int
}

func (l *unavailableHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if l.remaining--; l.remaining >= 0 {
			err := &net.OpError{Op: "dial", Net: "unix", Err: syscall.ENOENT}
			command.SetErr(err)
			return err
		}
		return next(ctx, command)
	}
}

// TestOpenSucceedsAfterTransientFailure checks that Open succeeds if Redis is unavailable for the first check and available for
// the next command.
func TestOpenSucceedsAfterTransientFailure(t *testing.T) {
	t.Parallel()
	hook := &unavailableHook{remaining: 1}
	storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	if hook.remaining >= 0 {
		t.Error("nothing failed")
	}
}

// killUnderLoad kills the server while several goroutines write, and checks that acknowledged writes are stored and every
// invariant holds.
func killUnderLoad(t *testing.T) {
	s := openChild(t, t.TempDir())
	defer func() { _ = s.Close() }()
	e := storetest.NewFixture(t, s)
	const writers = 6
	acknowledged := make([]int64, writers)
	stop := make(chan struct{})
	var group sync.WaitGroup
	var commits atomic.Int64
	for n := range writers {
		group.Go(func() { acknowledged[n] = writeUntil(t, s, e, fmt.Sprint("c_", n), &commits, stop) })
	}
	for range 2 {
		for tick, enough := time.NewTicker(time.Millisecond), commits.Load()+100; commits.Load() < enough; {
			<-tick.C
		}
		if err := syscall.Kill(serverPID(t, s), syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		awaitServer(t, s)
	}
	close(stop)
	group.Wait()
	for n, least := range acknowledged {
		if got, _ := storetest.Record(t, s, store.CommentKey(e.Org, fmt.Sprint("c_", n))); got.Version < least || least == 0 {
			t.Errorf("writer %d: version %d was acknowledged, %d is there", n, least, got.Version)
		}
	}
	if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 {
		t.Errorf("afterwards: %v", report.Findings)
	}
}

// writeUntil changes a comment's status repeatedly and returns the last acknowledged version.
func writeUntil(
	t *testing.T, s *store.Store, e storetest.Fixture, id string, commits *atomic.Int64, stop <-chan struct{},
) (acknowledged int64) {
	statuses := []api.CommentStatus{api.CommentOpen, api.CommentResolved}
	for {
		select {
		case <-stop:
			return acknowledged
		default:
		}
		var version int64
		err := s.Update(t.Context(), store.Organization(e.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			comment, err := tx.Comment(e.Org, id)
			if err != nil {
				return err
			}
			was := comment.Fields.Status
			comment.Fields = api.CommentFields{ID: id, Status: statuses[comment.Version%2]}
			comment.Private = store.CommentPrivate{Author: "u_1", Target: e.Space, Space: e.Space}
			version = comment.Version + 1
			_, err = tx.PutComment(e.Org, comment, was)
			return err
		})
		switch {
		case err == nil:
			acknowledged = version
			commits.Add(1)
		case !errors.Is(err, redis.ErrUnavailable):
			t.Errorf("writing: %v", err)
			return acknowledged
		}
	}
}

// awaitServer waits until the server answers again.
func awaitServer(t *testing.T, s *store.Store) {
	t.Helper()
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for tick := time.NewTicker(10 * time.Millisecond); s.Ping(limited) != nil; <-tick.C {
		if limited.Err() != nil {
			t.Fatal("the server does not come back")
		}
	}
}
