package e2e

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
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
// makes. The full campaign covers all calls of all operations; the sample covers each failpoint once, before or after the call
// and in one operation, as the seed selects, and one percent of the rest. A restarted wsd must show the state before or after
// the operation, the repeated request must lead to the latter, and fsck finds nothing. In the sample, too, every failpoint in
// the source must be reached: all operations are run once without a kill.
//
//nolint:tparallel // the groups end before their results are used
func TestOperationsSurviveKillAtEveryFailpointCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	percent, seed := storetest.LongCampaign(t, "kills", 1, 100)
	l := newCrashTester(t)
	var mu sync.Mutex
	recordings := map[string]*recording{}
	t.Run("recordings", func(t *testing.T) {
		for name, op := range l.fixture.operations() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := l.record(t, op)
				mu.Lock()
				defer mu.Unlock()
				recordings[name] = r
			})
		}
	})
	if t.Failed() {
		return
	}
	if never := unreached(t, recordings); len(never) > 0 {
		t.Errorf("places that no operation came to: %v", never)
	}
	selected := selectKills(recordings, percent, seed)
	t.Run("kills", func(t *testing.T) {
		for _, k := range selected {
			t.Run(k.operation+"/"+k.place, func(t *testing.T) {
				t.Parallel()
				l.kill(t, recordings[k.operation], k.place)
			})
		}
	})
	t.Logf("killed %d times; %d kills left the data as it was", len(selected), l.unchanged.Load())
}

// selectedKill is a kill of an operation where it reaches a place for the first time.
type selectedKill struct{ operation, place string }

// selectKills returns one kill at each failpoint that an operation reached, before or after the call, and a percentage of the
// others. Those of concurrent jobs, which unreachedFailpoints lists, are left out.
func selectKills(recordings map[string]*recording, percent int, seed uint64) (selected []selectedKill) {
	kills := map[string][]selectedKill{} // by failpoint
	for _, operation := range slices.Sorted(maps.Keys(recordings)) {
		for _, place := range slices.Compact(slices.Sorted(slices.Values(recordings[operation].hits))) {
			if !slices.Contains(unreachedFailpoints, failpointOf(place)) {
				kills[failpointOf(place)] = append(kills[failpointOf(place)], selectedKill{operation, place})
			}
		}
	}
	for name, candidates := range kills {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(name)) // what other failpoints were reached has no influence
		random := rand.New(rand.NewPCG(seed, hash.Sum64()))
		one := random.IntN(len(candidates))
		for i, k := range candidates {
			if i == one || random.IntN(100) < percent {
				selected = append(selected, k)
			}
		}
	}
	return selected
}

// failpointOf returns the failpoint of a place before or after a call.
func failpointOf(place string) string {
	return strings.TrimSuffix(strings.TrimSuffix(place, ".before"), ".after")
}

// unreached returns the places in the source that an operation should reach and that none reached.
func unreached(t *testing.T, recordings map[string]*recording) (never []string) {
	t.Helper()
	reached := map[string]bool{}
	for _, r := range recordings {
		for _, place := range r.hits {
			reached[place] = true
		}
	}
	for _, place := range places(t) {
		if !reached[place] && !slices.Contains(unreachedFailpoints, failpointOf(place)) {
			never = append(never, place)
		}
	}
	return never
}

// unreachedFailpoints lists the failpoints that no operation reaches on a single Redis: the outbox and the wait for replicas
// need a Cluster, and others belong to a repair, to the job scan of every ten minutes, to the first start, or to the
// purge of an organization, which TestInterruptedPurgeResumes of server/app/lifecycle covers.
var unreachedFailpoints = []string{
	"confirm", "due.read", "ground", "heads.read", "objects.again", "objects.lose", "objects.scan", "outbox.list", "outbox.read",
	"registry", "schema.write", "secret.write", "unlink",
}

