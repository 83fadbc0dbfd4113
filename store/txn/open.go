package txn

import (
	"cmp"
	"context"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Config configures a Store. Fields without a comment are those of store.Config.
type Config struct {
	Redis redis.Config // Node, Release and the transaction scripts are added

	IDs               IDGenerator
	CacheBytes        int
	ModelBytes        int
	Model             func(org string) Model
	Quota             Quota
	MaxSavedBodyBytes int
	MaxEvents         int // number of events kept of each organization, user and integration; default DefaultMaxEvents
	OutboxBytes       int
	Command           *Command // nil for a server

	SpaceLocator SpaceLocator
	EditScript   func(source string) string // edits the commit script in tests; nil = unchanged
}

// SpaceLocator locates spaces that were transferred away from the organization in which they were created: their objects may
// be in the outbox of the new organization. It is implemented by higher-level packages.
type SpaceLocator interface {
	// LocationKey returns the key of the record, in the organization in which a space was created, that contains the
	// current organization of the space.
	LocationKey(home, space string) redis.Key
	// Owner returns the organization in a record read from the LocationKey of a space.
	Owner(pointer Record) (org string, err error)
}

// Store is a transactional database. It is safe for concurrent use.
type Store struct {
	*redis.Conn

	ids           IDGenerator
	commitScript  *goredis.Script
	commitSource  string // source of commit
	unclaimScript *goredis.Script
	// Object scripts: see sizes.go
	putScript, measureScript, dropScript *goredis.Script

	quota        Quota
	maxSavedBody int
	maxEvents    int
	Cache        *objects.Cache
	Codec        *objects.Codec
	locks        locks
	locator      SpaceLocator
	// registrations avoids trips of Tx.ScheduleOnce.
	registrations registrationTimes
	// AlwaysUseOutbox makes every commit add its objects to the outbox. It is set by tests only.
	AlwaysUseOutbox bool
	outboxMax       int
	command         *Command

	feeds  *Feeds
	counts counts
}

const (
	defaultCacheBytes = 64 << 20
	defaultModelBytes = 256 << 20
)

// Open connects to Redis or starts a server, checks it and returns the Store. It is called by package store and
// returns the same errors.
func Open(ctx context.Context, config Config) (*Store, error) {
	s, err := newStore(config)
	if err != nil {
		return nil, err
	}
	if err := s.Connect(ctx); err != nil {
		s.Codec.Close()
		return nil, err
	}
	if err := s.Admit(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newStore returns a Store with defaults applied.
func newStore(config Config) (*Store, error) {
	codec, err := objects.NewCodec()
	if err != nil {
		return nil, err
	}
	s := &Store{
		ids: config.IDs, locator: config.SpaceLocator,
		Codec: codec, commitSource: commitSource, unclaimScript: newUnclaimScript(),
		putScript: newPutScript(), measureScript: newMeasureScript(), dropScript: newDropScript(),
		command: config.Command, quota: config.Quota, maxSavedBody: cmp.Or(config.MaxSavedBodyBytes, defaultMaxSavedBody),
		outboxMax: cmp.Or(config.OutboxBytes, defaultOutboxBytes), maxEvents: cmp.Or(config.MaxEvents, DefaultMaxEvents),
		Cache: objects.NewCache(cmp.Or(config.CacheBytes, defaultCacheBytes)),
	}
	if config.EditScript != nil {
		s.commitSource = config.EditScript(s.commitSource)
	}
	s.commitScript = goredis.NewScript(s.commitSource)
	if s.ids == nil {
		clock := config.Redis.Clock
		if clock == nil {
			clock = time.Now
		}
		s.ids = NewIDGenerator(clock)
	}
	connection := config.Redis
	connection.Node, connection.Release = s.ids.New(""), codec.Close
	connection.Scripts = append(s.scripts(), connection.Scripts...)
	if s.Conn, err = redis.New(connection); err != nil {
		return nil, err
	}
	s.feeds = NewFeeds(s.Conn, config.Model, cmp.Or(config.ModelBytes, defaultModelBytes))
	return s, nil
}

// MaxEvents returns the number of events kept of each organization, user and integration.
func (s *Store) MaxEvents() int { return s.maxEvents }

// NewID returns a new identifier outside a transaction.
func (s *Store) NewID(prefix string) string { return s.ids.New(prefix) }

// ModelStats returns the number of cached models and their cost in bytes. Tests verify the budget with it.
func (s *Store) ModelStats() (models, bytes int) { return s.feeds.Stats() }

// ModelCacheStats returns the size and the use of the cache of access models.
func (s *Store) ModelCacheStats() cache.Stats { return s.feeds.cacheStats() }
