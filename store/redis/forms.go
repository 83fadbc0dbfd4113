package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// KnownForm is the newest form of what is stored that this program knows. A change
// that programs of before would misread is a new form: it gets the next number.
const KnownForm = 1

// ErrNewerForm is the error where what is stored has a form that this program does
// not know. Nothing was written.
var ErrNewerForm = errors.New("store: the data has a newer form")

// NodeLease is how long a serving node counts after it was last heard of.
const NodeLease = 30 * time.Second

//go:embed forms.lua
var formsSource string

// SchemaKey has the form of the data: the newest that may be written. It, NodesKey
// and SecretsKey are the keys without a tag.
func SchemaKey() Key { return Named(StringKind, "schema") }

// NodesKey is the list of the serving nodes, with the form that each knows.
func NodesKey() Key { return Named(OrderKind, "nodes") }

// Forms tells the form of what is stored from those that this program knows.
type Forms struct {
	Data  int  // the newest that may be stored
	Empty bool // nothing is stored yet
	Known int  // the newest that this program knows; it knows those before, too
}

// Newer reports whether this program may not touch the data.
func (f Forms) Newer() bool { return f.Data > f.Known }

// Older reports whether the data is of an earlier form than this program would
// write: some serving node does not know it yet, or none has started since.
func (f Forms) Older() bool { return !f.Empty && f.Data < f.Known }

// String says it in a few words.
func (f Forms) String() string {
	switch {
	case f.Empty:
		return "empty database"
	case f.Newer():
		return fmt.Sprintf("the data has form %d, this program knows %d", f.Data, f.Known)
	case f.Older():
		return fmt.Sprintf("form %d, this program writes %d", f.Data, f.Known)
	}
	return fmt.Sprintf("form %d", f.Data)
}

// refusal is the ErrNewerForm of data that is newer; else nil.
func (f Forms) refusal() error {
	if f.Newer() {
		return fmt.Errorf("%w: %s", ErrNewerForm, f)
	}
	return nil
}

// formState is what this process knows of the forms of a database.
type formState struct {
	known   int
	written atomic.Int64 // what every serving node knows: records get this form
	found   atomic.Int64 // the form of the data, when it was last read
	script  *goredis.Script
}

// Forms reads the form of the data. Doctor and whoever reports on the health of a
// deployment call it. One trip.
func (c *Conn) Forms(ctx context.Context) (Forms, error) {
	FailBefore("schema.read")
	data, err := c.Client.Get(ctx, c.Name(SchemaKey())).Int()
	FailAfter("schema.read")
	empty := errors.Is(err, goredis.Nil)
	if empty {
		data, err = 0, nil
	}
	if err == nil {
		c.formState.found.Store(int64(data))
	}
	return Forms{data, empty, c.formState.known}, Wrap(ctx, err)
}

// Refusal is an ErrNewerForm as long as the data has a form that this program does
// not know, by what was read last. It costs nothing.
func (c *Conn) Refusal() error { return c.Knows(int(c.formState.found.Load())) }

// Knows returns an ErrNewerForm for what has a form that this program does not know.
func (c *Conn) Knows(form int) error { return Forms{Data: form, Known: c.formState.known}.refusal() }

// WrittenForm is the form in which records are written now.
func (c *Conn) WrittenForm() int { return int(c.formState.written.Load()) }

// Join makes this process one of the serving nodes for NodeLease, or for as long again.
// A node calls it before it serves and then until it Leaves. The node that finds that
// all of them know a newer form than the data has is the one that raises it. It is an
// ErrNewerForm where the data is newer than this program.
//
// Who joins is in the list before it reads the form, and who raises the form looks
// at the list again before it writes it. So either the raising node sees the other and
// goes on to write the form before, or the other sees the new form and does not serve.
func (c *Conn) Join(ctx context.Context) error {
	common, err := c.common(ctx, c.member())
	if err != nil {
		return err
	}
	now, err := c.Forms(ctx)
	if err != nil {
		return err
	}
	if now.Older() && common > now.Data {
		if err := c.raise(ctx, common); err != nil {
			return err
		}
		if now, err = c.Forms(ctx); err != nil {
			return err
		}
	}
	return errors.Join(now.refusal(), c.agree(ctx, now))
}

// Leave takes this process out of the serving nodes, so that nobody waits for its
// lease to end.
func (c *Conn) Leave(ctx context.Context) error {
	return Wrap(ctx, c.Client.ZRem(ctx, c.Name(NodesKey()), c.member()).Err())
}

// member names this process in the list of nodes.
func (c *Conn) member() string { return strconv.Itoa(c.formState.known) + " " + c.node }

// common is the newest form that all serving nodes know, and this program; member
// joins them, unless it is "".
func (c *Conn) common(ctx context.Context, member string) (int, error) {
	nodes, err := c.formState.script.Run(ctx, c.Client, []string{c.Name(NodesKey())}, c.GivenTime(), member, NodeLease.Milliseconds()).StringSlice()
	if err != nil {
		return 0, Wrap(ctx, err)
	}
	form := c.formState.known
	for _, node := range nodes {
		text, _, _ := strings.Cut(node, " ")
		knows, err := strconv.Atoi(text)
		if err != nil {
			return 0, Corrupt("serving node %q", node)
		}
		form = min(form, knows)
	}
	return form, nil
}

// readForm agrees on the form of the data, when the store is opened.
func (c *Conn) readForm(ctx context.Context) error {
	now, err := c.Forms(ctx)
	return errors.Join(err, now.refusal(), c.agree(ctx, now))
}

// checkForms refuses data that a newer program wrote, and says where it is of an
// older one, which is read as it is and written anew bit by bit.
func (c *Conn) checkForms(ctx context.Context) Check {
	now, err := c.Forms(ctx)
	switch {
	case err != nil:
		return failed("forms", err, "is this another program's database?")
	case now.Newer():
		return refuse("forms", now.String(), "use a newer wsd")
	case now.Older():
		return warn("forms", now.String(), "it is raised once all serving nodes know it; then there is no way back to the wsd that wrote it: keep a backup")
	}
	return ok("forms", now.String())
}

// raise lets the data have a form, unless it has a newer one.
func (c *Conn) raise(ctx context.Context, form int) error {
	const source = `if tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end return 1`
	FailBefore("schema.write")
	err := c.Client.Eval(ctx, source, []string{c.Name(SchemaKey())}, form).Err()
	FailAfter("schema.write")
	return Wrap(ctx, err)
}

// agree writes records in the form of the data from now on, if all serving nodes
// know it. What was agreed on once stays: a node that does not know the form of the
// data does not serve.
func (c *Conn) agree(ctx context.Context, now Forms) error {
	form := int64(min(now.Data, now.Known))
	if form <= c.formState.written.Load() {
		return nil
	}
	common, err := c.common(ctx, "")
	if err == nil && int64(common) >= form {
		c.formState.written.Store(form)
	}
	return err
}