// places returns the places before and after the calls that have a failpoint in the source of the store.
func places(t *testing.T) []string {
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
	server    *storetest.Redis
	program   string
	fixture   *fixture
	keys      []string // of the fixture
	baseline  string   // view of the unchanged fixture
	database  atomic.Int64
	unchanged atomic.Int64 // kills that left the data as it was
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

// host returns a host whose data is in the database. Its processes end before garbage matters, whose collection is a fifth of
// what they cost.
func (l *crashTester) host(database int) host {
	return newHost(l.program, fmt.Sprintf("%s/%d", l.server.URL(), database)).withEnvironment(
		"WSD_ENCRYPTION_KEY="+encryptionKey, "GOGC=off")
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
	host   host // runs the operation
	later  host // runs afterwards
	client *redis.Client
}

func (l *crashTester) newExperiment(t *testing.T, op operation) experiment {
	t.Helper()
	database := l.copy(t)
	h := l.host(database)
	x := experiment{
		crashTester: l, op: op, host: h.withEnvironment(op.environment...), later: h.withEnvironment(op.laterEnvironment...),
		client: newRedisClient(t, l.server.Addr, database),
	}
	x.op.request.key = "once"
	if op.prepare != nil {
		op.prepare(t, x.client, l.fixture)
	}
	if op.first != nil {
		if _, err := x.host.run(t, op.first...); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// data returns the serialized values of all keys, except those that any wsd may write at any time: the clocks, the list of
// serving nodes, and when a token was used last.
func (x experiment) data(t *testing.T) map[string]string {
	t.Helper()
	names, err := x.client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	pipe, values := x.client.Pipeline(), map[string]*redis.StringCmd{}
	for _, name := range names {
		if name != "wsd:clocks" && name != "wsd:nodes" && !strings.Contains(name, ":used:") && !strings.HasSuffix(name, ":seen") {
			values[name] = pipe.Dump(t.Context(), name)
		}
	}
	if _, err := pipe.Exec(t.Context()); err != nil && !errors.Is(err, redis.Nil) { // a key may expire
		t.Fatal(err)
	}
	data := map[string]string{}
	for name, value := range values {
		data[name] = value.Val()
	}
	return data
}

// recording is a run of an operation without a kill.
type recording struct {
	experiment

	earlier, hits []string          // failpoints reached before and during the operation
	before        map[string]string // data of before the operation
	changed       bool              // the operation changed data

	mu     sync.Mutex
	viewed string // result of after
}

// record runs an operation.
func (l *crashTester) record(t *testing.T, op operation) *recording {
	t.Helper()
	x := l.newExperiment(t, op)
	log := filepath.Join(t.TempDir(), "hits")
	h := x.host.withEnvironment("WSD_FAILPOINT_LOG=" + log)
	r := &recording{experiment: x, before: x.data(t)}
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
		r.before, r.earlier = x.data(t), readHits(t, log)
		if status, answer, err := p.send(t.Context(), x.op.request); err != nil || status >= http.StatusBadRequest {
			t.Fatalf("%d %v %v", status, answer, err)
		}
		n.stop(t)
	}
	r.hits = readHits(t, log)[len(r.earlier):]
	if r.changed = !maps.Equal(r.before, x.data(t)); !r.changed && !op.readOnly {
		t.Fatal("nothing changed")
	}
	return r
}

func readHits(t *testing.T, log string) []string {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// after returns the view after the operation.
func (r *recording) after(t *testing.T) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.changed {
		return r.baseline
	}
	if r.viewed == "" {
		r.viewed = r.view(t, r.later)
		if r.op.readOnly && r.viewed != r.baseline {
			t.Fatalf("something changed (-before +after):\n%s", cmp.Diff(r.baseline, r.viewed))
		} else if !r.op.readOnly && r.viewed == r.baseline {
			t.Fatal("no change is visible")
		}
	}
	return r.viewed
}

// kill kills wsd where an operation reaches a place for the first time, and checks the data that remains. If that is the
// data of before the operation, nothing is left to check: the recording began with it.
func (l *crashTester) kill(t *testing.T, r *recording, place string) {
	t.Helper()
	n := 1
	for _, hit := range r.earlier {
		if hit == place {
			n++
		}
	}
	x := l.newExperiment(t, r.op)
	before := x.data(t)
	x.crash(t, x.host.withEnvironment(fmt.Sprintf("WSD_FAILPOINT=%s:%d", place, n)))
	switch data := x.data(t); {
	case maps.Equal(data, before), maps.Equal(data, r.before):
		l.unchanged.Add(1)
	case r.op.command != nil:
		x.repeatCommand(t, r)
	default:
		x.repeatRequest(t, r)
	}
}

// repeatCommand repeats a command that was killed, and checks the result.
func (x experiment) repeatCommand(t *testing.T, r *recording) {
	t.Helper()
	if x.op.online {
		if got := x.view(t, x.host); got != x.baseline {
			t.Errorf("before the repetition (-want +got):\n%s", cmp.Diff(x.baseline, got))
		}
		x.host.fsck(t)
	}
	if _, err := x.host.run(t, x.op.command...); err != nil {
		t.Errorf("again: %v", err)
	}
	if x.op.idle != "" {
		if out, err := x.host.run(t, x.op.command...); err != nil || !strings.Contains(out, x.op.idle) {
			t.Errorf("the second repetition still has something to do: %v\n%s", err, out)
		}
	}
	if got, want := x.view(t, x.later), r.after(t); got != want {
		t.Errorf("afterwards (-want +got):\n%s", cmp.Diff(want, got))
	}
	x.later.fsck(t)
}

// repeatRequest checks what a wsd shows after another one was killed, and repeats the request.
func (x experiment) repeatRequest(t *testing.T, r *recording) {
	t.Helper()
	n, after := x.host.mustServe(t), r.after(t)
	p := n.newPerson(x.fixture.token)
	if got := p.view(t, x.fixture.organization); got != x.baseline && got != after {
		t.Errorf("neither the old state nor the new (-old +got):\n%s\n(-new +got):\n%s", cmp.Diff(x.baseline, got),
			cmp.Diff(after, got))
	}
	x.host.fsck(t)
	if status, answer, err := p.send(t.Context(), x.op.request); err != nil || status >= http.StatusBadRequest {
		t.Errorf("again: %d %v %v", status, answer, err)
	}
	if got := p.view(t, x.fixture.organization); got != after {
		t.Errorf("after the same request again (-want +got):\n%s", cmp.Diff(after, got))
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
