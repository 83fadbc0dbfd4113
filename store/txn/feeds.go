package txn

import (
	"context"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/redis"
)

// Feed is the view that one request has of an organization's model. The model is shared by the process and never
// older than the Batch that queued the feed. It remains valid for the request even if the cache drops the model.
type Feed struct {
	feeds *Feeds
	org   string
	read  *feedRead    // nil after Apply
	model *sharedModel // set by Apply
}

// View calls fn with the model. fn must not retain or change the model, nor call the store. Before Apply, and for an
// organization that does not exist, the model is empty.
func (f *Feed) View(fn func(model Model)) {
	if f.model == nil {
		fn(f.feeds.newModel(f.org))
		return
	}
	f.model.mu.RLock()
	defer f.model.mu.RUnlock()
	fn(f.model.model)
}

// Stamp identifies the last change of the model: equal stamps mean equal models.
func (f *Feed) Stamp() string {
	if f.model == nil {
		return "/"
	}
	f.model.mu.RLock()
	defer f.model.mu.RUnlock()
	return f.model.position.id + "/" + f.model.position.op
}

// Apply applies the changes read by a batch that queued the feed with Batch.FollowDeferred. A model is created only now, and
// only for an existing organization. Apply may need further trips if the organization is large or its log was
// replaced.
func (f *Feed) Apply(ctx context.Context) error {
	read := f.read
	if f.read = nil; read == nil || read.empty() {
		return nil
	}
	models := f.feeds.models
	read.model = models.add(read.model)
	err := read.apply(ctx)
	models.resize(read.model)
	if err == nil && read.model.loaded() {
		f.model = read.model
	}
	return err
}

// empty reports whether the organization has no entries and thus does not exist.
func (r *feedRead) empty() bool {
	if r.lastChange == nil {
		return false
	}
	entries, cursor := r.scan.Val()
	return len(entries) == 0 && cursor == 0 && len(r.lastChange.Val()) == 0
}

// loaded reports whether the model was loaded.
func (sh *sharedModel) loaded() bool {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	return sh.model != nil
}

// size returns the memory cost of the model in bytes; 0 if it is empty.
func (sh *sharedModel) size() int {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	if sh.model == nil || sh.position.id == "" && sh.model.Size() == 0 {
		return 0
	}
	return sh.model.Size() + modelOverhead
}

// modelOverhead is the approximate memory cost of a model without its entries.
const modelOverhead = 4 << 10

// modelCache holds the most recently used models within a byte budget. A single model may exceed the budget; otherwise its
// organization would be loaded for each request.
type modelCache struct {
	mu     sync.Mutex
	models *cache.LRU[string, *sharedModel] // by organization
}

func newModelCache(budget int) *modelCache {
	return &modelCache{models: cache.NewLRU[string, *sharedModel](int64(budget), 1)}
}

// get returns the cached model of an organization.
func (c *modelCache) get(org string) (*sharedModel, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.models.Get(org)
}

// add adds a model and returns it, or the model of the same organization that is already cached.
func (c *modelCache) add(s *sharedModel) *sharedModel {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cached, ok := c.models.Peek(s.org); ok {
		return cached
	}
	c.models.Add(s.org, s)
	return s
}

// resize updates the cost of a model and drops the least recently used models until all fit. Empty models are not
// cached.
func (c *modelCache) resize(s *sharedModel) {
	size := s.size()
	c.mu.Lock()
	defer c.mu.Unlock()
	if cached, _ := c.models.Peek(s.org); cached != s {
		return // dropped concurrently; its users still hold it
	}
	if size == 0 {
		c.models.Remove(s.org)
		return
	}
	c.models.Resize(s.org, size)
}

// Feeds caches the models of all organizations. It is safe for concurrent use.
type Feeds struct {
	conn     *redis.Conn
	newModel func(org string) Model
	models   *modelCache
}

// NewFeeds returns the feeds of a store with a budget in bytes for the models. model returns an empty model for an
// organization; if it is nil, entries are ignored.
func NewFeeds(conn *redis.Conn, model func(org string) Model, budget int) *Feeds {
	if model == nil {
		model = func(string) Model { return noModel{} }
	}
	return &Feeds{conn: conn, newModel: model, models: newModelCache(budget)}
}

// Queue adds the read of an organization's changes to a pipeline. Call Apply after the pipeline was sent.
func (f *Feeds) Queue(pipe goredis.Pipeliner, org string) *Feed {
	feed := &Feed{feeds: f, org: org}
	if !redis.ValidID(org) {
		return feed
	}
	model, ok := f.models.get(org)
	if !ok {
		model = f.newSharedModel(org)
	}
	feed.read = model.queueRead(pipe)
	return feed
}

// Stats returns the number of cached models and their cost. Tests verify the budget with it.
func (f *Feeds) Stats() (models, bytes int) {
	f.models.mu.Lock()
	defer f.models.mu.Unlock()
	return f.models.models.Len(), int(f.models.models.Size())
}

// cacheStats returns the size and the use of the cache of models.
func (f *Feeds) cacheStats() cache.Stats {
	f.models.mu.Lock()
	defer f.models.mu.Unlock()
	return f.models.models.Stats()
}

// noModel is the model of a store without access control.
type noModel struct{}

func (noModel) Apply(string, []byte) {}
func (noModel) Reset()               {}
func (noModel) Size() int            { return 0 }
