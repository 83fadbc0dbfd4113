// Package storetest opens stores for tests, on the in-memory emulation and on a real server, each with its own key
// prefix and with a hook that fails the test when a command spans slots. It is imported by tests only.
package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RequireRedis is the environment variable that, set to 1, makes a test run without a server program fail instead of
// using the emulation only.
const RequireRedis = "WSD_REQUIRE_REDIS"

// ExtraURL is the environment variable with the address of an additional Redis to test, such as a Cluster. Its keys
// have unique prefixes.
const ExtraURL = "WSD_TEST_REDIS_URL"

// Engine is a Redis, real or emulated, on which tests run.
type Engine struct {
	Name string
	url  string // "" = memory
}

// Memory returns the in-process emulation.
func Memory() Engine { return Engine{Name: "memory"} }

// Server returns the engine of a running Redis.
func Server(name, url string) Engine { return Engine{Name: name, url: url} }

// Suite is the set of engines of a test binary.
type Suite struct{ engines []Engine }

// Deployment starts an additional Redis to test with its data below a directory.
type Deployment func(ctx context.Context, directory string) (engine Engine, stop func(), err error)

// OnCluster starts a Cluster (see StartCluster).
func OnCluster(ctx context.Context, directory string) (Engine, func(), error) {
	c, err := StartCluster(ctx, directory)
	if err != nil {
		return Engine{}, nil, err
	}
	return Server("cluster", c.URL()), c.Close, nil
}

// OnSentinel starts a master with a replica monitored by sentinels (see StartSentinel).
func OnSentinel(ctx context.Context, directory string) (Engine, func(), error) {
	s, err := StartSentinel(ctx, directory)
	if err != nil {
		return Engine{}, nil, err
	}
	return Server("sentinel", s.URL()), s.Close, nil
}

