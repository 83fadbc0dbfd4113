package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"
)

// Config says which Redis a Store runs on, and how.
type Config struct {
	// URL of a Redis (see ParseURL). Without it and without Memory, a server
	// program found on PATH is run as a child with its data in DataDir.
	URL     string
	DataDir string
	// Memory runs on an emulation inside the process: its data ends with it.
	Memory bool
	// Emulation is the one to share with other stores; nil = one of its own.
	Emulation *miniredis.Miniredis

	Prefix      string                 // of every key; default "wsd:"
	Clock       Clock                  // default time.Now
	Time        Clock                  // in place of the time of Redis (see time.go), for tests; default that of Redis, or Clock where that is set
	IDs         IDs                    // default NewIDs(Clock)
	CacheBytes  int                    // budget of objects in memory; default 64 MiB, negative = none
	ShapeBytes  int                    // budget of the models of organizations in memory; default 256 MiB
	Appendfsync string                 // of the child: "always" (default), "everysec" or "no"
	Model       func(org string) Model // makes the model of an organization's shape
	Logger      *slog.Logger           // default: nothing is logged
	Quota       Quota                  // of an organization that has none of its own; default: no limit
	KeptAnswer  int                    // bytes of an answer up to which it is kept for a repeated request; default 8 KiB
	Hooks       []goredis.Hook         // see every command; for tests and metrics
	// Attach uses the Redis that another process runs on DataDir, instead of
	// failing with ErrLocked: what commands beside a serving process do.
	Attach bool
	// OutboxBytes is what the commits of an organization may carry until the
	// replicas of a Cluster hold it (see outbox.go); default 64 MiB.
	OutboxBytes int
	// ReplicaWait is how long they are waited for; default 2 s.
	ReplicaWait time.Duration
	// Waiting makes Open wait, as long as its context lets it, for a Redis that is
	// not there or not ready yet. It is told why, and again when that changes.
	Waiting func(cause error)
	// AllowEviction runs on a Redis that may delete parts of documents.
	AllowEviction bool
}

// Store is one open database. It is safe for concurrent use.
type Store struct {
	client  goredis.UniversalClient
	prefix  string
	clock   Clock
	ids     IDs
	logger  *slog.Logger
	engine  Engine
	commit  *goredis.Script
	unclaim *goredis.Script
	lease   *goredis.Script
	extend  *goredis.Script
	settle  *goredis.Script
	// of objects: see sizes.go
	putScript, measureScript, dropScript *goredis.Script
	quota                                Quota
	keptAnswer                           int
	cache                                *cache
	codec                                *codec
	locks                                locks
	node                                 string // names this process in operation ids
	ops                                  atomic.Uint64
	// registered saves trips: see Tx.ScheduleOnce.
	registered registered
	evict      bool
	fenced     bool // generations can be told apart
	topology   topology
	// carryAll: every commit carries its objects, in tests.
	carryAll    bool
	outboxMax   int
	replicaWait time.Duration
	// told is the time that stands for that of Redis; nil = Redis itself is asked.
	told     Clock
	stop     func() error // ends what Open started
	closing  sync.Once
	hopeless func() error // says why waiting for Redis is of no use

	newModel func(org string) Model
	shapes   *shapeCache
}

// Engine describes what a Store runs on.
type Engine struct {
	Name    string // "redis", "redis sentinel", "redis cluster", "redis-server child" or "memory"
	Where   string // address without credentials, directory, or ""
	Durable bool   // whether data outlives this process
	URL     string // of a child, for other programs of this user; else ""
}

// The names of engines; a child is named after its program.
const (
	engineSingle   = "redis"
	engineSentinel = "redis sentinel"
	engineCluster  = "redis cluster"
	engineMemory   = "memory"
)

// String says it in one line.
func (e Engine) String() string {
	where, durable := "", "data outlives this process"
	if e.Where != "" {
		where = " at " + e.Where
	}
	if !e.Durable {
		durable = "in memory, gone at exit"
	}
	return e.Name + where + " (" + durable + ")"
}

const (
	defaultCache  = 64 << 20
	defaultShapes = 256 << 20
)

