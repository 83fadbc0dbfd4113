package redis

import (
	"context"
	"fmt"
	"maps"

	goredis "github.com/redis/go-redis/v9"
)

// A generation is the lifetime of a master, identified by its replication id: a promoted replica and a restarted
// server have new ones. Writes of one generation may be lost in the next. The data that a transaction refers to is
// written before its commit by other commands, so the commit names the generation of those writes and fails in any
// other.
//
// This requires the data and the commit to be on one master, which on a Cluster is the case only for keys with the
// hash tag of the transaction.

// generationSource returns the generation of the master of a key.
const generationSource = `return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''`

// GenerationComparable reports whether the generation of a key's master is comparable in a transaction of the shard.
func (c *Conn) GenerationComparable(shard Shard, key Key) bool {
	return c.HasGenerations && (c.Engine.Name != EngineCluster || key.Tag() == shard.tag)
}

// QueueGeneration reads the generation of a key's master, if it has one, before the other commands of the pipeline on
// the same connection: later writes of the pipeline are of this generation or of a newer one.
func (c *Conn) QueueGeneration(ctx context.Context, pipe goredis.Pipeliner, key Key) *goredis.Cmd {
	if !c.HasGenerations {
		return nil
	}
	return pipe.Eval(ctx, generationSource, []string{c.Name(key)})
}

// hasGenerations reports whether generations can be distinguished: the emulation has none, and a hosted Redis may
// refuse INFO.
func (c *Conn) hasGenerations(ctx context.Context) (known bool, err error) {
	probe := NamedKey(StreamKind, "{probe}:"+c.NextOp())
	FailBefore("probe.generation")
	generation, err := goredis.NewScript(generationSource).Run(ctx, c.Client, []string{c.Name(probe)}).Text()
	FailAfter("probe.generation")
	return err == nil && generation != "", err
}

// checkGeneration reports whether failovers are detected.
func (c *Conn) checkGeneration(ctx context.Context) Check {
	known, err := c.hasGenerations(ctx)
	if known {
		return okCheck("failover", "noticed by every commit")
	}
	message := "a change of the master between a text and its commit is not noticed"
	if err != nil {
		message += ": " + err.Error()
	}
	return warnCheck("failover", message, "allow INFO in scripts")
}

// enableFencing enables the comparison of generations if Redis has them and permits reading them. It returns an error only if
// Redis is temporarily unavailable.
func (c *Conn) enableFencing(ctx context.Context) error {
	if c.Engine.Name == engineMemory {
		return nil
	}
	known, err := c.hasGenerations(ctx)
	if err != nil && IsUnavailable(err) { // temporary
		return Wrap(ctx, err)
	}
	c.HasGenerations = known
	return nil
}

// Generations is a set of master generations. They were read before the data on which a transaction depends, of other
// transactions or content, was read or written.
type Generations struct{ generations map[string]string } // by hash tag; "" = all tags

// Generations reads the generations of the masters of shards.
func (c *Conn) Generations(ctx context.Context, shards ...Shard) (Generations, error) {
	g := Generations{map[string]string{}}
	if !c.HasGenerations {
		return g, nil
	}
	if c.Engine.Name != EngineCluster {
		shards = shards[:min(1, len(shards))]
	}
	for _, shard := range shards {
		key := shard.Key(StreamKind, "events")
		FailBefore("ground")
		generation, err := c.Client.Eval(ctx, generationSource, []string{c.Name(key)}).Text()
		FailAfter("ground")
		if err != nil {
			return g, Wrap(ctx, err)
		}
		maps.Copy(g.generations, c.GenerationsOf(key, generation).generations)
	}
	return g, nil
}

// GenerationsOf returns a Generations with one known generation of a key's master.
func (c *Conn) GenerationsOf(key Key, generation string) Generations {
	tag := ""
	if c.Engine.Name == EngineCluster {
		tag = key.Tag()
	}
	return Generations{map[string]string{tag: generation}}
}

// Merge returns the union of g and other, or ErrStale if they contain different generations of one master.
func (g Generations) Merge(other Generations) (Generations, error) {
	both := maps.Clone(other.generations)
	for tag, generation := range g.generations {
		if existing, known := both[tag]; known && existing != generation {
			return Generations{}, fmt.Errorf("%w: a master has changed", ErrStale)
		}
		if both == nil {
			both = map[string]string{}
		}
		both[tag] = generation
	}
	return Generations{both}, nil
}

type generationsKey struct{}

// WithGenerations makes every transaction of a context depend on generations: if a master has changed by the commit, Update
// returns ErrStale. An operation whose later transactions depend on its earlier ones calls it first.
func WithGenerations(ctx context.Context, g Generations) context.Context {
	return context.WithValue(ctx, generationsKey{}, g)
}

// RequiredGeneration returns the generation that a transaction of a shard depends on; "" = none.
func RequiredGeneration(ctx context.Context, shard Shard) string {
	g, _ := ctx.Value(generationsKey{}).(Generations)
	if generation := g.generations[""]; generation != "" {
		return generation
	}
	return g.generations[shard.tag]
}

// WriteGeneration records the generation of a series of writes.
type WriteGeneration struct {
	Generation string // "" = not compared
	Mixed      bool   // set if several masters wrote: the first writes may be lost
}

// Add adds the generation of a write; "" is ignored.
func (w *WriteGeneration) Add(generation string) {
	if generation != "" {
		w.Mixed = w.Mixed || w.Generation != "" && w.Generation != generation
		w.Generation = generation
	}
}

// GenerationReply returns the generation in a reply to QueueGeneration, or "" for nil.
func GenerationReply(reply *goredis.Cmd) string {
	if reply == nil {
		return ""
	}
	generation, _ := reply.Text()
	return generation
}