// Main starts a server for the test binary if a server program is on PATH, and the deployments, calls run with the
// suite, and returns the exit status for os.Exit. Under -short it uses the emulation only.
func Main(run func(*Suite) int, deployments ...Deployment) int {
	debug.SetGCPercent(400) // tests discard most of their memory: garbage collection took a third of their time
	// Tests wait for the server half of the time. The command line is parsed later and takes precedence.
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // the flag is defined by testing
	suite := &Suite{engines: []Engine{Memory()}}
	if flag.Parse(); testing.Short() {
		return run(suite)
	}
	if url := os.Getenv(ExtraURL); url != "" {
		suite.engines = append(suite.engines, Server("url", url))
	}
	if !isServerInstalled() {
		fmt.Println("redis-server not found: the contract suite runs on miniredis only")
		if os.Getenv(RequireRedis) == "1" {
			fmt.Println(RequireRedis + "=1: failing")
			return 1
		}
		return run(suite)
	}
	directory, err := os.MkdirTemp("", "wsd-storetest-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(directory) }() // the tests are over
	child, err := store.Open(context.Background(), store.Config{DataDir: directory, Appendfsync: "no"})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	suite.engines = append(suite.engines, Server("redis", child.Describe().URL))
	stop, err := suite.deploy(directory, deployments)
	defer stop()
	if err != nil {
		fmt.Println(errors.Join(err, child.Close()))
		return 1
	}
	status := run(suite)
	if err := child.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return status
}

// deploy starts deployments concurrently.
func (s *Suite) deploy(directory string, deployments []Deployment) (stop func(), err error) {
	engines, stops := make([]Engine, len(deployments)), make([]func(), len(deployments))
	failures := make([]error, len(deployments))
	var group sync.WaitGroup
	for i, start := range deployments {
		group.Go(func() {
			engines[i], stops[i], failures[i] = start(context.Background(), filepath.Join(directory, strconv.Itoa(i)))
		})
	}
	group.Wait()
	s.engines = append(s.engines, engines...)
	return func() {
		for _, stop := range stops {
			if stop != nil {
				stop()
			}
		}
	}, errors.Join(failures...)
}

// HasServer reports whether tests may and can run Redis servers. It returns false under -short.
func HasServer() bool { return !testing.Short() && isServerInstalled() }

// isServerInstalled reports whether a server program is on PATH.
func isServerInstalled() bool {
	_, err := redis.FindServer()
	return err == nil
}

// NeedServer must be called by tests before they run their own Redis servers. It skips the test if they may not or
// cannot; with WSD_REQUIRE_REDIS=1 a missing program is a failure.
func NeedServer(tb testing.TB) {
	tb.Helper()
	switch {
	case testing.Short():
		tb.Skip("-short runs no Redis server")
	case isServerInstalled():
	case os.Getenv(RequireRedis) == "1":
		tb.Fatal(RequireRedis + "=1, but redis-server is not on PATH")
	default:
		tb.Skip("redis-server is not on PATH")
	}
}

// Engines returns the engines of the suite, the emulation first.
func (s *Suite) Engines() []Engine { return s.engines }

// Each runs a test on the engines in parallel. If there is a real server, the emulation runs a fixed subset of the
// tests, and all of them in make campaign NAME=engines.
func (s *Suite) Each(t *testing.T, test func(t *testing.T, engine Engine)) {
	t.Helper()
	for _, engine := range s.engines {
		if engine.url == "" && len(s.engines) > 1 && !runsOnEmulation(t.Name()) {
			continue
		}
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// emulationRate is the inverse share of tests that also run on the emulation.
const emulationRate = 4

// runsOnEmulation reports whether a test that runs on a real server also runs on the emulation.
func runsOnEmulation(test string) bool {
	if os.Getenv(campaignVariable) == "engines" {
		return true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(test)) // a hash returns no error
	return h.Sum32()%emulationRate == 0
}

// Open opens an in-memory store for one test.
func Open(t *testing.T, change ...func(*store.Config)) *store.Store {
	t.Helper()
	return Memory().Open(t, change...)
}

// Open opens a store on the engine for one test, with a unique prefix unless change sets one. When the test ends, the
// store is closed, the test fails if there are keys outside the catalogue, and keys with a unique prefix are removed.
func (e Engine) Open(t *testing.T, change ...func(*store.Config)) *store.Store {
	t.Helper()
	own := txn.NewIDGenerator(time.Now).New("test-") + ":"
	config := store.Config{URL: e.url, Memory: e.url == "", Prefix: own, AllowLoss: true}
	config.Hooks = append(config.Hooks, SingleSlotHook(t))
	for _, apply := range change {
		apply(&config)
	}
	s, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatalf("open store on %s: %v", e.Name, err)
	}
	opened := s
	t.Cleanup(func() {
		finish(t, opened, e.url != "" && config.Prefix == own)
		opened = nil // cleanups are retained after the test and would keep the store in memory
	})
	return s
}

// finish checks the keys, removes them if the prefix is unique, and closes the store.
func finish(t *testing.T, s *store.Store, own bool) {
	unknown, err := s.UnknownKeys(context.Background()) // t.Context is done
	if err != nil {
		t.Errorf("scan: %v", err)
	}
	if len(unknown) > 0 {
		t.Errorf("keys that are not in the catalogue: %q", unknown)
	}
	if own {
		if err := s.Clear(context.Background()); err != nil {
			t.Errorf("clear: %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// Dump returns the contents of a store (see store.Store.Dump).
func Dump(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	dump, err := s.Dump(t.Context())
	if err != nil {
		t.Fatalf("dump: %v", err)
	}
	return dump
}

// StreamLength returns the number of entries of a stream, given its name without prefix.
func StreamLength(t *testing.T, s *store.Store, name string) int {
	t.Helper()
	return len(Stream(t, s, redis.NamedKey(redis.StreamKind, name)))
}

// Stream returns the fields of the entries of a stream by id.
func Stream(t *testing.T, s *store.Store, stream redis.Key) map[string]map[string]string {
	t.Helper()
	b := s.NewBatch()
	type entryList = []goredis.XMessage
	found := txn.Queue(b, stream, redis.StreamKind, func(ctx context.Context, name string) (goredis.Cmder, func() (entryList, bool)) {
		cmd := b.Pipe.XRange(ctx, name, "-", "+")
		return cmd, func() (entryList, bool) { return cmd.Val(), true }
	})
	if err := b.Do(t.Context()); err != nil {
		t.Fatalf("read %s: %v", stream, err)
	}
	entries := map[string]map[string]string{}
	for _, entry := range found.Value() {
		fields := map[string]string{}
		for name, value := range entry.Values {
			fields[name] = fmt.Sprint(value)
		}
		entries[entry.ID] = fields
	}
	return entries
}

// URL returns the address of the engine's server; "" = memory.
func (e Engine) URL() string { return e.url }
