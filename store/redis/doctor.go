package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"

	goredis "github.com/redis/go-redis/v9"
)

// Doctor examines the store: the version of Redis, its role, memory, durability, disk, replicas and clock, its
// permissions, and whether the data matches this program and its secrets. Its writes are removed again.
func (c *Conn) Doctor(ctx context.Context) Health {
	if err := c.Ping(ctx); err != nil {
		return Health{errorCheck("connection", err, connectionHint(err))}
	}
	return c.checkHolds(ctx, c.examine(ctx).with(c.checkWrite(ctx)...))
}

// examine is Doctor without the write checks.
func (c *Conn) examine(ctx context.Context) Health {
	h := Health{okCheck("connection", c.Engine.String())}
	if c.Engine.Name == engineMemory {
		h = h.with(warnCheck("persistence", "data is gone at exit", "set WSD_REDIS_URL, or install redis-server"))
	} else {
		checks, figures := c.inspectNodes(ctx)
		c.figures.Store(&figures)
		h = h.with(checks...)
		h = h.with(c.checkGeneration(ctx))
	}
	h = h.with(c.checkDirectory()...)
	return h.with(c.checkScripts(ctx), c.checkDataFormat(ctx), c.checkSecrets(ctx))
}

// admit refuses a Redis that could lose data and marks an empty one with the data format.
func (c *Conn) admit(ctx context.Context) error {
	health := c.Doctor(ctx)
	if errors.Is(health.startError(), ErrUnavailable) && c.probe(ctx) == nil { // it became available in the meantime
		health = c.Doctor(ctx)
	}
	if err := health.startError(); err != nil {
		return err
	}
	for _, check := range health {
		if check.Verdict == VerdictWarn || check.Verdict == VerdictRefuse {
			c.Logger.Warn("the store is not as it should be: "+check.Name, "message", check.Message, "hint", check.Hint)
		}
	}
	if err := c.enableFencing(ctx); err != nil {
		return err
	}
	if err := c.markSchema(ctx); err != nil {
		return err
	}
	if err := c.readFormat(ctx); err != nil {
		return err
	}
	c.setCondition(health, true)
	return nil
}

// markSchema writes the data format and the missing fingerprints of secrets. If existing data is required, it writes only
// the fingerprints.
func (c *Conn) markSchema(ctx context.Context) error {
	if c.config.Existing && !c.config.Memory {
		there, err := c.Client.Exists(ctx, c.Name(SchemaKey())).Result()
		if err != nil {
			return Wrap(ctx, err)
		}
		if there == 0 {
			return fmt.Errorf("%w: %s has none", ErrNoData, c.Engine.location())
		}
	} else {
		FailBefore("schema.write")
		err := c.Client.SetNX(ctx, c.Name(SchemaKey()), c.formatState.known, 0).Err()
		FailAfter("schema.write")
		// A full Redis refuses the write even if the key exists, which is the case in every store with data.
		if err != nil && !IsFull(err) {
			return Wrap(ctx, err)
		}
	}
	return c.markSecrets(ctx)
}

// inspectNodes examines every master.
func (c *Conn) inspectNodes(ctx context.Context) ([]Check, Figures) {
	cluster, ok := c.Client.(*goredis.ClusterClient)
	if !ok {
		return c.inspect(ctx, c.Client)
	}
	checks, figures := Health{checkCluster(ctx, cluster)}, unknownFigures
	var mu sync.Mutex // ForEachMaster calls concurrently
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error {
		nodeChecks, nodeFigures := c.inspect(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		checks, figures = checks.with(nodeChecks...), figures.with(nodeFigures)
		return nil
	})
	if err != nil {
		checks = checks.with(errorCheck("cluster", err, "are all masters reachable?"))
	}
	return checks, figures
}

