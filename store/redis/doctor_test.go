package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

func TestDoctorVerdicts(t *testing.T) {
	t.Parallel()
	single, cluster := &Conn{Engine: Engine{Name: engineSingle}}, &Conn{Engine: Engine{Name: EngineCluster}}
	loose := &Conn{config: Config{AllowEviction: true, AllowLoss: true}}
	type facts = map[string]string
	none, snapshots := facts{"save": "", "appendfsync": "always"}, facts{"save": "3600 1", "appendfsync": "everysec"}
	cases := []struct {
		check Check
		want  Verdict
	}{
		{checkVersion(facts{"redis_version": "7.0.15"}), VerdictOK},
		{checkVersion(facts{"redis_version": "10.1.0"}), VerdictOK},
		{checkVersion(facts{"redis_version": "6.2.6"}), VerdictRefuse},
		{checkVersion(nil), VerdictRefuse},
		{single.checkMode(facts{"redis_mode": "standalone"}), VerdictOK},
		{single.checkMode(facts{"redis_mode": "cluster"}), VerdictRefuse},
		{cluster.checkMode(facts{"redis_mode": "standalone"}), VerdictRefuse},
		{checkRole(facts{"role": "slave"}), VerdictRefuse},
		{checkRole(facts{"role": "slave", "slave_read_only": "1"}), VerdictRefuse},
		{single.checkEviction(facts{"maxmemory": "0", "maxmemory_policy": "allkeys-lru"}), VerdictWarn},
		{single.checkEviction(facts{"maxmemory": "1", "maxmemory_policy": "volatile-ttl"}), VerdictRefuse},
		{single.checkEviction(facts{"maxmemory": "1", "maxmemory_policy": "noeviction"}), VerdictOK},
		{loose.checkEviction(facts{"maxmemory": "1", "maxmemory_policy": "allkeys-lfu"}), VerdictWarn},
		{checkMemory(facts{"used_memory": "94", "maxmemory": "100"}), VerdictOK},
		{checkMemory(facts{"used_memory": "98", "maxmemory": "100"}), VerdictWarn},
		{checkMemory(facts{"used_memory": "98", "maxmemory": "0", "total_system_memory": "100"}), VerdictWarn},
		{checkMemory(facts{"used_memory": "98", "maxmemory": "0"}), VerdictOK},
		{single.checkPersistence(facts{"aof_enabled": "1"}, none), VerdictOK},
		{single.checkPersistence(facts{"aof_enabled": "0"}, none), VerdictRefuse},
		{loose.checkPersistence(facts{"aof_enabled": "0"}, none), VerdictWarn},
		{single.checkPersistence(facts{"aof_enabled": "0"}, snapshots), VerdictWarn},
		{single.checkPersistence(facts{"aof_enabled": "0"}, nil), VerdictWarn},
		{checkSettings(none)[0], VerdictOK},
		{checkSettings(snapshots)[0], VerdictInfo},
		{checkSettings(facts{"save": "", "appendfsync": "no"})[0], VerdictWarn},
		{checkSettings(nil)[0], VerdictWarn},
		{checkDisk(facts{"aof_enabled": "1", "aof_last_write_status": "ok", "rdb_last_bgsave_status": "ok"}), VerdictOK},
		{checkDisk(facts{"aof_enabled": "1", "aof_last_write_status": "err"}), VerdictRefuse},
		{checkDisk(facts{"rdb_last_bgsave_status": "err"}), VerdictWarn},
		{single.checkReplicas(facts{"connected_slaves": "0"}), VerdictOK},
		{single.checkReplicas(facts{"connected_slaves": "1"}), VerdictWarn},
		{single.checkReplicas(facts{"connected_slaves": "1", "min_slaves_good_slaves": "1"}), VerdictOK},
		{cluster.checkReplicas(facts{"connected_slaves": "0"}), VerdictWarn},
		{cluster.checkReplicas(facts{"connected_slaves": "1"}), VerdictWarn},
		{cluster.checkReplicas(facts{"connected_slaves": "1", "min_slaves_good_slaves": "1"}), VerdictOK},
	}
	for i, c := range cases {
		if c.check.Verdict != c.want || (c.want != VerdictOK && c.check.Hint == "") {
			t.Errorf("case %d: %+v, want %s", i, c.check, c.want)
		}
	}
}

