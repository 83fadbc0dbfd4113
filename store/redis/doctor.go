package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// Verdict is what one check of Doctor comes to.
type Verdict string

// The verdicts, best first. Open fails on VerdictRefuse.
const (
	VerdictOK     Verdict = "ok"
	VerdictInfo   Verdict = "info"
	VerdictWarn   Verdict = "warn"
	VerdictRefuse Verdict = "refuse"
)

// Check is one finding about the Redis that the store runs on.
type Check struct {
	Name    string
	Verdict Verdict
	Message string // what is so
	Hint    string // what to do about it; "" if nothing
}

// databaseSchema is the form of the whole database that this program knows.
const databaseSchema = 1

// SchemaKey has the form of the database. It is the one key without a tag.
func SchemaKey() Key { return Named(StringKind, "schema") }

// Doctor examines Redis: its version, role, memory policy, durability, clock,
// and whether it lets the store do what it has to.
func (c *Conn) Doctor(ctx context.Context) []Check {
	if err := c.Ping(ctx); err != nil {
		return []Check{{"connection", VerdictRefuse, plainly(err), "is Redis running, are the address and the password right?"}}
	}
	checks := []Check{{"connection", VerdictOK, c.Engine.String(), ""}}
	if c.Engine.Name == engineMemory {
		checks = append(checks, Check{"durability", VerdictWarn, "data is gone at exit", "set WSD_REDIS_URL, or install redis-server"})
	} else {
		checks = append(checks, c.inspectNodes(ctx)...)
		checks = append(checks, c.checkGeneration(ctx))
	}
	return append(checks, c.checkScript(ctx), c.checkSchema(ctx))
}

// admit refuses a Redis on which data would be lost, and marks an empty one
// with the form of its data.
func (c *Conn) admit(ctx context.Context) error {
	checks, err := c.examine(ctx)
	if err != nil {
		return err
	}
	for _, check := range checks {
		if check.Verdict == VerdictRefuse {
			return fmt.Errorf("%w: %s: %s; %s", ErrRefused, check.Name, check.Message, check.Hint)
		}
		if check.Verdict == VerdictWarn && (check.Name == "replicas" || check.Name == "failover") {
			c.Logger.Warn("a failover of redis may lose what was acknowledged", "check", check.Name, "message", check.Message, "hint", check.Hint)
		}
	}
	if err := c.fence(ctx); err != nil {
		return err
	}
	FailBefore("schema.write")
	err = c.Client.SetNX(ctx, c.Name(SchemaKey()), databaseSchema, 0).Err()
	FailAfter("schema.write")
	return Wrap(ctx, err)
}

// examine is Doctor for who may wait: where a check refuses because Redis is not
// there or not ready, that is an ErrUnavailable. Redis may come up between the
// check and the question whether it is there, so only a refusal that is
// repeated counts.
func (c *Conn) examine(ctx context.Context) ([]Check, error) {
	checks := c.Doctor(ctx)
	for range 2 {
		if !slices.ContainsFunc(checks, func(check Check) bool { return check.Verdict == VerdictRefuse }) {
			return checks, nil
		}
		if err := c.unready(ctx); err != nil {
			return nil, err
		}
		checks = c.Doctor(ctx)
	}
	return checks, nil
}

// inspectNodes examines every master.
func (c *Conn) inspectNodes(ctx context.Context) []Check {
	cluster, ok := c.Client.(*goredis.ClusterClient)
	if !ok {
		return c.inspect(ctx, c.Client)
	}
	checks := []Check{checkCluster(ctx, cluster)}
	var mu sync.Mutex // ForEachMaster asks the nodes at the same time
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error {
		found := c.inspect(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		checks = worst(checks, found)
		return nil
	})
	if err != nil {
		checks = append(checks, Check{"cluster", VerdictRefuse, err.Error(), "are all masters reachable?"})
	}
	return checks
}

