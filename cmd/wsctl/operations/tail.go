package operations

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

const tailHelp = "Each event is written as it arrives, with -o ndjson as a line of JSON. If the connection breaks, it is made again, " +
	"and no event is left out. Should events be lost on the way, because they are no longer kept, a message says so.\n\n" +
	"--state keeps the position in a file, so that the command can be started again after it was stopped or killed: the events " +
	"of the last seconds may then be written again, but none is left out."

const stateUsage = "keep the position in this `FILE`, and begin after the one that it has"

// tailOptions are the flags of the command of a stream.
type tailOptions struct {
	state, program string
	mine           bool
}

// followStream makes the command of a stream write its messages as they arrive.
func (r *rowCommand) followStream() {
	options := &tailOptions{}
	f := r.cmd.Flags()
	f.StringVar(&options.state, "state", "", stateUsage)
	f.StringVar(&options.program, "exec", "", "run this `COMMAND` of the shell for each event: standard input is the event as a line of "+
		"JSON, WSCTL_EVENT_ID, WSCTL_EVENT_KIND and WSCTL_EVENT_OBJECT are its id, its kind and the id of its object")
	f.BoolVar(&options.mine, "mine", false, "only what others did and concerns you: requests for your review, reviews of your change "+
		"requests, replies to you, and conflicts of your open change requests")
	r.cmd.MarkFlagsMutuallyExclusive("state", "after")
	r.cmd.Long = strings.Replace(r.cmd.Long, "\n\n", "\n\n"+tailHelp+"\n\n"+mineHelp+"\n\n", 1)
	r.cmd.Example = "  wsctl events tail\n  wsctl events tail --action change-requests -o ndjson\n" +
		"  wsctl events tail --state position.txt --exec ./notify.sh\n" +
		"  wsctl events tail --mine"
	r.cmd.RunE = func(cmd *cobra.Command, _ []string) error { return r.tail(cmd, *options) }
}

// tail is a running command of a stream.
type tail struct {
	tailOptions

	app    *app.App
	list   app.ListWriter
	ctx    context.Context //nolint:containedctx // of the command
	stored time.Time       // when the position was stored
	last   string          // the last position; "" if it was stored

	// item returns the output for a message of the type event, or nil if the event is left out.
	item func(context.Context, api.EventMessage) (*tailItem, error)
	// checkAccess is called for each message that has a position only or says that the caller has lost access. Its error ends the
	// command. nil = nothing to check
	checkAccess func(context.Context) error
}

// tailItem is the output for an event.
type tailItem struct {
	line   []byte        // JSON of the item of the list
	event  []byte        // JSON on the standard input of the program of --exec
	reason concernReason // "" without --mine
}

// storeInterval is the minimum time between two times of storing the position while events arrive.
const storeInterval = time.Second