// checkCluster checks that every slot is served.
func checkCluster(ctx context.Context, cluster *goredis.ClusterClient) Check {
	text, err := cluster.ClusterInfo(ctx).Result()
	if err != nil {
		return errorCheck("cluster", err, "is this a cluster?")
	}
	info := parseInfo(text)
	if info["cluster_state"] != "ok" || info["cluster_slots_ok"] != "16384" {
		message := "state " + info["cluster_state"] + ", " + info["cluster_slots_ok"] + " slots of 16384"
		return temporaryRefusal("cluster", message, "wait for the cluster, or repair it", replyError("CLUSTERDOWN "+message))
	}
	return okCheck("cluster", "all slots are served")
}

// inspect examines one server. A hosted Redis may refuse INFO and CONFIG, which is not a reason to refuse it.
func (c *Conn) inspect(ctx context.Context, node goredis.Cmdable) ([]Check, Figures) {
	text, err := node.Info(ctx).Result()
	if err != nil && IsUnavailable(err) {
		return []Check{errorCheck("connection", err, "")}, unknownFigures
	}
	if err != nil {
		return []Check{
			warnCheck("info", "INFO is not allowed: "+err.Error(), "allow INFO, so that this can be examined"), c.checkClock(ctx, node),
		}, unknownFigures
	}
	info := parseInfo(text)
	settings := readSettings(ctx, node)
	checks := []Check{
		checkVersion(info), c.checkMode(info), checkRole(info), c.checkEviction(info), checkMemory(info),
		c.checkPersistence(info, settings), checkDisk(info), c.checkReplicas(info), c.checkClock(ctx, node),
	}
	return append(checks, checkSettings(settings)...), figuresOf(info)
}

// probeSource uses the commands of the store's scripts on a separate key.
const probeSource = `redis.call('TIME')
redis.call('XADD', KEYS[1], '*', 'probe', '1')
return redis.call('DEL', KEYS[1])`

// probeTags is the number of hash tags that are tried to find one for each master.
const probeTags = 64

// probe writes and deletes a key on every master.
func (c *Conn) probe(ctx context.Context) error {
	ctx = withCanary(ctx)
	cluster, clustered := c.Client.(*goredis.ClusterClient)
	if !clustered {
		err := c.probeAt(ctx, "{probe}:")
		if err == nil && c.gate != nil {
			c.gate.exited.Store(false)
		}
		return err
	}
	var failures []error
	seen := map[string]bool{}
	for n := range probeTags {
		tag := fmt.Sprintf("{probe%d}:", n)
		node, err := cluster.MasterForKey(ctx, c.Name(NamedKey(StreamKind, tag)))
		if err == nil && seen[node.Options().Addr] {
			continue
		}
		if err == nil {
			seen[node.Options().Addr] = true
			err = c.probeAt(ctx, tag)
		}
		if err != nil {
			failures = append(failures, err)
			break
		}
	}
	return errors.Join(failures...)
}

func (c *Conn) probeAt(ctx context.Context, tag string) error {
	return c.evalOnce(ctx, "eval", probeSource, []string{c.Name(NamedKey(StreamKind, tag+c.NextOp()))}, nil).Err()
}

// checkWrite checks that every master accepts writes.
func (c *Conn) checkWrite(ctx context.Context) []Check {
	FailBefore("probe")
	err := c.probe(ctx)
	FailAfter("probe")
	if err != nil {
		return []Check{errorCheck("write", err, "allow EVAL, EVALSHA and the commands on all keys of the prefix")}
	}
	return []Check{okCheck("write", "works")}
}

// checkScripts checks that Redis permits the commands of the store's scripts, so that no request fails for lack of a
// permission.
func (c *Conn) checkScripts(ctx context.Context) Check {
	for _, script := range c.config.Scripts {
		if err := script.Load(ctx, c.Client).Err(); err != nil {
			return errorCheck("scripts", err, "allow EVAL, EVALSHA and SCRIPT")
		}
	}
	return okCheck("scripts", "are known")
}