// TestHealthMergesChecks checks that checks with the same name are merged into the worst one, and that the overall verdict is
// the worst of all.
func TestHealthMergesChecks(t *testing.T) {
	t.Parallel()
	h := Health{warnCheck("a", "", ""), okCheck("b", "")}.with(infoCheck("a", "", ""), warnCheck("b", "", ""), okCheck("c", ""))
	if h.Code() != 1 || !slices.Equal(h.Reasons(), []string{"a", "b"}) || len(h) != 3 ||
		h.Problem() != "wsd serves, but somebody should do something: a, b" {
		t.Errorf("%+v", h)
	}
	h = h.with(refuseWritesCheck("b", "", ""))
	if h.Code() != 2 || !slices.Equal(h.Reasons(), []string{"b"}) || h.startError() != nil {
		t.Errorf("%+v %v", h, h.startError())
	}
	if h := (Health{okCheck("a", ""), infoCheck("b", "", "")}); h.Code() != 0 || len(h.Reasons()) != 0 || h.Problem() != "" {
		t.Errorf("%+v", h)
	}
	if h = h.with(temporaryRefusal("d", "", "", io.EOF)); !errors.Is(h.startError(), ErrUnavailable) {
		t.Errorf("it is not waited for: %v", h.startError())
	}
	if h = h.with(refuseCheck("e", "", "")); !errors.Is(h.startError(), ErrRefused) {
		t.Errorf("it is waited for: %v", h.startError())
	}
}

// TestErrorCheckClassifiesReplies checks that error replies of Redis map to checks, and to whether a starting node waits.
func TestErrorCheckClassifiesReplies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		name string
		then error // startup error
	}{
		"LOADING Redis is loading the dataset":  {"loading", ErrUnavailable},
		"READONLY You can't write":              {"role", ErrUnavailable},
		"NOREPLICAS Not enough good replicas":   {"replicas", ErrUnavailable},
		"CLUSTERDOWN The cluster is down":       {"cluster", ErrUnavailable},
		"OOM command not allowed":               {"memory", nil},
		"MISCONF Errors writing to the AOF":     {"disk", nil},
		"NOPERM this user has no permissions":   {"write", ErrRefused},
		"WRONGPASS invalid username-password":   {"write", ErrRefused},
		"ERR unknown command 'evalsha'":         {"write", ErrRefused},
		"MASTERDOWN Link with MASTER is down":   {"role", ErrUnavailable},
		"BUSY Redis is busy running a script.":  {"connection", ErrUnavailable},
		"TRYAGAIN Multiple keys request during": {"cluster", ErrUnavailable},
	} {
		check := errorCheck("write", fmt.Errorf("run: %w", replyError(text)), "hint")
		if err := (Health{check}).startError(); check.Name != want.name || check.Verdict != VerdictRefuse || !errors.Is(err, want.then) ||
			(err == nil) != (want.then == nil) {
			t.Errorf("%s: %+v, %v", text, check, err)
		}
	}
	if check := errorCheck("write", &net.OpError{Op: "dial", Err: io.EOF}, ""); check.Name != "connection" {
		t.Errorf("no network: %+v", check)
	}
}

// TestCanaryBacksOff checks that the canary backs off from a Redis that exited during its write; other failures may be over
// soon.
func TestCanaryBacksOff(t *testing.T) {
	t.Parallel()
	w := &watcher{canaryInterval: time.Second}
	now := time.Unix(1_700_000_000, 0)
	broke := &net.OpError{Op: "read", Err: io.EOF}
	for i, c := range []struct {
		err  error
		want time.Duration
	}{
		{nil, time.Second},
		{io.EOF, 2 * time.Second},
		{broke, 4 * time.Second},
		{io.EOF, 8 * time.Second},
		{io.EOF, 16 * time.Second},
		{io.EOF, 30 * time.Second},
		{io.EOF, 30 * time.Second},
		{nil, time.Second},
		{replyError("OOM"), time.Second},
		{&net.OpError{Op: "dial", Err: io.EOF}, time.Second},
		{context.DeadlineExceeded, time.Second},
		{io.EOF, 2 * time.Second},
	} {
		w.scheduleCanary(now, c.err)
		if got := w.nextCanary.Sub(now); got != c.want {
			t.Errorf("%d: after %v it waits %v, want %v", i, c.err, got, c.want)
		}
	}
}

// disk is a disk with adjustable free space.
type disk struct{ free, total int64 }

func (d *disk) space() (Space, error) { return Space{d.free, d.total}, nil }

