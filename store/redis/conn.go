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

// Clock tells the time. Inject time.Now, or a fixed time in tests.
type Clock func() time.Time

// Config says to which Redis a Conn is made, and how. The fields without a
// comment are those of store.Config.
type Config struct {
	URL         string
	DataDir     string
	Memory      bool
	Emulation   *miniredis.Miniredis
	Prefix      string
	Clock       Clock
	Time        Clock
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

	Form    int               // the newest that this program knows; default KnownForm
	Node    string            // names this process in the identifiers of operations
	Scripts []*goredis.Script // are loaded at the start, so that the first use of one is no slower
	Release func()            // is called by Close, before anything ends; may be nil
}

// Conn is the connection to one Redis, whatever that runs on. Everything in the
// store that sends a command has one. It is safe for concurrent use.
type Conn struct {
	config Config
	Client goredis.UniversalClient
	Prefix string
	clock  Clock
	Logger *slog.Logger
	Engine Engine
	node   string // names this process in operation ids
	ops    atomic.Uint64

	Fenced      bool // generations can be told apart
	topology    topology
	replicaWait time.Duration
	formState   formState
	// told is the time that stands for that of Redis; nil = Redis itself is asked.
	told     Clock
	stop     func() error // ends what Connect started
	closing  sync.Once
	hopeless func() error // says why waiting for Redis is of no use

	condition atomic.Pointer[Condition]
	gate      *gate        // before a child; nil = no other Redis is kept from anything
	held      func() error // says that another process has the data directory; nil = this one does not
}

// New applies the defaults. Nothing is connected yet: see Connect.
func New(config Config) (*Conn, error) {
	c := &Conn{
		config: config, Prefix: config.Prefix, clock: config.Clock, Logger: config.Logger, node: config.Node,
		told: config.Time, replicaWait: config.ReplicaWait, hopeless: func() error { return nil },
	}
	if c.Prefix == "" {
		c.Prefix = "wsd:"
	}
	if strings.ContainsAny(c.Prefix, "{}") {
		return nil, Misuse("prefix %q has a brace", c.Prefix)
	}
	if c.told == nil {
		c.told = config.Clock
	}
	if c.clock == nil {
		c.clock = time.Now
	}
	c.formState.known, c.formState.script = cmp.Or(config.Form, KnownForm), goredis.NewScript(formsSource)
	c.formState.written.Store(1)
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
	EngineCluster  = "redis cluster"
	engineMemory   = "memory"
)

// String says it in one line.
func (e Engine) String() string {
	durable := "data outlives this process"
	if !e.Durable {
		durable = "in memory, gone at exit"
	}
	return e.place() + " (" + durable + ")"
}

// place is what and where it is.
func (e Engine) place() string {
	if e.Where == "" {
		return e.Name
	}
	return e.Name + " at " + e.Where
}

// Connect makes the client of the configured way to run, and starts the child
// where that is one. Who opens a store calls it once, and Admit after it.
func (c *Conn) Connect(ctx context.Context) error {
	if err := c.connect(ctx, c.config); err != nil {
		return err
	}
	for _, hook := range c.config.Hooks {
		c.Client.AddHook(hook)
	}
	return nil
}

// connect makes the client of the configured way to run.
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
	c.Engine = Engine{Name: engineSingle, Where: strings.Join(options.Addrs, ","), Durable: true}
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

// Describe says what the connection is to and whether data outlives the process.
func (c *Conn) Describe() Engine { return c.Engine }

// Close ends the connections and the child, if there is one. Closing again does
// nothing.
func (c *Conn) Close() (err error) {
	c.closing.Do(func() {
		if c.config.Release != nil {
			c.config.Release()
		}
		if err = c.stop(); err != nil {
			err = fmt.Errorf("store: close: %w", err)
		}
	})
	return err
}

// Ping asks whether Redis answers.
func (c *Conn) Ping(ctx context.Context) error {
	return Wrap(ctx, c.Client.Ping(ctx).Err())
}

// Now is the time of the store's clock, in UTC with milliseconds.
func (c *Conn) Now() time.Time { return c.clock().UTC().Truncate(time.Millisecond) }

// NextOp names one commit: no two are alike within the time that they are
// remembered.
func (c *Conn) NextOp() string {
	return c.node + "-" + strconv.FormatUint(c.ops.Add(1), 36)
}
