package txn

import (
	"container/list"
	"context"
	"sync"
)

// Shape is what one request knows of an organization: the model that the process
// shares, not older than the Batch that read its news. It stays good for the
// request that has it, whatever is dropped from memory meanwhile.
type Shape struct {
	store  *Store
	org    string
	read   *shapeRead // until Apply
	shared *shared    // since
}

// View calls fn with the model. fn must not keep it nor change it, and must not
// call the store. Before Apply, and of an organization that does not exist, it is
// an empty one.
func (sh *Shape) View(fn func(model Model)) {
	if sh.shared == nil {
		fn(sh.store.newModel(sh.org))
		return
	}
	sh.shared.mu.RLock()
	defer sh.shared.mu.RUnlock()
	fn(sh.shared.model)
}

// Stamp names the last change that the model has: equal stamps, equal models.
func (sh *Shape) Stamp() string {
	if sh.shared == nil {
		return "/"
	}
	sh.shared.mu.RLock()
	defer sh.shared.mu.RUnlock()
	return sh.shared.seen.id + "/" + sh.shared.seen.op
}

// Apply takes in what a batch read that queued the shape by ShapeNews. Only now
// is a model made, and only of an organization that exists. It may take some
// trips more if the shape is large or was replaced.
func (sh *Shape) Apply(ctx context.Context) error {
	read := sh.read
	if sh.read = nil; read == nil || read.nothing() {
		return nil
	}
	s := sh.store
	read.shape = s.shapes.join(read.shape)
	err := read.apply(ctx)
	s.shapes.settle(read.shape)
	if err == nil && read.shape.made() {
		sh.shared = read.shape
	}
	return err
}

// nothing reports whether the organization has no entries: it does not exist.
func (r *shapeRead) nothing() bool {
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
	return sh.model.Size() + shapeOverhead
}

// shapeOverhead is what a shape costs beside its entries, roughly.
const shapeOverhead = 4 << 10

// shapeCache keeps the models that were used last within a byte budget. One that
// is alone may be larger: without it its organization would be read anew for each
// request.
type shapeCache struct {
	budget int

	mu      sync.Mutex
	size    int
	recent  *list.List // of *keptShape, last used first
	entries map[string]*list.Element
}

type keptShape struct {
	shape *shared
	size  int
}

func newShapeCache(budget int) *shapeCache {
	return &shapeCache{budget: budget, recent: list.New(), entries: map[string]*list.Element{}}
}

// get returns the shape of an organization, if it is kept.
func (c *shapeCache) get(org string) (*shared, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[org]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(*keptShape).shape, true
}

// join keeps a shape, unless one of its organization is kept already: then that is
// the one to use.
func (c *shapeCache) join(shape *shared) *shared {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[shape.org]; ok {
		return element.Value.(*keptShape).shape
	}
	c.entries[shape.org] = c.recent.PushFront(&keptShape{shape: shape})
	return shape
}

// settle counts what a shape costs by now, and drops those that were used longest
// ago until all fit. One that has nothing in it is not kept.
func (c *shapeCache) settle(shape *shared) {
	size := shape.weight()
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[shape.org]
	if !ok || element.Value.(*keptShape).shape != shape {
		return // dropped meanwhile, and used by who has it
	}
	kept := element.Value.(*keptShape)
	c.size += size - kept.size
	kept.size = size
	if size == 0 {
		c.drop(element)
	}
	for c.size > c.budget && c.recent.Len() > 1 {
		c.drop(c.recent.Back())
	}
}

func (c *shapeCache) drop(element *list.Element) {
	kept := c.recent.Remove(element).(*keptShape)
	delete(c.entries, kept.shape.org)
	c.size -= kept.size
}

// ModelsKept is how many models of organizations are in memory, and what they
// cost. Tests hold the budget by it.
func (s *Store) ModelsKept() (models, bytes int) {
	s.shapes.mu.Lock()
	defer s.shapes.mu.Unlock()
	return s.shapes.recent.Len(), s.shapes.size
}
