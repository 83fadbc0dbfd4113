package redis

import (
	"cmp"
	"context"
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

// Clock returns the current time: time.Now, or a fixed time in tests.
type Clock func() time.Time

// Config configures a Conn. Fields without a comment are those of store.Config.
type Config struct {
	URL         string
	TLS         TLSFiles
	DataDir     string
	Memory      bool
	Emulation   *miniredis.Miniredis
	Prefix      string
	Clock       Clock
	WallClock   Clock
	Time        Clock
	Monotonic   func() time.Duration
	Appendfsync string
	Logger      *slog.Logger
	Hooks       []goredis.Hook
	Attach      bool
	ReplicaWait time.Duration
	Waiting     func(cause error)

	AllowEviction bool
	AllowLoss     bool
	Existing      bool
	Examine       bool
	Secrets       []Secret
	Reserve       int64
	Disk          func(directory string) (Space, error)

	Format int // newest known data format; default SupportedFormat
	// UpgradeAfter is the time for which all serving nodes must have supported a newer format before the data gets it.
	UpgradeAfter time.Duration
	Node         string            // name of this process in operation ids
	NodeLabel    string            // name of this process for operators; default Node
	Scripts      []*goredis.Script // loaded at startup, so that their first use is not slower
	Release      func()            // called first by Close; may be nil
}

// Conn is a connection to one Redis in any mode. It is safe for concurrent use.
type Conn struct {
	config Config
	Client goredis.UniversalClient
	Prefix string
	clock  Clock
	Logger *slog.Logger
	Engine Engine
	node   string // name of this process in operation ids
	ops    atomic.Uint64

	HasGenerations bool // whether generations can be distinguished; see generation.go
	topology       topology
	replicaWait    time.Duration
	formatState    formatState
	upgrade        upgradeState
	lease          lease
	fingerprints   atomic.Pointer[map[string]string] // of the secrets of the data, as read last
	// fixedTime replaces the time of Redis; nil = use the time of Redis.
	fixedTime  Clock
	monotonic  func() time.Duration // since an arbitrary moment
	clocks     clockGuard
	stop       func() error // stops the server started by Connect
	closeOnce  sync.Once
	startError func() error // returns an error if waiting for Redis is useless, or nil

	condition      atomic.Pointer[Condition]
	figures        atomic.Pointer[Figures] // of the last examination
	trips          tripObservers
	gate           *gate        // write gate of a child; nil = no gate
	ownershipError func() error // returns an error if another process owns the data directory; may be nil
}

// New returns a Conn with defaults applied. It is not connected: see Connect.
func New(config Config) (*Conn, error) {
	c := &Conn{
		config: config, Prefix: config.Prefix, clock: config.Clock, Logger: config.Logger, node: config.Node,
		fixedTime: config.Time, monotonic: config.Monotonic, replicaWait: config.ReplicaWait, startError: func() error { return nil },
	}
	if c.Prefix == "" {
		c.Prefix = "wsd:"
	}
	if strings.ContainsAny(c.Prefix, "{}") {
		return nil, Misuse("prefix %q has a brace", c.Prefix)
	}
	if c.fixedTime == nil {
		c.fixedTime = config.Clock
	}
	if c.monotonic == nil {
		c.monotonic = monotonicClock(config.Clock)
	}
	if config.WallClock != nil {
		c.clock = config.WallClock
	}
	if c.clock == nil {
		c.clock = time.Now
	}
	c.formatState.known, c.formatState.script = cmp.Or(config.Format, SupportedFormat), goredis.NewScript(nodesSource)
	c.formatState.written.Store(1)
	c.upgrade.after, c.upgrade.script = config.UpgradeAfter, goredis.NewScript(upgradeSource)
	if c.replicaWait == 0 {
		c.replicaWait = defaultReplicaWait
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// defaultReplicaWait is the default of ReplicaWait.
const defaultReplicaWait = 2 * time.Second

// Engine describes the Redis that a Store uses.
type Engine struct {
	Name     string // "redis", "redis sentinel", "redis cluster", "redis-server child" or "memory"
	Location string // address without credentials, directory, or ""
	Durable  bool   // whether data survives this process
	URL      string // of a child, for other programs of the same user; otherwise ""
}

// Names of engines; a child is named after its program.
const (
	engineSingle   = "redis"
	engineSentinel = "redis sentinel"
	EngineCluster  = "redis cluster"
	engineMemory   = "memory"
)

// String returns a one-line description.
func (e Engine) String() string {
	durable := "data outlives this process"
	if !e.Durable {
		durable = "in memory, gone at exit"
	}
	return e.location() + " (" + durable + ")"
}

// location returns the name of the engine and its location, if it has one.
func (e Engine) location() string {
	if e.Location == "" {
		return e.Name
	}
	return e.Name + " at " + e.Location
}

// Connect creates the client of the configured mode and starts the child if there is one. It is called once when a
// store is opened, before Admit.
func (c *Conn) Connect(ctx context.Context) error {
	if err := c.connect(ctx, c.config); err != nil {
		return err
	}
	c.Client.AddHook(commandTimeHook{&c.trips})
	for _, hook := range c.config.Hooks {
		c.Client.AddHook(hook)
	}
	return nil
}

// connect creates the client of the configured mode.
func (c *Conn) connect(ctx context.Context, config Config) error {
	switch {
	case config.Memory:
		return c.connectMemory(config.Emulation)
	case config.URL == "":
		return c.connectChild(ctx, config)
	}
	options, err := ParseURL(config.URL)
	if err != nil {
		return err
	}
	if options.TLSConfig != nil {
		options.Dialer = config.TLS.dialer(options.DialTimeout)
	}
	c.Engine = Engine{Name: engineSingle, Location: strings.Join(options.Addrs, ","), Durable: true}
	switch {
	case options.IsClusterMode:
		c.Engine.Name = EngineCluster
	case options.MasterName != "":
		c.Engine.Name = engineSentinel
	}
	c.Client = newClient(options)
	c.stop = c.Client.Close
	return nil
}

// Describe returns the engine of the connection.
func (c *Conn) Describe() Engine { return c.Engine }

// Close closes the connections and stops the child, if any. Further calls do nothing.
func (c *Conn) Close() (err error) {
	c.closeOnce.Do(func() {
		if c.config.Release != nil {
			c.config.Release()
		}
		if err = c.stop(); err != nil {
			err = fmt.Errorf("store: close: %w", err)
		}
	})
	return err
}

// Ping returns an error if Redis does not answer.
func (c *Conn) Ping(ctx context.Context) error {
	return Wrap(ctx, c.Client.Ping(ctx).Err())
}

// Now returns the time of the store's clock in UTC with millisecond precision.
func (c *Conn) Now() time.Time { return c.clock().UTC().Truncate(time.Millisecond) }

// NextOp returns the name of a commit. Names are unique within the time that operations are remembered.
func (c *Conn) NextOp() string {
	return c.node + "-" + strconv.FormatUint(c.ops.Add(1), 36)
}
