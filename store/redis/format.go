package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// SupportedFormat is the newest data format that this program supports. It is incremented by changes that older programs
// would misread.
const SupportedFormat = 1

// ErrNewerFormat is returned if stored data has a format that this program does not support. Nothing was written.
var ErrNewerFormat = errors.New("store: the data has a newer form")

// NodeLease is how long a serving node is listed after its last renewal.
const NodeLease = 30 * time.Second

//go:embed nodes.lua
var nodesSource string

// SchemaKey returns the key of the data format: the newest that may be written. SchemaKey, NodesKey, SecretsKey,
// ClocksKey and UpgradeKey are the only keys without a hash tag.
func SchemaKey() Key { return NamedKey(StringKind, "schema") }

// NodesKey returns the key of the list of serving nodes: see ServingNode.
func NodesKey() Key { return NamedKey(OrderKind, "nodes") }

// FormatStatus compares the format of the stored data with those that this program supports.
type FormatStatus struct {
	Data      int             // newest format that may be stored
	Empty     bool            // nothing is stored yet
	Supported int             // newest format that this program supports; it supports all older ones
	Upgrade   *PendingUpgrade // nil unless all serving nodes support a newer format than Data
}

// Newer reports whether the data is too new for this program.
func (f FormatStatus) Newer() bool { return f.Data > f.Supported }

// Older reports whether the data has an older format than this program would write, because a serving node does not
// support it or no node has started since.
func (f FormatStatus) Older() bool { return !f.Empty && f.Data < f.Supported }

// String returns a short description.
func (f FormatStatus) String() string {
	switch {
	case f.Empty:
		return "empty database"
	case f.Newer():
		return fmt.Sprintf("the data has form %d, this program knows %d", f.Data, f.Supported)
	case f.Upgrade != nil:
		return fmt.Sprintf("form %d; %s", f.Data, f.Upgrade)
	case f.Older():
		return fmt.Sprintf("form %d, this program knows %d; a serving node does not, or none has started since", f.Data, f.Supported)
	}
	return fmt.Sprintf("form %d", f.Data)
}

// check returns an ErrNewerFormat if the data is too new, otherwise nil.
func (f FormatStatus) check() error {
	if f.Newer() {
		return fmt.Errorf("%w: %s", ErrNewerFormat, f)
	}
	return nil
}

// formatState holds the data formats of a database as far as this process has read them.
type formatState struct {
	known   int
	written atomic.Int64 // format of new records: supported by every serving node
	data    atomic.Int64 // format of the data when last read
	script  *goredis.Script
}

// FormatStatus reads the format of the data in one trip, or two if it is older than this program supports.
func (c *Conn) FormatStatus(ctx context.Context) (FormatStatus, error) {
	FailBefore("schema.read")
	data, err := c.Client.Get(ctx, c.Name(SchemaKey())).Int()
	FailAfter("schema.read")
	empty := errors.Is(err, goredis.Nil)
	if empty {
		data, err = 0, nil
	}
	if err == nil {
		c.formatState.data.Store(int64(data))
	}
	status := FormatStatus{data, empty, c.formatState.known, nil}
	if err = Wrap(ctx, err); err == nil && status.Older() {
		status.Upgrade, err = c.readUpgrade(ctx, data)
	}
	if err == nil {
		c.upgrade.last.Store(status.Upgrade)
	}
	return status, err
}

// FormatError returns an ErrNewerFormat if the data had an unsupported format when it was last read. It does not access
// Redis.
func (c *Conn) FormatError() error { return c.CheckFormat(int(c.formatState.data.Load())) }

// CheckFormat returns an ErrNewerFormat if this program does not support a format.
func (c *Conn) CheckFormat(format int) error {
	return FormatStatus{Data: format, Supported: c.formatState.known}.check()
}

// WriteFormat returns the format in which records are currently written.
func (c *Conn) WriteFormat() int { return int(c.formatState.written.Load()) }

// Join lists this process as a serving node for NodeLease, or renews its lease. A node calls it before it serves and then
// periodically until Leave. If all nodes have supported a newer format than that of the data for Config.UpgradeAfter, Join raises
// the latter. It returns an ErrNewerFormat if the data is too new for this program.
//
// A joining node is listed before it reads the format, and a raising node reads the list again before it writes the format. So
// either the raising node finds the other one in the list and keeps writing the old format, or the other one reads the new
// format and does not serve.
//
// A joining node is also listed before it reads the fingerprints of the secrets, and `wsd secret replace` reads the list again
// after it has replaced one: either it finds a node that lacks a secret, or the node finds that it lacks it.
func (c *Conn) Join(ctx context.Context) error {
	c.lease.begin()
	sent := c.clock()
	common, err := c.commonFormat(ctx, c.self().member())
	if err != nil {
		return err
	}
	if _, err := c.Fingerprints(ctx); err != nil {
		return err
	}
	c.lease.renew(sent)
	now, err := c.FormatStatus(ctx)
	if err != nil {
		return err
	}
	if now, err = c.continueUpgrade(ctx, now, common); err != nil {
		return err
	}
	return errors.Join(now.check(), c.agreeOnFormat(ctx, now))
}

// Leave removes this process from the serving nodes, so that its lease need not expire.
func (c *Conn) Leave(ctx context.Context) error {
	return Wrap(ctx, c.Client.ZRem(ctx, c.Name(NodesKey()), c.self().member()).Err())
}

// commonFormat returns the newest format that this program and all serving nodes support; member is added to the list
// unless it is "".
func (c *Conn) commonFormat(ctx context.Context, member string) (int, error) {
	nodes, err := c.listNodes(ctx, member)
	if err != nil {
		return 0, err
	}
	format := c.formatState.known
	for _, node := range nodes {
		format = min(format, node.Format)
	}
	return format, nil
}

// readFormat reads the format of the data when the store is opened.
func (c *Conn) readFormat(ctx context.Context) error {
	now, err := c.FormatStatus(ctx)
	return errors.Join(err, now.check(), c.agreeOnFormat(ctx, now))
}

// checkDataFormat refuses data written by a newer program and reports older data, which is readable and upgraded
// gradually.
func (c *Conn) checkDataFormat(ctx context.Context) Check {
	now, err := c.FormatStatus(ctx)
	switch {
	case err != nil:
		return errorCheck("forms", err, "is this another program's database?")
	case now.Newer():
		return refuseCheck("forms", now.String(), "use a newer wsd")
	case now.Upgrade != nil:
		return warnCheck("forms", now.String(),
			"until then the build before can be started again; afterwards a backup is the only way back to it")
	case now.Older():
		return warnCheck("forms", now.String(), "start the new wsd on every node, and stop the older ones")
	}
	return okCheck("forms", now.String())
}

// raiseFormat sets the format of the data unless it is newer already.
func (c *Conn) raiseFormat(ctx context.Context, format int) error {
	const source = `if tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end return 1`
	FailBefore("schema.write")
	err := c.Client.Eval(ctx, source, []string{c.Name(SchemaKey())}, format).Err()
	FailAfter("schema.write")
	return Wrap(ctx, err)
}

// agreeOnFormat switches to writing records in the format of the data if all serving nodes support it. An agreement is
// permanent: a node that does not support the format of the data does not serve.
func (c *Conn) agreeOnFormat(ctx context.Context, now FormatStatus) error {
	format := int64(min(now.Data, now.Supported))
	if format <= c.formatState.written.Load() {
		return nil
	}
	common, err := c.commonFormat(ctx, "")
	if err == nil && int64(common) >= format {
		c.formatState.written.Store(format)
	}
	return err
}
