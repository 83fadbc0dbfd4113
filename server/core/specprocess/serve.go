package specprocess

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"docspace.dev/wsd/server/text/openapi"
)

// exitMemory is the exit code of a process that reached its limit of memory.
const exitMemory = 3

// maxStack is the size of a stack at which the process ends, in bytes.
const maxStack = 64 << 20

// memoryCheckInterval is the time between two measurements of memory.
const memoryCheckInterval = 5 * time.Millisecond

// Serve is the main function of the process of a Command: it sets the limits of the process, reads one request from in,
// and writes the result to out.
func Serve(in io.Reader, out io.Writer, limits Limits) error {
	if err := limitCPU(limits.CPU); err != nil {
		return fmt.Errorf("limit of CPU time: %w", err)
	}
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(limits.Memory) // the collector works harder near the limit
	go watchMemory(limits.Memory)
	return serve(in, out)
}

// serve answers one request.
func serve(in io.Reader, out io.Writer) error {
	send, receive := gob.NewEncoder(out), gob.NewDecoder(in)
	var r request
	if err := receive.Decode(&r); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	var a answer
	var err error
	if r.Pages {
		a.Pages, err = openapi.MakePages(r.Data)
	} else {
		a.Document, err = openapi.Read(context.Background(), r.Address, r.Data, func(_ context.Context, address string) ([]byte, error) {
			var f fetched
			if err := errors.Join(send.Encode(answer{Fetch: address}), receive.Decode(&f)); err != nil {
				return nil, err
			}
			if f.Failed {
				return nil, errors.New("it cannot be fetched")
			}
			return f.Data, nil
		})
	}
	if wrong, ok := errors.AsType[*openapi.ParseError](err); ok {
		a.ParseError = wrong.Message
	} else if err != nil {
		a = answer{Failed: true}
	}
	if err := send.Encode(a); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// watchMemory ends the process when it uses more than the given number of bytes.
func watchMemory(most int64) {
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	for range time.Tick(memoryCheckInterval) {
		metrics.Read(used)
		if used[0].Value.Uint64()+used[1].Value.Uint64() > uint64(max(most, 0)) {
			os.Exit(exitMemory)
		}
	}
}
