package redis

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// parseInfo parses `name:value` lines.
func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if name, value, found := strings.Cut(lines.Text(), ":"); found {
			info[name] = strings.TrimSpace(value)
		}
	}
	return info
}

// readSettings reads the settings that INFO does not contain. It returns nil if CONFIG is not allowed.
func readSettings(ctx context.Context, node goredis.Cmdable) map[string]string {
	settings := map[string]string{}
	for _, name := range []string{"appendfsync", "save"} {
		answer, err := node.ConfigGet(ctx, name).Result()
		value, ok := answer[name]
		if err != nil || !ok {
			return nil
		}
		settings[name] = value
	}
	return settings
}

func checkVersion(info map[string]string) Check {
	version := info["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 7 {
		return refuseCheck("version", "redis "+version, "7.0 or later is needed")
	}
	return okCheck("version", "redis "+version)
}

func (c *Conn) checkMode(info map[string]string) Check {
	mode := info["redis_mode"]
	if (mode == "cluster") != (c.Engine.Name == EngineCluster) {
		return refuseCheck("mode", "the server's mode is "+mode,
			"a cluster needs a redis+cluster:// address, anything else must not have one")
	}
	return okCheck("mode", mode)
}

// checkRole refuses a Redis that is not a master. The refusal of a read-only replica is temporary, because it may become the
// master.
func checkRole(info map[string]string) Check {
	const hint = "use the address of the master, or redis+sentinel://"
	switch {
	case info["role"] == "master":
		return okCheck("role", "master")
	case info["slave_read_only"] == "1":
		return temporaryRefusal("role", "this is a replica, which only reads", hint, replyError("READONLY this is a replica"))
	}
	return refuseCheck("role", "this is a "+info["role"], hint)
}

func (c *Conn) checkEviction(info map[string]string) Check {
	policy := info["maxmemory_policy"]
	switch {
	case policy == "noeviction":
		return okCheck("eviction", policy)
	case info["maxmemory"] == "0":
		return warnCheck("eviction", policy+", without a memory limit so far", "set maxmemory-policy noeviction before a limit is set")
	case c.config.AllowEviction:
		return warnCheck("eviction", policy+": parts of documents may be deleted", "set maxmemory-policy noeviction")
	}
	return refuseCheck("eviction", policy+" deletes parts of documents when memory is short", "set maxmemory-policy noeviction")
}

// nearlyFull is the usage of memory or disk, in percent, that causes a warning.
const nearlyFull = 95

// checkMemory reports the memory left within the limit of Redis or of the machine.
func checkMemory(info map[string]string) Check {
	used, _ := strconv.ParseInt(info["used_memory"], 10, 64)
	limit, of := int64(0), "maxmemory"
	if limit, _ = strconv.ParseInt(info["maxmemory"], 10, 64); limit == 0 {
		limit, _ = strconv.ParseInt(info["total_system_memory"], 10, 64)
		of = "the machine"
	}
	if limit <= 0 {
		return okCheck("memory", formatMiB(used))
	}
	message := fmt.Sprintf("%s, %d %% of %s", formatMiB(used), used*100/limit, of)
	if used*100 >= limit*nearlyFull {
		return warnCheck("memory", message, "raise maxmemory, or delete what is not needed: a full store takes no writes")
	}
	return okCheck("memory", message)
}

// formatMiB formats a number of bytes for people.
func formatMiB(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }

// checkPersistence refuses a Redis without persistence. With snapshots only, the last minutes can be lost.
func (c *Conn) checkPersistence(info, settings map[string]string) Check {
	const hint = "set appendonly yes"
	switch save, known := settings["save"]; {
	case info["aof_enabled"] == "1":
		return okCheck("persistence", "append-only file")
	case !known:
		return warnCheck("persistence",
			"no append-only file, and whether there are snapshots is not known: a crash loses minutes, or everything", hint)
	case save != "":
		return warnCheck("persistence", "snapshots, but no append-only file: a crash loses minutes", hint)
	case c.config.AllowLoss:
		return warnCheck("persistence", "nothing is kept: no append-only file and no snapshots", hint)
	}
	return refuseCheck("persistence", "nothing is kept: no append-only file and no snapshots", hint+"; --allow-loss serves it all the same")
}

// checkDisk reports whether writes reach the disk of Redis.
func checkDisk(info map[string]string) Check {
	switch {
	case info["aof_enabled"] == "1" && info["aof_last_write_status"] == "err":
		return refuseWritesCheck("disk", "the append-only file cannot be written", "is the disk full?")
	case info["rdb_last_bgsave_status"] == "err":
		return warnCheck("disk", "the last snapshot failed", "is the disk full?")
	case info["aof_enabled"] == "1" && info["aof_last_bgrewrite_status"] == "err":
		return warnCheck("disk", "the append-only file could not be rewritten", "is the disk full?")
	}
	return okCheck("disk", "writes reach it")
}

// checkSettings checks the settings read by readSettings.
func checkSettings(settings map[string]string) []Check {
	switch policy := settings["appendfsync"]; {
	case settings == nil:
		return []Check{
			warnCheck("config", "CONFIG is not allowed here", "see to it that appendfsync is always, or know what everysec means"),
		}
	case policy == "always":
		return []Check{okCheck("appendfsync", policy)}
	case policy == "no":
		return []Check{
			warnCheck("appendfsync", policy+": a power failure can lose the last half minute or more, a crash of the server nothing",
				"set appendfsync always"),
		}
	default:
		return []Check{
			infoCheck("appendfsync", policy+": a power failure can lose the last second or more, a crash of the server nothing",
				"set appendfsync always if that is too much"),
		}
	}
}

func (c *Conn) checkReplicas(info map[string]string) Check {
	replicated := c.Engine.Name == EngineCluster || c.Engine.Name == engineSentinel
	connected, _ := strconv.Atoi(info["connected_slaves"])
	if replicated && connected == 0 {
		return warnCheck("replicas", "a master has no replica", "add one: a failover needs it")
	}
	if (replicated || connected > 0) && info["min_slaves_good_slaves"] == "" {
		return warnCheck("replicas", "min-replicas-to-write is 0: a master that is cut off takes writes that get lost",
			"set min-replicas-to-write 1")
	}
	return okCheck("replicas", info["connected_slaves"]+" connected")
}

// maxSkew is the clock difference that causes a warning.
const maxSkew = 2 * time.Second

// checkClock compares the clock of a server with that of this machine.
func (c *Conn) checkClock(ctx context.Context, node goredis.Cmdable) Check {
	there, err := node.Time(ctx).Result()
	if err != nil {
		return warnCheck("clock", err.Error(), "allow TIME")
	}
	now := time.Now()
	if c.config.WallClock != nil {
		now = c.config.WallClock()
	}
	if skew := now.Sub(there).Abs(); skew > maxSkew {
		return warnCheck("clock", "differs by "+skew.Round(time.Millisecond).String(), "synchronise the clocks")
	}
	return okCheck("clock", "agrees")
}