// Open connects to Redis, or starts one, checks it and returns the Store.
// Errors: ErrRefused (see Doctor), ErrUnavailable, ErrNoServer, ErrLocked.
func Open(ctx context.Context, config Config) (*Store, error) {
	s, err := newStore(config)
	if err != nil {
		return nil, err
	}
	if err := s.connect(ctx, config); err != nil {
		s.codec.close()
		return nil, err
	}
	for _, hook := range config.Hooks {
		s.client.AddHook(hook)
	}
	if err := s.await(ctx, config.Waiting); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newStore applies the defaults.
func newStore(config Config) (*Store, error) {
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	s := &Store{
		prefix: config.Prefix, clock: config.Clock, ids: config.IDs, logger: config.Logger,
		newModel: config.Model, evict: config.AllowEviction,
		codec: codec, commit: newCommit(), unclaim: newUnclaim(),
		lease: goredis.NewScript(leaseSource), extend: goredis.NewScript(extendSource), settle: newSettle(),
		putScript: newPut(), measureScript: newMeasure(), dropScript: newDrop(), quota: config.Quota, keptAnswer: cmp.Or(config.KeptAnswer, defaultKeptAnswer),
		told: config.Time, hopeless: func() error { return nil },
	}
	if s.prefix == "" {
		s.prefix = "wsd:"
	}
	if strings.ContainsAny(s.prefix, "{}") {
		return nil, misuse("prefix %q has a brace", s.prefix)
	}
	if s.told == nil {
		s.told = config.Clock
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.ids == nil {
		s.ids = NewIDs(s.clock)
	}
	if s.outboxMax = config.OutboxBytes; s.outboxMax == 0 {
		s.outboxMax = defaultOutbox
	}
	if s.replicaWait = config.ReplicaWait; s.replicaWait == 0 {
		s.replicaWait = defaultReplicaWait
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.newModel == nil {
		s.newModel = func(string) Model { return noModel{} }
	}
	budget := config.CacheBytes
	if budget == 0 {
		budget = defaultCache
	}
	s.cache = newCache(budget)
	s.shapes = newShapeCache(cmp.Or(config.ShapeBytes, defaultShapes))
	s.node = s.ids.New("")
	return s, nil
}

// noModel is the model of a store that nobody asks about shapes.
type noModel struct{}

func (noModel) Apply(string, []byte) {}
func (noModel) Reset()               {}
func (noModel) Size() int            { return 0 }

// connect makes the client of the configured way to run.
func (s *Store) connect(ctx context.Context, config Config) error {
	switch {
	case config.Memory:
		return s.connectMemory(config.Emulation)
	case config.URL == "":
		return s.connectChild(ctx, config)
	}
	options, err := ParseURL(config.URL)
	if err != nil {
		return err
	}
	s.engine = Engine{Name: engineSingle, Where: strings.Join(options.Addrs, ","), Durable: true}
	switch {
	case options.IsClusterMode:
		s.engine.Name = engineCluster
	case options.MasterName != "":
		s.engine.Name = engineSentinel
	}
	s.client = newClient(options)
	s.stop = s.client.Close
	return nil
}

// Describe says what the store runs on and whether data outlives the process.
func (s *Store) Describe() Engine { return s.engine }

// Close ends the connections and the child, if there is one. Closing again does
// nothing.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		s.codec.close()
		if err = s.stop(); err != nil {
			err = fmt.Errorf("store: close: %w", err)
		}
	})
	return err
}

// Ping asks whether Redis answers.
func (s *Store) Ping(ctx context.Context) error {
	return wrap(ctx, s.client.Ping(ctx).Err())
}

// NewID makes an identifier outside a transaction.
func (s *Store) NewID(prefix string) string { return s.ids.New(prefix) }

// Now is the time of the store's clock, in UTC with milliseconds.
func (s *Store) Now() time.Time { return s.now() }

func (s *Store) now() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// nextOp names one commit: no two are alike within the time that they are
// remembered.
func (s *Store) nextOp() string {
	return s.node + "-" + strconv.FormatUint(s.ops.Add(1), 36)
}
