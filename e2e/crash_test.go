package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// TestOperationsSurviveKillAtEveryFailpointCampaign kills wsd before and after each call to Redis that an operation
// makes. The full campaign covers all failpoints of all operations; the sample covers each failpoint once and one
// percent of the rest. A restarted wsd must show the state before or after the operation, the repeated request must
// lead to the latter, and fsck finds nothing.
//
//nolint:tparallel // the group ends before its kills are counted
func TestOperationsSurviveKillAtEveryFailpointCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	percent, seed := storetest.LongCampaign(t, "kills", 1, 100)
	l := newCrashTester(t)
	l.sampler = newSampler(percent, seed)
	t.Run("operations", func(t *testing.T) {
		for name, op := range l.fixture.operations() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l.killAtEveryFailpoint(t, op)
			})
		}
	})
	var never []string
	for _, place := range failpoints(t) {
		if name, _, _ := strings.Cut(place, ".before"); !slices.Contains(l.reachedFailpoints, place) &&
			!slices.Contains(unreachedFailpoints, strings.TrimSuffix(name, ".after")) {
			never = append(never, place)
		}
	}
	t.Logf("killed %d times at %d different places", l.kills.Load(), len(slices.Compact(slices.Sorted(slices.Values(l.killPoints)))))
	if len(never) > 0 {
		t.Errorf("places that no operation came to: %v", never)
	}
}

// unreachedFailpoints lists the failpoints that no operation reaches on a single Redis: the outbox and the wait for replicas
// need a Cluster, and others belong to a repair, to the job scan of every ten minutes, to the first start, or to the
// purge of an organization, which TestInterruptedPurgeResumes of server/app/lifecycle covers.
var unreachedFailpoints = []string{
	"confirm", "ground", "heads.read", "objects.again", "objects.lose", "objects.scan", "outbox.list", "outbox.read", "registry",
	"schema.write", "secret.write", "unlink",
}

// failpoints returns the failpoints in the source of the store.
func failpoints(t *testing.T) []string {
	t.Helper()
	named := regexp.MustCompile(`(?:FailBefore\(|Execute\([^,]+, )"([a-z.]+)"`)
	var found []string
	err := filepath.WalkDir(filepath.Join(root, "store"), func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		for _, match := range named.FindAllStringSubmatch(string(source), -1) {
			found = append(found, match[1]+".before", match[1]+".after")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) < 30 {
		t.Fatalf("only %d places found: %v", len(found), found)
	}
	return found
}

// crashTester is a Redis with a fixture in database 0. Every experiment gets a copy in another database.
type crashTester struct {
	server   *storetest.Redis
	program  string
	fixture  *fixture
	keys     []string // of the fixture
	baseline string   // view of the unchanged fixture
	database atomic.Int64
	kills    atomic.Int64

	sampler *sampler // selects the failpoints

	mu                sync.Mutex
	reachedFailpoints []string // failpoints that operations reached
	killPoints        []string
}

// sampler selects each new name, and a percentage of the repeated ones.
type sampler struct {
	mu      sync.Mutex
	seen    map[string]bool
	percent int
	random  *rand.Rand
}

func newSampler(percent int, seed uint64) *sampler {
	return &sampler{seen: map[string]bool{}, percent: percent, random: rand.New(rand.NewPCG(seed, 0))}
}

func (c *sampler) selects(what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.seen[what]
	c.seen[what] = true
	return c.random.IntN(100) < c.percent || first
}

const maxDatabases = 4096

func newCrashTester(t *testing.T) *crashTester {
	t.Helper()
	program, err := failpointBinary()
	if err != nil {
		t.Fatal(err)
	}
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "no", "--save", "36000 1", "--databases",
		fmt.Sprint(maxDatabases))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	l := &crashTester{server: server, program: program}
	client := newRedisClient(t, server.Addr, 0)
	l.fixture = newFixture(t, l.host(0), client)
	used, err := client.Keys(t.Context(), "wsd:*:used:*").Result() // these keys are written at most once a minute
	if err != nil || client.Del(t.Context(), used...).Err() != nil {
		t.Fatalf("%v %v", used, err)
	}
	if l.keys, err = client.Keys(t.Context(), "*").Result(); err != nil {
		t.Fatal(err)
	}
	l.baseline = l.view(t, l.host(l.copy(t)))
	return l
}

// host returns a host whose data is in the database.
func (l *crashTester) host(database int) host {
	return newHost(l.program, fmt.Sprintf("%s/%d", l.server.URL(), database))
}

