package txn

import (
	"cmp"
	"context"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Config says what a Store is made of. The fields without a comment are those
// of store.Config.
type Config struct {
	Redis redis.Config // Node, Release and the scripts of the transaction are added

	IDs         IDs
	CacheBytes  int
	ModelBytes  int
	Model       func(org string) Model
	Quota       Quota
	KeptAnswer  int
	OutboxBytes int

	Homes Homes
	Edit  func(source string) string // changes the commit script, in tests; nil = it stays
}

// Homes says where a space is that is not where it was made: its objects may wait
// in the outbox of the organization that has it now. The records that say so
// belong to the rooms above.
type Homes interface {
	// Pointer is the record, in the organization where a space was made, that
	// says where the space is now.
	Pointer(home, space string) redis.Key
	// Owner reads that record.
	Owner(pointer Record) (org string, err error)
}

// Store is a database that is changed by transactions. It is safe for concurrent
// use.
type Store struct {
	*redis.Conn

	ids     IDs
	commit  *goredis.Script
	source  string // of commit
	unclaim *goredis.Script
	// of objects: see sizes.go
	putScript, measureScript, dropScript *goredis.Script

	quota      Quota
	keptAnswer int
	Cache      *objects.Cache
	Codec      *objects.Codec
	locks      locks
	homes      Homes
	// registered saves trips: see Tx.ScheduleOnce.
	registered registered
	// carryAll: every commit carries its objects, in tests.
	CarryAll  bool
	outboxMax int

	feeds *Feeds
}

const (
	defaultCache  = 64 << 20
	defaultModels = 256 << 20
)

// Open connects to Redis, or starts one, checks it and returns the Store.
// Package store calls it; errors as there.
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

// newStore applies the defaults.
func newStore(config Config) (*Store, error) {
	codec, err := objects.NewCodec()
	if err != nil {
		return nil, err
	}
	s := &Store{
		ids: config.IDs, homes: config.Homes,
		Codec: codec, source: commitSource, unclaim: newUnclaim(),
		putScript: newPut(), measureScript: newMeasure(), dropScript: newDrop(),
		quota: config.Quota, keptAnswer: cmp.Or(config.KeptAnswer, defaultKeptAnswer),
		outboxMax: cmp.Or(config.OutboxBytes, defaultOutbox),
		Cache:     objects.NewCache(cmp.Or(config.CacheBytes, defaultCache)),
	}
	if config.Edit != nil {
		s.source = config.Edit(s.source)
	}
	s.commit = goredis.NewScript(s.source)
	if s.ids == nil {
		clock := config.Redis.Clock
		if clock == nil {
			clock = time.Now
		}
		s.ids = NewIDs(clock)
	}
	connection := config.Redis
	connection.Node, connection.Release = s.ids.New(""), codec.Close
	connection.Scripts = append(s.scripts(), connection.Scripts...)
	if s.Conn, err = redis.New(connection); err != nil {
		return nil, err
	}
	s.feeds = NewFeeds(s.Conn, config.Model, cmp.Or(config.ModelBytes, defaultModels))
	return s, nil
}

// NewID makes an identifier outside a transaction.
func (s *Store) NewID(prefix string) string { return s.ids.New(prefix) }

// ModelsKept is how many models of organizations are in memory, and what they
// cost. Tests hold the budget by it.
func (s *Store) ModelsKept() (models, bytes int) { return s.feeds.Kept() }