// worst keeps one check per name: that of the node that is worst off.
func worst(checks, found []Check) []Check {
	ranks := []Verdict{VerdictOK, VerdictInfo, VerdictWarn, VerdictRefuse}
	for _, check := range found {
		at := slices.IndexFunc(checks, func(c Check) bool { return c.Name == check.Name })
		switch {
		case at < 0:
			checks = append(checks, check)
		case slices.Index(ranks, check.Verdict) > slices.Index(ranks, checks[at].Verdict):
			checks[at] = check
		}
	}
	return checks
}

// checkCluster asks whether every slot is served.
func checkCluster(ctx context.Context, cluster *goredis.ClusterClient) Check {
	text, err := cluster.ClusterInfo(ctx).Result()
	if err != nil {
		return Check{"cluster", VerdictRefuse, err.Error(), "is this a cluster?"}
	}
	info := parseInfo(text)
	if info["cluster_state"] != "ok" || info["cluster_slots_ok"] != "16384" {
		return Check{"cluster", VerdictRefuse, "state " + info["cluster_state"] + ", " + info["cluster_slots_ok"] + " slots of 16384", "wait for the cluster, or repair it"}
	}
	return Check{"cluster", VerdictOK, "all slots are served", ""}
}

// inspect examines one server.
func (c *Conn) inspect(ctx context.Context, node goredis.Cmdable) []Check {
	text, err := node.Info(ctx).Result()
	if err != nil {
		return []Check{{"info", VerdictWarn, "INFO is not allowed: " + err.Error(), "allow INFO, so that this can be examined"}}
	}
	info := parseInfo(text)
	return []Check{
		checkVersion(info), c.checkMode(info), checkRole(info), c.checkEviction(info), checkPersistence(info),
		checkHealth(info), checkFsync(ctx, node), c.checkReplicas(info), checkClock(ctx, node),
	}
}

// parseInfo reads `name:value` lines.
func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if name, value, found := strings.Cut(lines.Text(), ":"); found {
			info[name] = strings.TrimSpace(value)
		}
	}
	return info
}

func checkVersion(info map[string]string) Check {
	version := info["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 7 {
		return Check{"version", VerdictRefuse, "redis " + version, "7.0 or later is needed"}
	}
	return Check{"version", VerdictOK, "redis " + version, ""}
}

func (c *Conn) checkMode(info map[string]string) Check {
	mode := info["redis_mode"]
	if (mode == "cluster") != (c.Engine.Name == EngineCluster) {
		return Check{"mode", VerdictRefuse, "the server's mode is " + mode, "a cluster needs a redis+cluster:// address, anything else must not have one"}
	}
	return Check{"mode", VerdictOK, mode, ""}
}

func checkRole(info map[string]string) Check {
	if info["role"] != "master" {
		return Check{"role", VerdictRefuse, "this is a " + info["role"], "use the address of the master, or redis+sentinel://"}
	}
	return Check{"role", VerdictOK, "master", ""}
}

func (c *Conn) checkEviction(info map[string]string) Check {
	policy := info["maxmemory_policy"]
	switch {
	case policy == "noeviction":
		return Check{"eviction", VerdictOK, policy, ""}
	case info["maxmemory"] == "0":
		return Check{"eviction", VerdictWarn, policy + ", without a memory limit so far", "set maxmemory-policy noeviction before a limit is set"}
	case c.config.AllowEviction:
		return Check{"eviction", VerdictWarn, policy + ": parts of documents may be deleted", "set maxmemory-policy noeviction"}
	}
	return Check{"eviction", VerdictRefuse, policy + " deletes parts of documents when memory is short", "set maxmemory-policy noeviction"}
}

func checkPersistence(info map[string]string) Check {
	if info["aof_enabled"] != "1" {
		return Check{"persistence", VerdictWarn, "no append-only file: a crash loses minutes", "set appendonly yes"}
	}
	return Check{"persistence", VerdictOK, "append-only file", ""}
}

func checkHealth(info map[string]string) Check {
	switch {
	case info["loading"] == "1":
		return Check{"health", VerdictWarn, "still loading its data", "wait"}
	case info["aof_last_write_status"] == "err":
		return Check{"health", VerdictWarn, "the append-only file cannot be written", "is the disk full?"}
	case info["rdb_last_bgsave_status"] == "err":
		return Check{"health", VerdictWarn, "the last snapshot failed", "is the disk full?"}
	}
	return Check{"health", VerdictOK, "writes reach the disk", ""}
}

