package specprocess_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/server/core/specprocess"
	"docspace.dev/wsd/server/text/openapi"
)

// serveArg is the argument with which this test binary is the process of a Command.
const serveArg = "serve-specification"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == serveArg {
		seconds, _ := strconv.Atoi(os.Args[2])
		bytes, _ := strconv.ParseInt(os.Args[3], 10, 64)
		err := specprocess.Serve(os.Stdin, os.Stdout, specprocess.Limits{CPU: time.Duration(seconds) * time.Second, Memory: bytes})
		if err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func command(limits specprocess.Limits) *specprocess.Command {
	return &specprocess.Command{Path: os.Args[0], Args: []string{serveArg}, Limits: limits}
}

var enough = specprocess.Limits{CPU: 10 * time.Second, Memory: 512 << 20}

// text returns a document with the given members.
func text(members string) []byte {
	return []byte(`{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{},` + members + `}`)
}

func TestProcessReadsLikeTheLibrary(t *testing.T) {
	t.Parallel()
	const origin = "https://example.com/api.json"
	document := text(`"components":{"schemas":{"a":{"$ref":"b.json"}}}`)
	read := func(_ context.Context, address string) ([]byte, error) {
		if address != "https://example.com/b.json" {
			return nil, fmt.Errorf("%s: 404", address)
		}
		return []byte(`{"type":"string","description":"B"}`), nil
	}
	want, err := openapi.Read(t.Context(), origin, document, read)
	if err != nil {
		t.Fatal(err)
	}
	got, err := command(enough).Read(t.Context(), origin, document, read)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("in a process %q, in the same process %q", got, want)
	}
	wantPages, err := openapi.MakePages(want.Bundle)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := command(enough).MakePages(t.Context(), got.Bundle)
	if err != nil || fmt.Sprintf("%q", pages) != fmt.Sprintf("%q", wantPages) {
		t.Errorf("pages in a process %q (%v), in the same process %q", pages, err, wantPages)
	}
}

func TestProcessReturnsErrors(t *testing.T) {
	t.Parallel()
	notFound := errors.New("404")
	read := func(context.Context, string) ([]byte, error) { return nil, notFound }
	external := text(`"components":{"schemas":{"a":{"$ref":"https://example.com/b.json"}}}`)
	if _, err := command(enough).Read(t.Context(), "", external, read); !errors.Is(err, notFound) {
		t.Errorf("a document that cannot be fetched: %v", err)
	}
	var wrong *openapi.ParseError
	if _, err := command(enough).Read(t.Context(), "", []byte(`{}`), read); !errors.As(err, &wrong) {
		t.Errorf("a document without a version: %v", err)
	}
	missing := &specprocess.Command{Path: "/nonexistent", Limits: enough}
	if _, err := missing.Read(t.Context(), "", external, read); err == nil || errors.As(err, &wrong) {
		t.Errorf("a process that cannot be started: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	stop := func(context.Context, string) ([]byte, error) { cancel(); return nil, notFound }
	if _, err := command(enough).Read(canceled, "", external, stop); !errors.Is(err, context.Canceled) || errors.As(err, &wrong) {
		t.Errorf("canceled: %v", err)
	}
}

// TestProcessEndsAtItsLimits reads documents with which the library uses all of the stack, the memory or the time.
func TestProcessEndsAtItsLimits(t *testing.T) {
	t.Parallel()
	var doubling strings.Builder // each definition contains the next one twice
	for i := range 40 {
		fmt.Fprintf(&doubling, `"a%d":{"properties":{"l":{"$ref":"#/x-d/a%d"},"r":{"$ref":"#/x-d/a%d"}}},`, i, i+1, i+1)
	}
	doubled := text(`"components":{"schemas":{"s":{"$ref":"#/x-d/a0"}}},"x-d":{` + doubling.String() + `"a40":{"type":"string"}}`)
	callbacks := text(
		`"components":{"callbacks":{"c":{"x":{"post":{"responses":{},"callbacks":{"c":{"$ref":"#/components/callbacks/c"}}}}}}}`)
	for name, c := range map[string]struct {
		document []byte
		limits   specprocess.Limits
		want     string
	}{
		"stack":  {callbacks, enough, "circle"},
		"memory": {doubled, specprocess.Limits{CPU: time.Minute, Memory: 64 << 20}, "64 MiB"},
		"time":   {doubled, specprocess.Limits{CPU: time.Second, Memory: 4 << 30}, "1s of CPU time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := command(c.limits).Read(t.Context(), "", c.document, nil)
			var wrong *openapi.ParseError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want an error of the document that contains %q", err, c.want)
			}
		})
	}
}
