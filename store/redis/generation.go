package redis

import (
	"context"
	"fmt"
	"maps"

	goredis "github.com/redis/go-redis/v9"
)

// A generation is the life of a master, named by its replication id: a replica
// that is promoted has another one, and so has a server that started again. What
// was written in one generation may be lost in the next. What a transaction
// refers to is written just before its commit, by other commands; so the commit
// names the generation of those, and does not hold in another one.
//
// This needs what is referred to and the commit on one master: everything, but
// on a Cluster only what has the hash tag of the transaction.

// generationSource answers the generation of the master that has a key.
const generationSource = `return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''`

// Compares reports whether the generation of the master that has a key means
// something for a transaction of the shard.
func (c *Conn) Compares(shard Shard, key Key) bool {
	return c.Fenced && (c.Engine.Name != EngineCluster || key.Tag() == shard.tag)
}

// QueueGeneration asks for the generation of the master of a key, where there is
// one, before anything else that the pipeline does on the same connection: what is
// written behind it is of this generation or of a later one.
func (c *Conn) QueueGeneration(ctx context.Context, pipe goredis.Pipeliner, key Key) *goredis.Cmd {
	if !c.Fenced {
		return nil
	}
	return pipe.Eval(ctx, generationSource, []string{c.Name(key)})
}

// askGeneration finds out whether generations can be told apart: the emulation
// has none, and a hosted Redis may refuse INFO.
func (c *Conn) askGeneration(ctx context.Context) (known bool, err error) {
	probe := Named(StreamKind, "{probe}:"+c.NextOp())
	FailBefore("probe.generation")
	found, err := goredis.NewScript(generationSource).Run(ctx, c.Client, []string{c.Name(probe)}).Text()
	FailAfter("probe.generation")
	return err == nil && found != "", err
}

// checkGeneration says whether failovers are noticed.
func (c *Conn) checkGeneration(ctx context.Context) Check {
	known, err := c.askGeneration(ctx)
	if known {
		return ok("failover", "noticed by every commit")
	}
	message := "a change of the master between a text and its commit is not noticed"
	if err != nil {
		message += ": " + err.Error()
	}
	return warn("failover", message, "allow INFO in scripts")
}

// fence turns the comparison on where it is possible.
func (c *Conn) fence(ctx context.Context) error {
	if c.Engine.Name == engineMemory {
		return nil
	}
	known, err := c.askGeneration(ctx)
	if err != nil && IsUnavailable(err) { // not for good
		return Wrap(ctx, err)
	}
	c.Fenced = known
	return nil
}

// Ground is the generations of masters, as they were before something was read
// or written there that a transaction rests on: other transactions, or content.
type Ground struct{ generations map[string]string } // by hash tag; "" = of all

// Ground asks for the generations of the masters of shards.
func (c *Conn) Ground(ctx context.Context, shards ...Shard) (Ground, error) {
	g := Ground{map[string]string{}}
	if !c.Fenced {
		return g, nil
	}
	if c.Engine.Name != EngineCluster {
		shards = shards[:min(1, len(shards))]
	}
	for _, shard := range shards {
		key := shard.Key(StreamKind, "events")
		FailBefore("ground")
		found, err := c.Client.Eval(ctx, generationSource, []string{c.Name(key)}).Text()
		FailAfter("ground")
		if err != nil {
			return g, Wrap(ctx, err)
		}
		maps.Copy(g.generations, c.GroundAt(key, found).generations)
	}
	return g, nil
}

// GroundAt is the ground that the generation of a key's master is.
func (c *Conn) GroundAt(key Key, generation string) Ground {
	tag := ""
	if c.Engine.Name == EngineCluster {
		tag = key.Tag()
	}
	return Ground{map[string]string{tag: generation}}
}

// With is the ground that both are. Two generations of one master are an
// ErrStale.
func (g Ground) With(other Ground) (Ground, error) {
	both := maps.Clone(other.generations)
	for tag, generation := range g.generations {
		if at, known := both[tag]; known && at != generation {
			return Ground{}, fmt.Errorf("%w: a master has changed", ErrStale)
		}
		if both == nil {
			both = map[string]string{}
		}
		both[tag] = generation
	}
	return Ground{both}, nil
}

type groundKey struct{}

// WithGround makes every transaction of a context rest on a ground: if the master
// is another one by the commit, Update returns ErrStale. What takes several
// transactions, each of which is right only where the ones before it are there,
// begins with it.
func WithGround(ctx context.Context, g Ground) context.Context {
	return context.WithValue(ctx, groundKey{}, g)
}

// GroundOf is the generation that a transaction of a shard rests on; "" = none.
func GroundOf(ctx context.Context, shard Shard) string {
	g, _ := ctx.Value(groundKey{}).(Ground)
	if generation := g.generations[""]; generation != "" {
		return generation
	}
	return g.generations[shard.tag]
}

// Written says in which generation something was written.
type Written struct {
	Generation string // "" = not compared
	Torn       bool   // by several masters: what the first ones have is lost, or will be
}

// Note adds a generation; "" is none.
func (w *Written) Note(generation string) {
	if generation != "" {
		w.Torn = w.Torn || w.Generation != "" && w.Generation != generation
		w.Generation = generation
	}
}

// Took is the reply to queueGeneration; none was asked if it is nil.
func Took(reply *goredis.Cmd) string {
	if reply == nil {
		return ""
	}
	generation, _ := reply.Text()
	return generation
}
