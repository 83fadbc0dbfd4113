package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

var (
	// ErrUpgradePending is returned for a write that needs a newer format than the data has, although this program supports
	// it. Nothing was written. FinishUpgrade makes the write possible.
	ErrUpgradePending = errors.New("store: the upgrade of the data is not finished")
	// ErrOlderNode is returned by FinishUpgrade if a serving node does not support the newer format.
	ErrOlderNode = errors.New("store: a serving node does not know the newer form")
)

//go:embed upgrade.lua
var upgradeSource string

// UpgradeKey returns the key of the HASH of the pending upgrade.
func UpgradeKey() Key { return NamedKey(HashKind, "upgrade") }

// PendingUpgrade describes a newer format that all serving nodes support and that the data does not have yet.
type PendingUpgrade struct {
	Format int           // the newer format
	Since  time.Time     // start of the count, by the clock of the node that started it
	Known  time.Duration // how long all serving nodes have supported it, by their monotonic clocks
	After  time.Duration // value of Known at which the data gets the format without FinishUpgrade
}

// Left returns the time until the data gets the format.
func (p PendingUpgrade) Left() time.Duration { return max(0, p.After-p.Known).Round(time.Second) }

// String returns a short description.
func (p PendingUpgrade) String() string {
	return fmt.Sprintf("form %d is pending since %s and taken in %s, or by wsd upgrade --finish", p.Format,
		p.Since.UTC().Format(time.RFC3339), p.Left())
}

// upgradeState is the pending upgrade as far as this process knows it.
type upgradeState struct {
	after  time.Duration
	script *goredis.Script
	last   atomic.Pointer[PendingUpgrade] // when last read; nil = none is pending

	mu      sync.Mutex
	count   PendingUpgrade // the count that this process continues; the zero value = none
	at      time.Time      // time of count.Known; has a monotonic reading unless Config.Clock is set
	cleared bool           // UpgradeKey was deleted after count ended
}

// PendingUpgrade returns the pending upgrade when it was last read, or nil. It does not access Redis.
func (c *Conn) PendingUpgrade() *PendingUpgrade { return c.upgrade.last.Load() }

// readUpgrade reads the pending upgrade of data in a format, or nil.
func (c *Conn) readUpgrade(ctx context.Context, data int) (*PendingUpgrade, error) {
	fields, err := c.Client.HGetAll(ctx, c.Name(UpgradeKey())).Result()
	if err != nil || len(fields) == 0 {
		return nil, Wrap(ctx, err)
	}
	numbers := map[string]int64{}
	for _, name := range []string{"format", "since", "known", "after"} {
		if numbers[name], err = strconv.ParseInt(fields[name], 10, 64); err != nil {
			return nil, Corrupt("%s %q of the pending upgrade", name, fields[name])
		}
	}
	if numbers["format"] <= int64(data) {
		return nil, nil //nolint:nilnil // the upgrade is finished; the next Join removes the count
	}
	return &PendingUpgrade{
		Format: int(numbers["format"]), Since: time.UnixMilli(numbers["since"]).UTC(),
		Known: time.Duration(numbers["known"]) * time.Millisecond, After: time.Duration(numbers["after"]) * time.Millisecond,
	}, nil
}

// continueUpgrade raises the format of the data to common, the newest that all serving nodes support, when it is due. It
// returns the new status.
func (c *Conn) continueUpgrade(ctx context.Context, now FormatStatus, common int) (FormatStatus, error) {
	if !now.Older() || common <= now.Data {
		return now, c.clearUpgrade(ctx)
	}
	due, err := c.isUpgradeDue(ctx, common)
	if err != nil || !due {
		return now, err
	}
	if err := c.raiseFormat(ctx, common); err != nil {
		return now, err
	}
	return c.FormatStatus(ctx)
}

// isUpgradeDue reports whether the data is to get a format that all serving nodes support. Every node counts the time
// with its monotonic clock, continues the longest count of all nodes, and writes its own at each Join, so that the time in
// which no node serves is not counted and a restart loses at most the time between two calls.
func (c *Conn) isUpgradeDue(ctx context.Context, format int) (bool, error) {
	u := &c.upgrade
	if u.after <= 0 {
		return true, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	now, since, known := c.clock(), "", time.Duration(0)
	if u.count.Format == format {
		since = strconv.FormatInt(u.count.Since.UnixMilli(), 10)
		known = u.count.Known + max(0, now.Sub(u.at))
	}
	reply, err := u.script.Run(ctx, c.Client, []string{c.Name(UpgradeKey())}, format, since, known.Milliseconds(),
		c.Now().UnixMilli(), u.after.Milliseconds()).StringSlice()
	if err != nil {
		return false, Wrap(ctx, err)
	}
	sinceMillis, errSince := strconv.ParseInt(reply[0], 10, 64)
	knownMillis, errKnown := strconv.ParseInt(reply[1], 10, 64)
	if err := errors.Join(errSince, errKnown); err != nil {
		return false, Corrupt("count of the pending upgrade %q", reply)
	}
	started := u.count.Format != format
	u.count = PendingUpgrade{format, time.UnixMilli(sinceMillis).UTC(), time.Duration(knownMillis) * time.Millisecond, u.after}
	u.at, u.cleared = now, false
	u.last.Store(new(u.count))
	if started {
		c.Logger.Info("an upgrade of the data is pending; until it is finished, the build before can be started again",
			"form", format, "since", u.count.Since, "left", u.count.Left().String(), "finish", "wsd upgrade --finish")
	}
	return u.count.Known >= u.after, nil
}

// clearUpgrade ends the count if there is one, because the data has the format or a serving node does not support it.
func (c *Conn) clearUpgrade(ctx context.Context) error {
	u := &c.upgrade
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.cleared {
		return nil
	}
	if err := c.Client.Del(ctx, c.Name(UpgradeKey())).Err(); err != nil {
		return Wrap(ctx, err)
	}
	u.count, u.cleared = PendingUpgrade{}, true
	u.last.Store(nil)
	return nil
}

// FinishUpgrade gives the data the newest format that this program supports; serving nodes write it after their next Join.
// It returns an ErrOlderNode if a serving node does not support the format, and the resulting status.
func (c *Conn) FinishUpgrade(ctx context.Context) (FormatStatus, error) {
	now, err := c.FormatStatus(ctx)
	if err = errors.Join(err, now.check()); err != nil || !now.Older() {
		return now, err
	}
	nodes, err := c.ServingNodes(ctx)
	if err != nil {
		return now, err
	}
	var older []string
	for _, n := range nodes {
		if n.Format < now.Supported {
			older = append(older, fmt.Sprintf("%s (form %d)", n.Name(), n.Format))
		}
	}
	if len(older) > 0 {
		return now, fmt.Errorf("%w: form %d is not known to %s", ErrOlderNode, now.Supported, strings.Join(older, ", "))
	}
	if err := c.raiseFormat(ctx, now.Supported); err != nil {
		return now, err
	}
	if err := c.clearUpgrade(ctx); err != nil {
		return now, err
	}
	return c.FormatStatus(ctx)
}

// CheckWriteFormat returns an ErrUpgradePending if records are currently written in an older format than the given one.
func (c *Conn) CheckWriteFormat(format int) error {
	if written := c.WriteFormat(); format > written {
		return fmt.Errorf("%w: form %d is needed, form %d is written", ErrUpgradePending, format, written)
	}
	return nil
}
