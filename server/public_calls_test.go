package server_test

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// publicCall is an operation of the public API as its client calls it. testdata/public-calls.txt describes the
// format.
type publicCall struct {
	operation, variation string
	as                   string
	headers              []string
	unsupportedReason    string // reason why wsd does not have it
	line                 int

	request   publicRequest
	followUps []publicRequest
	savedIDs  [][2]string // names of ids for later calls and their paths in the response
}

// publicRequest is a request with the expected response.
type publicRequest struct {
	method, path, body string
	status             string
	expected           []string
}

// readPublicCalls reads the table of calls.
func readPublicCalls(t *testing.T) []*publicCall {
	t.Helper()
	file, err := os.Open("testdata/public-calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var calls []*publicCall
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		switch line := lines.Text(); {
		case line == "", strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			calls = append(calls, newPublicCall(line, n))
		default:
			if !calls[len(calls)-1].add(strings.TrimSpace(line)) {
				t.Fatalf("public-calls.txt:%d: what is %q?", n, line)
			}
		}
	}
	return calls
}

// newPublicCall parses the first line of a call: operation, variation [as NAME] [Header: value].
func newPublicCall(line string, n int) *publicCall {
	c := &publicCall{as: "admin", line: n}
	for {
		before, in, ok := strings.Cut(line, "[")
		if !ok {
			break
		}
		option, after, _ := strings.Cut(in, "]")
		line = strings.TrimSpace(before + after)
		if name, value, isHeader := strings.Cut(option, ": "); isHeader {
			c.headers = append(c.headers, name, value)
		} else if as, isAs := strings.CutPrefix(option, "as "); isAs {
			c.as = as
		}
	}
	line, c.unsupportedReason, _ = strings.Cut(line, " later: ")
	c.operation, c.variation, _ = strings.Cut(line, ", ")
	return c
}

// add parses a line after the first.
func (c *publicCall) add(line string) bool {
	if saved, ok := strings.CutPrefix(line, "save "); ok {
		name, from, ok := strings.Cut(saved, " = ")
		c.savedIDs = append(c.savedIDs, [2]string{name, from})
		return ok
	}
	if then, ok := strings.CutPrefix(line, "then "); ok {
		request, ok := newPublicRequest(then)
		c.followUps = append(c.followUps, request)
		return ok
	}
	request, ok := newPublicRequest(line)
	ok = ok && c.request.method == ""
	c.request = request
	return ok
}

// newPublicRequest parses METHOD PATH [BODY] -> STATUS [EXPECTED, separated by two spaces].
func newPublicRequest(line string) (r publicRequest, ok bool) {
	asked, answered, ok := strings.Cut(line, " -> ")
	words := strings.SplitN(asked, " ", 3)
	if !ok || len(words) < 2 {
		return r, false
	}
	r.method, r.path = words[0], words[1]
	if len(words) == 3 {
		r.body = words[2]
	}
	expected := strings.Split(answered, "  ")
	r.status, r.expected = expected[0], expected[1:]
	return r, true
}

// describe returns the request as shown in the table, with the path below /v1.
func (r publicRequest) describe() string {
	return strings.TrimSpace(r.method + " " + strings.TrimPrefix(r.path, "/v1") + " " + r.body)
}