func checkFsync(ctx context.Context, node goredis.Cmdable) Check {
	settings, err := node.ConfigGet(ctx, "appendfsync").Result()
	switch policy := settings["appendfsync"]; {
	case err != nil || policy == "":
		return Check{"appendfsync", VerdictInfo, "CONFIG is not allowed here", "see to it that appendfsync is always, or know what everysec means"}
	case policy == "always":
		return Check{"appendfsync", VerdictOK, policy, ""}
	default:
		return Check{"appendfsync", VerdictInfo, policy + ": a power failure can lose the last second or more, a crash of the server nothing", "set appendfsync always if that is too much"}
	}
}

func (c *Conn) checkReplicas(info map[string]string) Check {
	replicated := c.Engine.Name == EngineCluster || c.Engine.Name == engineSentinel
	connected, _ := strconv.Atoi(info["connected_slaves"])
	if replicated && connected == 0 {
		return Check{"replicas", VerdictWarn, "a master has no replica", "add one: a failover needs it"}
	}
	if (replicated || connected > 0) && info["min_slaves_good_slaves"] == "" {
		return Check{"replicas", VerdictWarn, "min-replicas-to-write is 0: a master that is cut off takes writes that get lost", "set min-replicas-to-write 1"}
	}
	return Check{"replicas", VerdictOK, info["connected_slaves"] + " connected", ""}
}

// maxSkew is the difference between two clocks that is worth a warning.
const maxSkew = 2 * time.Second

func checkClock(ctx context.Context, node goredis.Cmdable) Check {
	there, err := node.Time(ctx).Result()
	if err != nil {
		return Check{"clock", VerdictWarn, err.Error(), "allow TIME"}
	}
	if skew := time.Since(there).Abs(); skew > maxSkew {
		return Check{"clock", VerdictWarn, "differs by " + skew.Round(time.Millisecond).String(), "synchronise the clocks"}
	}
	return Check{"clock", VerdictOK, "agrees", ""}
}

// probeSource does what the store's scripts do, on a key of its own.
const probeSource = `redis.call('TIME')
redis.call('XADD', KEYS[1], '*', 'probe', '1')
return redis.call('DEL', KEYS[1])`

// probe writes and takes back.
func (c *Conn) probe(ctx context.Context) error {
	probe := Named(StreamKind, "{probe}:"+c.NextOp())
	return goredis.NewScript(probeSource).Run(ctx, c.Client, []string{c.Name(probe)}).Err()
}

// checkScript finds permissions that are missing before a request does.
func (c *Conn) checkScript(ctx context.Context) Check {
	FailBefore("probe")
	err := c.probe(ctx)
	if err == nil {
		for _, script := range c.config.Scripts {
			err = errors.Join(err, script.Load(ctx, c.Client).Err())
		}
	}
	FailAfter("probe")
	if err != nil {
		return Check{"scripts", VerdictRefuse, err.Error(), "allow EVAL, EVALSHA, SCRIPT and the commands on all keys of the prefix"}
	}
	return Check{"scripts", VerdictOK, "run", ""}
}

// checkSchema refuses data that a newer program wrote.
func (c *Conn) checkSchema(ctx context.Context) Check {
	FailBefore("schema.read")
	schema, err := c.Client.Get(ctx, c.Name(SchemaKey())).Int()
	FailAfter("schema.read")
	switch {
	case errors.Is(err, goredis.Nil):
		return Check{"schema", VerdictOK, "empty database", ""}
	case err != nil:
		return Check{"schema", VerdictRefuse, err.Error(), "is this another program's database?"}
	case schema > databaseSchema:
		return Check{"schema", VerdictRefuse, fmt.Sprintf("the data has form %d, this program knows %d", schema, databaseSchema), "use a newer wsd"}
	}
	return Check{"schema", VerdictOK, fmt.Sprintf("form %d", schema), ""}
}
