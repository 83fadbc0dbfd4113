package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Config configures a Store and its Redis.
type Config struct {
	// URL is the address of a Redis (see ParseURL). If it is empty and Memory is not set, a server program on PATH is
	// run as a child with its data in DataDir.
	URL     string
	TLS     redis.TLSFiles // for addresses with TLS
	DataDir string
	// Memory uses an emulation inside the process without persistence.
	Memory bool
	// Emulation is an emulation shared with other stores; nil = a separate one.
	Emulation *miniredis.Miniredis

	Prefix string      // prefix of every key; default "wsd:"
	Clock  redis.Clock // default time.Now
	// replaces the wall clock in tests that keep the time of Redis and the monotonic clock of the process; default Clock
	WallClock redis.Clock
	// replaces the time of Redis in tests (see redis/time.go); default the time of Redis, or Clock if set
	Time              redis.Clock
	Monotonic         func() time.Duration       // monotonic clock in tests; default that of the process, or Clock if set
	IDs               txn.IDGenerator            // default NewIDs(Clock)
	CacheBytes        int                        // budget of the object cache; default 64 MiB, negative = none
	ModelBytes        int                        // budget of the access models in memory; default 256 MiB
	Appendfsync       string                     // of the child: "always" (default), "everysec" or "no"
	Model             func(org string) txn.Model // returns an empty model of an organization
	Logger            *slog.Logger               // default: no logging
	Quota             txn.Quota                  // default quota of organizations; default: no limit
	MaxSavedBodyBytes int                        // maximum size of a response body saved for repeated requests; default 8 KiB
	Hooks             []goredis.Hook             // called for every command; for tests and metrics
	// Attach uses the Redis that another process runs on DataDir instead of failing with ErrLocked. It is used by
	// commands that run concurrently with a server.
	Attach bool
	// OutboxBytes is the maximum size of an organization's outbox, which contains objects that the replicas of a
	// Cluster have not received (see txn/outbox.go); default 64 MiB.
	OutboxBytes int
	// MaxEvents is the number of events kept of each organization, user and integration; default txn.DefaultMaxEvents.
	MaxEvents int
	// Command is the command of the operator that opens the store; nil for a server. See txn.Command.
	Command *txn.Command
	// ReplicaWait is the time to wait for replicas; default 2 s.
	ReplicaWait time.Duration
	// Waiting makes Open wait for a Redis that is not ready yet, until the context of Open ends. It is called with the cause,
	// and again when the cause changes.
	Waiting func(cause error)
	// Format is the newest data format that this program supports; default redis.SupportedFormat. Tests use it to simulate
	// older and newer programs.
	Format int
	// UpgradeAfter is the time for which all serving nodes must have supported a newer data format before the data gets it;
	// default 0, at once. Until then the previous program can be started on the data again.
	UpgradeAfter time.Duration
	// AllowEviction accepts a Redis that may evict keys.
	AllowEviction bool
	// AllowLoss accepts a Redis without persistence.
	AllowLoss bool
	// Existing requires existing data; otherwise Open returns ErrNoData.
	Existing bool
	// Examine makes Open connect without refusing or writing anything. It is used by Doctor.
	Examine bool
	// Secrets are the server's secrets, whose fingerprints must be the same on all nodes; nil = not compared.
	Secrets []redis.Secret
	// NodeLabel is the name of this process for operators; default a random one.
	NodeLabel string
	// Reserve is the free disk space reserved for a child; default 64 MiB.
	Reserve int64
	// Disk measures the disk space of a directory; default: the operating system is queried.
	Disk func(directory string) (redis.Space, error)
}

// Store is one open database. It is safe for concurrent use.
type Store struct {
	*txn.Store

	Jobs   *Queue          // of all organizations
	Search *postings.Index // of all spaces

	formats memberFormats
}

// Open connects to Redis, or starts a server, checks it and returns the Store. Errors: ErrRefused (see Doctor),
// ErrUnavailable, ErrNoServer, ErrLocked, ErrNoData.
func Open(ctx context.Context, config Config) (*Store, error) {
	return open(ctx, config, nil)
}

// open is Open with an edited commit script; edit may be nil.
func open(ctx context.Context, config Config, edit func(source string) string) (*Store, error) {
	s := &Store{Jobs: NewQueue()}
	var err error
	s.Store, err = txn.Open(ctx, txn.Config{
		Redis: redis.Config{
			URL: config.URL, TLS: config.TLS, DataDir: config.DataDir, Memory: config.Memory, Emulation: config.Emulation,
			Prefix: config.Prefix, Clock: config.Clock, WallClock: config.WallClock, Time: config.Time, Monotonic: config.Monotonic,
			Appendfsync: config.Appendfsync,
			Logger:      config.Logger, Hooks: config.Hooks, Attach: config.Attach, ReplicaWait: config.ReplicaWait,
			Waiting: config.Waiting, AllowEviction: config.AllowEviction, AllowLoss: config.AllowLoss,
			Existing: config.Existing, Examine: config.Examine, Secrets: config.Secrets, Reserve: config.Reserve, Disk: config.Disk,
			Format: config.Format, UpgradeAfter: config.UpgradeAfter,
			NodeLabel: config.NodeLabel,
			Scripts:   s.Jobs.Scripts(),
		},
		IDs: config.IDs, CacheBytes: config.CacheBytes, ModelBytes: config.ModelBytes, Model: config.Model, Quota: config.Quota,
		MaxSavedBodyBytes: config.MaxSavedBodyBytes, OutboxBytes: config.OutboxBytes, MaxEvents: config.MaxEvents,
		SpaceLocator: spaceLocator{}, EditScript: edit,
		Command: config.Command,
	})
	if err != nil {
		return nil, err
	}
	s.Jobs.Bind(s.Store)
	s.Search = postings.New(s.Store)
	return s, nil
}
