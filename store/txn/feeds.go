package txn

import (
	"container/list"
	"context"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Feed is what one request knows of an organization: the model that the process
// shares, not older than the Batch that read its news. It stays good for the
// request that has it, whatever is dropped from memory meanwhile.
type Feed struct {
	feeds  *Feeds
	org    string
	read   *reading // until Apply
	shared *shared  // since
}

// View calls fn with the model. fn must not keep it nor change it, and must not
// call the store. Before Apply, and of an organization that does not exist, it is
// an empty one.
func (f *Feed) View(fn func(model Model)) {
	if f.shared == nil {
		fn(f.feeds.newModel(f.org))
		return
	}
	f.shared.mu.RLock()
	defer f.shared.mu.RUnlock()
	fn(f.shared.model)
}

// Stamp names the last change that the model has: equal stamps, equal models.
func (f *Feed) Stamp() string {
	if f.shared == nil {
		return "/"
	}
	f.shared.mu.RLock()
	defer f.shared.mu.RUnlock()
	return f.shared.seen.id + "/" + f.shared.seen.op
}

// Apply takes in what a batch read that queued the feed by Batch.News. Only now
// is a model made, and only of an organization that exists. It may take some
// trips more if the organization is large or its log was replaced.
func (f *Feed) Apply(ctx context.Context) error {
	read := f.read
	if f.read = nil; read == nil || read.nothing() {
		return nil
	}
	kept := f.feeds.kept
	read.of = kept.join(read.of)
	err := read.apply(ctx)
	kept.settle(read.of)
	if err == nil && read.of.made() {
		f.shared = read.of
	}
	return err
}

// nothing reports whether the organization has no entries: it does not exist.
func (r *reading) nothing() bool {
	if r.mark == nil {
		return false
	}
	entries, cursor := r.scan.Val()
	return len(entries) == 0 && cursor == 0 && len(r.mark.Val()) == 0
}

// made reports whether there is a model.
func (sh *shared) made() bool {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	return sh.model != nil
}

// weight is what the model costs in memory; 0 when there is nothing in it.
func (sh *shared) weight() int {
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	if sh.model == nil || sh.seen.id == "" && sh.model.Size() == 0 {
		return 0
	}
	return sh.model.Size() + overhead
}

// overhead is what a model costs beside its entries, roughly.
const overhead = 4 << 10

// cache keeps the models that were used last within a byte budget. One that
// is alone may be larger: without it its organization would be read anew for each
// request.
type cache struct {
	budget int

	mu      sync.Mutex
	size    int
	recent  *list.List // of *entry, last used first
	entries map[string]*list.Element
}

type entry struct {
	shared *shared
	size   int
}

func newCache(budget int) *cache {
	return &cache{budget: budget, recent: list.New(), entries: map[string]*list.Element{}}
}

// get returns the model of an organization, if it is kept.
func (c *cache) get(org string) (*shared, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[org]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(*entry).shared, true
}

// join keeps a model, unless one of its organization is kept already: then that is
// the one to use.
func (c *cache) join(s *shared) *shared {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[s.org]; ok {
		return element.Value.(*entry).shared
	}
	c.entries[s.org] = c.recent.PushFront(&entry{shared: s})
	return s
}

// settle counts what a model costs by now, and drops those that were used longest
// ago until all fit. One that has nothing in it is not kept.
func (c *cache) settle(s *shared) {
	size := s.weight()
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[s.org]
	if !ok || element.Value.(*entry).shared != s {
		return // dropped meanwhile, and used by who has it
	}
	kept := element.Value.(*entry)
	c.size += size - kept.size
	kept.size = size
	if size == 0 {
		c.drop(element)
	}
	for c.size > c.budget && c.recent.Len() > 1 {
		c.drop(c.recent.Back())
	}
}

func (c *cache) drop(element *list.Element) {
	kept := c.recent.Remove(element).(*entry)
	delete(c.entries, kept.shared.org)
	c.size -= kept.size
}

// Feeds are those of all organizations. They are safe for concurrent use.
type Feeds struct {
	conn     *redis.Conn
	newModel func(org string) Model
	kept     *cache
}

// NewFeeds returns the feeds of a store, with a budget of bytes for the models;
// model makes an empty one, nil = nobody asks.
func NewFeeds(conn *redis.Conn, model func(org string) Model, budget int) *Feeds {
	if model == nil {
		model = func(string) Model { return noModel{} }
	}
	return &Feeds{conn: conn, newModel: model, kept: newCache(budget)}
}

// Queue adds the read of an organization's news to a pipeline. When that was
// sent, Apply takes them in.
func (f *Feeds) Queue(pipe goredis.Pipeliner, org string) *Feed {
	made := &Feed{feeds: f, org: org}
	if !redis.ValidID(org) {
		return made
	}
	held, ok := f.kept.get(org)
	if !ok {
		held = f.newShared(org)
	}
	made.read = held.queue(pipe)
	return made
}

// Kept is how many models of organizations are in memory, and what they cost.
// Tests hold the budget by it.
func (f *Feeds) Kept() (models, bytes int) {
	f.kept.mu.Lock()
	defer f.kept.mu.Unlock()
	return f.kept.recent.Len(), f.kept.size
}

// noModel is the model of a store that nobody asks about access.
type noModel struct{}

func (noModel) Apply(string, []byte) {}
func (noModel) Reset()               {}
func (noModel) Size() int            { return 0 }
