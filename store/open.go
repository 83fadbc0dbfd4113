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

	Prefix      string                     // of every key; default "wsd:"
	Clock       redis.Clock                // default time.Now
	Time        redis.Clock                // in place of the time of Redis (see redis/time.go), for tests; default that of Redis, or Clock where that is set
	IDs         txn.IDs                    // default NewIDs(Clock)
	CacheBytes  int                        // budget of objects in memory; default 64 MiB, negative = none
	ModelBytes  int                        // budget of the models of organizations in memory; default 256 MiB
	Appendfsync string                     // of the child: "always" (default), "everysec" or "no"
	Model       func(org string) txn.Model // makes the model of an organization
	Logger      *slog.Logger               // default: nothing is logged
	Quota       txn.Quota                  // of an organization that has none of its own; default: no limit
	KeptAnswer  int                        // bytes of an answer up to which it is kept for a repeated request; default 8 KiB
	Hooks       []goredis.Hook             // see every command; for tests and metrics
	// Attach uses the Redis that another process runs on DataDir, instead of
	// failing with ErrLocked: what commands beside a serving process do.
	Attach bool
	// OutboxBytes is what the commits of an organization may carry until the
	// replicas of a Cluster hold it (see txn/outbox.go); default 64 MiB.
	OutboxBytes int
	// ReplicaWait is how long they are waited for; default 2 s.
	ReplicaWait time.Duration
	// Waiting makes Open wait, as long as its context lets it, for a Redis that is
	// not there or not ready yet. It is told why, and again when that changes.
	Waiting func(cause error)
	// Form is the newest form of what is stored that this program knows; default
	// redis.KnownForm. Tests are older or newer programs by it.
	Form int
	// AllowEviction runs on a Redis that may delete parts of documents.
	AllowEviction bool
	// AllowLoss runs on a Redis that keeps nothing when it ends.
	AllowLoss bool
	// Existing opens data that is there and makes none: without, it is ErrNoData.
	Existing bool
	// Examine only connects, to ask Doctor: nothing is refused or written.
	Examine bool
	// Secrets are those of the server: all nodes on the data have the same, by
	// their fingerprints. nil = they are not compared.
	Secrets []redis.Secret
	// Reserve is what stays free on the disk of a child; default 64 MiB.
	Reserve int64
	// Disk measures the room where a directory is; default asks the system.
	Disk func(directory string) (redis.Space, error)
}

// Store is one open database. It is safe for concurrent use.
type Store struct {
	*txn.Store

	Jobs   *Queue          // of all organizations
	Search *postings.Index // of all spaces
}

// Open connects to Redis, or starts one, checks it and returns the Store.
// Errors: ErrRefused (see Doctor), ErrUnavailable, ErrNoServer, ErrLocked, ErrNoData.
func Open(ctx context.Context, config Config) (*Store, error) {
	return open(ctx, config, nil)
}

// open is Open with a change of the text of the commit script; nil = none.
func open(ctx context.Context, config Config, edit func(source string) string) (*Store, error) {
	s := &Store{Jobs: New()}
	var err error
	s.Store, err = txn.Open(ctx, txn.Config{
		Redis: redis.Config{
			URL: config.URL, DataDir: config.DataDir, Memory: config.Memory, Emulation: config.Emulation,
			Prefix: config.Prefix, Clock: config.Clock, Time: config.Time, Appendfsync: config.Appendfsync,
			Logger: config.Logger, Hooks: config.Hooks, Attach: config.Attach, ReplicaWait: config.ReplicaWait,
			Waiting: config.Waiting, AllowEviction: config.AllowEviction, AllowLoss: config.AllowLoss,
			Existing: config.Existing, Examine: config.Examine, Secrets: config.Secrets, Reserve: config.Reserve, Disk: config.Disk, Form: config.Form,
			Scripts: s.Jobs.Scripts(),
		},
		IDs: config.IDs, CacheBytes: config.CacheBytes, ModelBytes: config.ModelBytes, Model: config.Model, Quota: config.Quota,
		KeptAnswer: config.KeptAnswer, OutboxBytes: config.OutboxBytes, SpaceLocator: spaceLocator{}, Edit: edit,
	})
	if err != nil {
		return nil, err
	}
	s.Jobs.Bind(s.Store)
	s.Search = postings.New(s.Store)
	return s, nil
}
