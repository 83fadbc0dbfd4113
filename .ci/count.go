// Command count reads the events of `go test -json` and prints what a person wants to know: the lines of go test for
// packages and top-level tests, everything that a failed or skipped test said, and at the end which tests took longest,
// which failed, and the sums. It fails if a test failed, if a test was skipped, or if there was none.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// event is one line of `go test -json` (go doc test2json).
type event struct {
	Action  string  `json:"Action"`
	Package string  `json:"Package"`
	Test    string  `json:"Test"`
	Output  string  `json:"Output"`
	Elapsed float64 `json:"Elapsed"` // seconds
}

type key struct{ pkg, test string }

type counter struct {
	out                     io.Writer
	passed, failed, skipped int
	brokenPackages          int
	said                    map[key][]string // what running tests and packages have printed
	failedIn                map[string]bool  // packages with a failed test
	ended                   []event          // tests
	failures                []key
}

// slowest is how many tests are named that took longest.
const slowest = 25

func main() {
	c := &counter{out: os.Stdout, said: map[key][]string{}, failedIn: map[string]bool{}}
	if err := c.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
	c.report()
	fmt.Fprintf(c.out, "\n%d passed, %d failed, %d skipped\n", c.passed, c.failed+c.brokenPackages, c.skipped)
	if c.passed == 0 || c.failed+c.brokenPackages+c.skipped > 0 {
		os.Exit(1)
	}
}

// report names the tests that took longest, among others at the same time, and those that failed.
func (c *counter) report() {
	fmt.Fprintln(c.out, "\nslowest:")
	slices.SortStableFunc(c.ended, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range c.ended[:min(slowest, len(c.ended))] {
		fmt.Fprintf(c.out, "%7.1f s  %s %s\n", e.Elapsed, e.Package, e.Test)
	}
	for _, k := range c.failures {
		fmt.Fprintf(c.out, "failed: %s %s\n", k.pkg, k.test)
	}
}

func (c *counter) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprint(c.out, string(line)) // the go command itself speaks
			} else {
				c.add(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *counter) add(e event) {
	k := key{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(c.out, e.Output)
	case "output":
		c.said[k] = append(c.said[k], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			c.endPackage(e)
		} else {
			c.endTest(e)
		}
		delete(c.said, k)
	}
}

func (c *counter) endTest(e event) {
	k, top := key{e.Package, e.Test}, !strings.Contains(e.Test, "/")
	c.ended = append(c.ended, e)
	switch e.Action {
	case "pass":
		c.passed++
		if top {
			c.say(k, func(line string) bool { return strings.HasPrefix(line, "--- ") })
		}
	case "fail":
		c.failed++
		c.failedIn[e.Package] = true
		c.failures = append(c.failures, k)
		c.say(k, everything)
	case "skip":
		c.skipped++
		c.say(k, everything)
	}
}

// endPackage prints the line of the package, or all of what it said when it broke outside its tests.
func (c *counter) endPackage(e event) {
	keep := func(line string) bool {
		return strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "? ")
	}
	if e.Action == "fail" && !c.failedIn[e.Package] {
		c.brokenPackages++
		c.failures = append(c.failures, key{e.Package, ""})
		keep = everything
	}
	c.say(key{e.Package, ""}, keep)
	for k := range c.said { // tests that never ended: the package crashed in them
		if k.pkg == e.Package && k.test != "" {
			c.say(k, everything)
			delete(c.said, k)
		}
	}
}

func everything(string) bool { return true }

func (c *counter) say(k key, keep func(string) bool) {
	for _, line := range c.said[k] {
		if keep(line) {
			fmt.Fprint(c.out, line)
		}
	}
}