// tail writes the messages of the stream until it ends.
func (r *rowCommand) tail(cmd *cobra.Command, options tailOptions) error {
	writer, err := r.tailWriter(options)
	if err != nil {
		return err
	}
	req, err := r.request(cmd, nil)
	if err != nil {
		return err
	}
	t := &tail{tailOptions: options, app: r.app, list: writer.printer.NewStream(), ctx: cmd.Context(), item: eventItem}
	if err := t.begin(req); err != nil {
		return err
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	if options.mine {
		j, err := newJudge(cmd.Context(), r.app, c, organizationOf(req))
		if err != nil {
			return err
		}
		t.item = j.item
	}
	return t.run(c, req)
}

// organizationOf returns the id of the organization in the path of a request.
func organizationOf(req client.Request) string {
	rest, _ := strings.CutPrefix(req.Path, "/v1/orgs/")
	org, _, _ := strings.Cut(rest, "/") // ids have no escaped characters
	return org
}

// tailWriter returns the writer of events, which with --mine have more members.
func (r *rowCommand) tailWriter(options tailOptions) (*Writer, error) {
	if !options.mine {
		return NewWriter(r.app, r.row, r.answer, Options{Several: true})
	}
	return NewWriter(r.app, r.row, r.compiler.Compile(reflect.TypeFor[concernMessage]()), Options{
		Several: true, Columns: r.row.Columns() + ",reason",
	})
}

// begin makes the request of a stream begin after the position in the file of --state, if there is one.
func (t *tail) begin(req client.Request) error {
	position, err := readState(t.state)
	if position != "" {
		req.Query.Set("after", position)
	}
	return err
}

// run handles the messages of the stream until it ends.
func (t *tail) run(c *client.Client, req client.Request) error {
	for m, err := range client.Messages[api.EventMessage](t.ctx, c, req) {
		if err == nil {
			err = t.handle(m)
		}
		if err != nil {
			return errors.Join(err, t.store())
		}
	}
	return errors.Join(t.list.Close(), t.store())
}

// eventItem returns the output for an event without --mine.
func eventItem(_ context.Context, m api.EventMessage) (*tailItem, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	event, err := json.Marshal(m.Event)
	return &tailItem{line: line, event: event}, err
}

// handle writes a message, runs the program of --exec, and then stores the position.
func (t *tail) handle(m api.EventMessage) error {
	var err error
	switch m.Type {
	case api.EventMessageGap:
		t.app.Warnf("events are missing: those after the last position are no longer kept; "+
			"the oldest event is %s, and this goes on after %s", cmp.Or(m.Gap.Oldest, "none"), cmp.Or(m.Gap.Newest, "none"))
		err = t.writeGap(m)
	case api.EventMessageAccess:
		t.app.Infof("you can no longer read something that you could")
		err = t.check()
	case api.EventMessageEvent:
		err = t.handleEvent(m)
	case api.EventMessagePosition:
		err = t.check()
	}
	if err != nil {
		return err
	}
	if t.last = cmp.Or(m.ID, t.last); m.Type == api.EventMessagePosition || t.app.Now().Sub(t.stored) >= storeInterval {
		return t.store()
	}
	return nil
}

// writeGap writes a gap if the format is one for programs; a gap has no columns.
func (t *tail) writeGap(m api.EventMessage) error {
	if !t.app.WritesData() {
		return nil
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return t.list.Add(data)
}

// handleEvent runs the program of --exec for an event and writes it, unless the event is left out.
func (t *tail) handleEvent(m api.EventMessage) error {
	item, err := t.item(t.ctx, m)
	if err != nil || item == nil {
		return err
	}
	if err := t.runProgram(*m.Event, *item); err != nil {
		return err
	}
	return t.list.Add(item.line)
}

func (t *tail) check() error {
	if t.checkAccess == nil {
		return nil
	}
	return t.checkAccess(t.ctx)
}

// readPause is the pause before a read is tried again that the client has given up.
const readPause = 5 * time.Second

// persist calls read until the server is there to answer, as a stream is opened again and again.
func persist[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	for {
		value, err := read(ctx)
		if err == nil || app.ExitCode(err) != app.ExitUnavailable {
			return value, err
		}
		select {
		case <-ctx.Done():
			return value, ctx.Err()
		case <-time.After(readPause):
		}
	}
}

// store stores the last position, unless it is stored.
func (t *tail) store() error {
	if t.state == "" || t.last == "" {
		return nil
	}
	if err := app.WriteFile(t.state, []byte(t.last+"\n")); err != nil {
		return fmt.Errorf("the position %s was not stored: %w", t.last, err)
	}
	t.stored, t.last = t.app.Now(), ""
	return nil
}

// runProgram runs the command of --exec for an event. Nothing that people have written is in its arguments or its environment. If it
// fails, that is reported and the stream goes on. It returns an error if the command was ended because wsctl ends.
func (t *tail) runProgram(e api.Event, item tailItem) error {
	if t.program == "" {
		return nil
	}
	cmd := exec.CommandContext(t.ctx, "/bin/sh", "-c", t.program) //nolint:gosec // the user's command
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(item.event, '\n')), t.app.Err, t.app.Err
	cmd.WaitDelay = time.Second
	object := ""
	if e.Target != nil {
		object = e.Target.ID
	}
	cmd.Env = append(os.Environ(), "WSCTL_EVENT_ID="+e.ID, "WSCTL_EVENT_KIND="+e.Kind, "WSCTL_EVENT_OBJECT="+object)
	if item.reason != "" {
		cmd.Env = append(cmd.Env, "WSCTL_EVENT_REASON="+string(item.reason))
	}
	err := cmd.Run()
	if isSignaled(err) { // perhaps by the signal that ends wsctl, too
		select {
		case <-t.ctx.Done():
		case <-time.After(signalDelay):
		}
	}
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) { // a program need not read its input
		t.app.Warnf("the command of --exec has failed for event %s: %v", e.ID, err)
	}
	return nil
}

// signalDelay is the maximum time between the arrival of a signal at a process and at the processes that it has started.
const signalDelay = time.Second

// isSignaled reports whether a command was ended by a signal.
func isSignaled(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == -1
}

// readState returns the position in the file of --state, or "" if there is no such file.
func readState(path string) (position string, err error) {
	if path == "" {
		return "", nil
	}
	data, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", app.Usagef("--state: %v", err)
	}
	position = strings.TrimSpace(string(data))
	if position == "" || strings.Trim(position, "0123456789abcdef-") != "" {
		return "", app.Usagef("--state: %s does not have a position; nothing was read", path)
	}
	return position, nil
}