// TestGateRefusesWritesNearReserve checks that the gate always passes reads, passes writes while free space exceeds the
// reserve, and passes writes that free space for longer.
func TestGateRefusesWritesNearReserve(t *testing.T) {
	t.Parallel()
	d := &disk{free: 1 << 20, total: 100 << 20}
	g := &gate{space: d.space, reserve: 64 << 10}
	sent := 0
	process := g.ProcessHook(func(context.Context, goredis.Cmder) error { sent++; return nil })
	send := func(ctx context.Context, args ...any) error { return process(ctx, goredis.NewCmd(ctx, args...)) }
	ctx := t.Context()
	big := make([]byte, 100<<10)
	for send(ctx, "set", "k", big) == nil && sent < 100 { // the gate counts the bytes written since the last measurement
		d.free -= writeAmplification * int64(len(big))
	}
	if sent != 4 || d.free < g.reserve {
		t.Errorf("%d writes, %d bytes left", sent, d.free)
	}
	d.free = 30 << 10
	g.measuredAt = time.Time{}
	for _, args := range [][]any{
		{"set", "k", "v"}, {"eval", "return 1", 0}, {"evalsha", "abc", 1, "k"}, {"unlink", "k"}, {"futurecommand"},
	} {
		if err := send(ctx, args...); !IsFull(err) || errors.Is(WrapCommit(ctx, err), ErrUnknown) {
			t.Errorf("%v: %v", args, err)
		}
	}
	for _, args := range [][]any{
		{"get", "k"}, {"eval", timeSource, 1, "k"}, {"evalsha", goredis.NewScript(generationSource).Hash(), 1, "k"},
	} {
		if err := send(ctx, args...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	if err := send(WithDryRun(ctx), "evalsha", "abc", 1, "k"); err != nil {
		t.Errorf("a rehearsal: %v", err)
	}
	if err := send(WithFreeingSpace(ctx), "unlink", "k"); err != nil {
		t.Errorf("freeing write: %v", err)
	}
	d.free = 10 << 10
	g.measuredAt = time.Time{}
	if err := send(WithFreeingSpace(ctx), "unlink", "k"); !IsFull(err) {
		t.Errorf("freeing write on a full disk: %v", err)
	}
	if check := g.checkDisk(); check.Verdict != VerdictRefuse || check.start != startReadOnly {
		t.Errorf("below the reserve: %+v", check)
	}
	d.free = 2 << 20
	if check := g.checkDisk(); check.Verdict != VerdictWarn {
		t.Errorf("at 98 %%: %+v", check)
	}
	d.free = 50 << 20
	g.measuredAt = time.Time{}
	if err := send(ctx, "set", "k", "v"); err != nil || g.checkDisk().Verdict != VerdictOK {
		t.Errorf("with free space: %v", err)
	}
}

// TestGateSendsReadsOfPipelines checks that the reads of a pipeline with writes are sent and that a transaction is not. After
// Redis has exited during a write, the canary is sent first.
func TestGateSendsReadsOfPipelines(t *testing.T) {
	t.Parallel()
	g := &gate{space: (&disk{free: 1 << 30, total: 2 << 30}).space, reserve: 1}
	g.exited.Store(true)
	sent := 0
	process := g.ProcessPipelineHook(func(_ context.Context, commands []goredis.Cmder) error { sent += len(commands); return nil })
	ctx := t.Context()
	get, set := goredis.NewCmd(ctx, "get", "k"), goredis.NewCmd(ctx, "set", "k", "v")
	if err := process(ctx, []goredis.Cmder{get, set}); !IsFull(err) || sent != 1 || get.Err() != nil || !IsFull(set.Err()) {
		t.Errorf("%v, %d sent, %v %v", err, sent, get.Err(), set.Err())
	}
	if err := process(ctx, []goredis.Cmder{goredis.NewCmd(ctx, "multi"), get, set, goredis.NewCmd(ctx, "exec")}); !IsFull(err) ||
		sent != 1 {
		t.Errorf("a transaction: %v, %d sent", err, sent)
	}
	if err := process(withCanary(ctx), []goredis.Cmder{set}); err != nil || sent != 2 {
		t.Errorf("the canary: %v", err)
	}
	g.exited.Store(false)
	if err := process(ctx, []goredis.Cmder{set}); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// TestFingerprintsDistinguishSecrets checks that fingerprints distinguish secrets by name and value and do not contain them.
func TestFingerprintsDistinguishSecrets(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range []Secret{
		{Name: "A", Value: []byte("x")}, {Name: "A", Value: []byte("y")}, {Name: "B", Value: []byte("x")},
	} {
		if f := s.Fingerprint(); seen[f] || len(f) != 64 || f != s.Fingerprint() {
			t.Errorf("%s: %s", s.Name, f)
		}
		seen[s.Fingerprint()] = true
	}
}