// copy copies the fixture to a new database.
func (l *crashTester) copy(t *testing.T) (database int) {
	t.Helper()
	database = int(l.database.Add(1))
	if database >= maxDatabases {
		t.Fatal("no databases are left")
	}
	pipe := newRedisClient(t, l.server.Addr, 0).Pipeline()
	for _, key := range l.keys {
		pipe.Copy(t.Context(), key, key, database, false)
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	return database
}

// view returns the view of the fixture on a host.
func (l *crashTester) view(t *testing.T, h host) string {
	t.Helper()
	n := h.mustServe(t)
	defer n.stop(t)
	return n.newPerson(l.fixture.token).view(t, l.fixture.organization)
}

// experiment is one operation on one copy of the fixture.
type experiment struct {
	*crashTester

	op     operation
	host   host
	client *redis.Client
}

func (l *crashTester) newExperiment(t *testing.T, op operation) experiment {
	t.Helper()
	database := l.copy(t)
	x := experiment{l, op, l.host(database), newRedisClient(t, l.server.Addr, database)}
	x.op.request.key = "once"
	if op.prepare != nil {
		op.prepare(t, x.client, l.fixture)
	}
	return x
}

// killAtEveryFailpoint runs an operation once to record its failpoints, and then kills it at each of them.
func (l *crashTester) killAtEveryFailpoint(t *testing.T, op operation) {
	earlier, hits, after := l.record(t, op)
	if op.readOnly && after != l.baseline {
		t.Fatalf("something changed (-before +after):\n%s", cmp.Diff(l.baseline, after))
	} else if !op.readOnly && after == l.baseline {
		t.Fatal("nothing changed")
	}
	for _, place := range slices.Compact(slices.Sorted(slices.Values(hits))) {
		l.mu.Lock()
		l.reachedFailpoints = append(l.reachedFailpoints, place)
		l.mu.Unlock()
		if !l.sampler.selects(place) {
			continue
		}
		n := 1
		for _, hit := range earlier {
			if hit == place {
				n++
			}
		}
		l.kill(t, op, fmt.Sprintf("%s:%d", place, n), after)
		l.mu.Lock()
		l.killPoints = append(l.killPoints, place)
		l.mu.Unlock()
	}
}

// record returns the failpoints reached before and during an operation, and the view after it.
func (l *crashTester) record(t *testing.T, op operation) (earlier, hits []string, after string) {
	t.Helper()
	x := l.newExperiment(t, op)
	log := filepath.Join(t.TempDir(), "hits")
	h := x.host.withEnvironment("WSD_FAILPOINT_LOG=" + log)
	if op.command != nil {
		if _, err := h.run(t, op.command...); err != nil {
			t.Fatal(err)
		}
	} else {
		n := h.mustServe(t)
		p := n.newPerson(l.fixture.token)
		if op.warmUp != nil {
			if err := op.warmUp(t, p, x.client, l.fixture); err != nil {
				t.Fatal(err)
			}
		}
		earlier = readHits(t, log)
		if status, answer, err := p.send(t.Context(), x.op.request); err != nil || status >= http.StatusBadRequest {
			t.Fatalf("%d %v %v", status, answer, err)
		}
		n.stop(t)
	}
	return earlier, readHits(t, log)[len(earlier):], l.view(t, x.host)
}

func readHits(t *testing.T, log string) []string {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// kill kills wsd at a failpoint and checks the data that remains.
func (l *crashTester) kill(t *testing.T, op operation, place, after string) {
	t.Helper()
	x := l.newExperiment(t, op)
	x.crash(t, x.host.withEnvironment("WSD_FAILPOINT="+place))
	l.kills.Add(1)
	if op.command != nil {
		if out, err := x.host.run(t, op.command...); err != nil {
			t.Errorf("%s: again: %v\n%s", place, err, out)
		}
		if got := l.view(t, x.host); got != l.baseline {
			t.Errorf("%s: afterwards (-want +got):\n%s", place, cmp.Diff(l.baseline, got))
		}
		x.host.fsck(t)
		return
	}
	n := x.host.mustServe(t)
	p := n.newPerson(l.fixture.token)
	if got := p.view(t, l.fixture.organization); got != l.baseline && got != after {
		t.Errorf("%s: neither the old state nor the new (-old +got):\n%s\n(-new +got):\n%s", place, cmp.Diff(l.baseline, got),
			cmp.Diff(after, got))
	}
	x.host.fsck(t)
	if status, answer, err := p.send(t.Context(), x.op.request); err != nil || status >= http.StatusBadRequest {
		t.Errorf("%s: again: %d %v %v", place, status, answer, err)
	}
	if got := p.view(t, l.fixture.organization); got != after {
		t.Errorf("%s: after the same request again (-want +got):\n%s", place, cmp.Diff(after, got))
	}
	n.stop(t)
}

// crash runs the operation on a host with a failpoint, which must kill wsd.
func (x experiment) crash(t *testing.T, h host) {
	t.Helper()
	if x.op.command != nil {
		if _, err := h.run(t, x.op.command...); err == nil || !strings.Contains(err.Error(), "signal: killed") {
			t.Errorf("%s was not killed: %v", x.op.command, err)
		}
		return
	}
	n, err := h.serve(t)
	if errors.Is(err, errExitedEarly) {
		t.Logf("a job came to the place before the operation: %v", err)
		return
	} else if err != nil {
		t.Fatal(err)
	}
	p := n.newPerson(x.fixture.token)
	if x.op.warmUp != nil {
		if err := x.op.warmUp(t, p, x.client, x.fixture); err != nil { // concurrent work may reach the failpoint first
			t.Logf("wsd came to the place before the operation: %v", err)
		}
	}
	_, _, _ = p.send(t.Context(), x.op.request) // the connection breaks
	n.wantKilled(t)
}
