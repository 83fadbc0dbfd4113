package specprocess

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"time"

	"docspace.dev/wsd/server/text/openapi"
)

// Reader reads specifications and generates their pages. Errors of a document are of type *openapi.ParseError.
type Reader interface {
	// Read is openapi.Read.
	Read(ctx context.Context, address string, data []byte, read openapi.Reader) (openapi.Document, error)
	// MakePages is openapi.MakePages.
	MakePages(ctx context.Context, bundle []byte) (openapi.Pages, error)
}

// SameProcess is a Reader without a process and limits of its own, for tests.
type SameProcess struct{}

// Read implements Reader.
func (SameProcess) Read(ctx context.Context, address string, data []byte, read openapi.Reader) (openapi.Document, error) {
	return openapi.Read(ctx, address, data, read)
}

// MakePages implements Reader.
func (SameProcess) MakePages(_ context.Context, bundle []byte) (openapi.Pages, error) {
	return openapi.MakePages(bundle)
}

// Limits are the limits of one process.
type Limits struct {
	CPU    time.Duration // rounded up to a second; only on Unix
	Memory int64         // bytes
}

// Command is a Reader that starts a process for each call. It is safe for concurrent use.
type Command struct {
	Path   string   // of the executable
	Args   []string // arguments with which it calls Serve; those of Limits are appended
	Limits Limits
}

// request is the first message to a process.
type request struct {
	Address string
	Data    []byte // the document, or the bundle if pages are generated from it
	Pages   bool
}

// answer is a message of a process: the address of a document to fetch, or the result.
type answer struct {
	Fetch string

	Document   openapi.Document
	Pages      openapi.Pages
	ParseError string // message of an *openapi.ParseError
	Failed     bool   // a document could not be fetched
}

// fetched is the reply to answer.Fetch.
type fetched struct {
	Data   []byte
	Failed bool
}

// Read implements Reader.
func (c *Command) Read(ctx context.Context, address string, data []byte, read openapi.Reader) (openapi.Document, error) {
	result, err := c.run(ctx, request{Address: address, Data: data}, read)
	return result.Document, err
}

// MakePages implements Reader.
func (c *Command) MakePages(ctx context.Context, bundle []byte) (openapi.Pages, error) {
	result, err := c.run(ctx, request{Data: bundle, Pages: true}, nil)
	return result.Pages, err
}

// run starts a process and returns its result.
func (c *Command) run(ctx context.Context, r request, read openapi.Reader) (answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // kills the process
	args := append(c.Args[:len(c.Args):len(c.Args)], strconv.FormatInt(c.seconds(), 10), strconv.FormatInt(c.Limits.Memory, 10))
	cmd := exec.CommandContext(ctx, c.Path, args...) //nolint:gosec // the path is that of this program
	// The process needs no secrets.
	cmd.Env = []string{}
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return answer{}, fmt.Errorf("specification process: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return answer{}, fmt.Errorf("specification process: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return answer{}, fmt.Errorf("specification process: %w", err)
	}
	result, failure := exchange(ctx, in, out, r, read)
	if failure == nil || ctx.Err() != nil || !errors.Is(failure, errEnded) {
		err := ctx.Err()
		cancel()
		_ = cmd.Wait() // it was killed, or its result is complete
		return result, errors.Join(failureOf(failure), err)
	}
	_ = cmd.Wait() // the state tells more than the error
	return answer{}, c.explain(cmd)
}

// failureOf returns an error of exchange unless it is that of a process that was killed.
func failureOf(err error) error {
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// errEnded is the error of a process that ended without a result.
var errEnded = errors.New("specification process: it ended without a result")

// exchange sends a request and fetches documents until the result arrives.
func exchange(ctx context.Context, in io.Writer, out io.Reader, r request, read openapi.Reader) (answer, error) {
	send, receive := gob.NewEncoder(in), gob.NewDecoder(out)
	if err := send.Encode(r); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errEnded, err)
	}
	var failures error
	for {
		var a answer
		if err := receive.Decode(&a); err != nil {
			return answer{}, fmt.Errorf("%w: %w", errEnded, err)
		}
		switch {
		case a.Fetch != "":
			data, err := read(ctx, a.Fetch)
			failures = errors.Join(failures, err)
			if err := send.Encode(fetched{Data: data, Failed: err != nil}); err != nil {
				return answer{}, fmt.Errorf("%w: %w", errEnded, err)
			}
		case a.Failed:
			return answer{}, failures
		case a.ParseError != "":
			return a, &openapi.ParseError{Message: a.ParseError}
		default:
			return a, nil
		}
	}
}

// seconds returns the limit of CPU time in seconds.
func (c *Command) seconds() int64 { return int64((c.Limits.CPU + time.Second - 1) / time.Second) }

// explain returns the error for a process that ended without a result. Whatever the reason is, it lies in the document:
// a process that cannot be started has an error of its own.
func (c *Command) explain(cmd *exec.Cmd) error {
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case cmd.ProcessState.ExitCode() == exitMemory:
		return &openapi.ParseError{Message: fmt.Sprintf("the document cannot be read with %d MiB of memory: it is too large, or its "+
			"references lead to each other in too many ways", c.Limits.Memory>>20)}
	case cmd.ProcessState.ExitCode() < 0 && used >= time.Duration(c.seconds())*time.Second*9/10:
		return &openapi.ParseError{Message: fmt.Sprintf("the document cannot be read in %s of CPU time: it is too large, or its "+
			"references lead to each other in too many ways", time.Duration(c.seconds())*time.Second)}
	}
	return &openapi.ParseError{Message: "the document cannot be read: does one of its references lead in a circle?"}
}
