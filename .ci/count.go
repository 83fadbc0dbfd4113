// Command count reads the events of `go test -json` and prints a report: the lines of go test for packages and top-level tests,
// all output of failed and skipped tests, and at the end the slowest tests, the failed tests and the totals. It fails if a test
// failed, if a test was skipped, or if no test passed.
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
	output                  map[key][]string // what running tests and packages have printed
	failedPackages          map[string]bool  // packages with a failed test
	tests                   []event          // tests
	failures                []key
}

// slowestCount is the maximum number of slowest tests in the report.
const slowestCount = 25

func main() {
	c := &counter{out: os.Stdout, output: map[key][]string{}, failedPackages: map[string]bool{}}
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

// report prints the slowest tests, whose times were measured while other tests ran, and the failed tests.
func (c *counter) report() {
	fmt.Fprintln(c.out, "\nslowest:")
	slices.SortStableFunc(c.tests, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range c.tests[:min(slowestCount, len(c.tests))] {
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
				fmt.Fprint(c.out, string(line)) // not an event: output of the go command itself
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
		c.output[k] = append(c.output[k], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			c.endPackage(e)
		} else {
			c.endTest(e)
		}
		delete(c.output, k)
	}
}

func (c *counter) endTest(e event) {
	k, top := key{e.Package, e.Test}, !strings.Contains(e.Test, "/")
	c.tests = append(c.tests, e)
	switch e.Action {
	case "pass":
		c.passed++
		if top {
			c.printOutput(k, func(line string) bool { return strings.HasPrefix(line, "--- ") })
		}
	case "fail":
		c.failed++
		c.failedPackages[e.Package] = true
		c.failures = append(c.failures, k)
		c.printOutput(k, keepAll)
	case "skip":
		c.skipped++
		c.printOutput(k, keepAll)
	}
}

// endPackage prints the result line of the package, or all of its output if it failed outside its tests.
func (c *counter) endPackage(e event) {
	keep := func(line string) bool {
		return strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "? ")
	}
	if e.Action == "fail" && !c.failedPackages[e.Package] {
		c.brokenPackages++
		c.failures = append(c.failures, key{e.Package, ""})
		keep = keepAll
	}
	c.printOutput(key{e.Package, ""}, keep)
	for k := range c.output { // tests that did not end because the package crashed
		if k.pkg == e.Package && k.test != "" {
			c.printOutput(k, keepAll)
			delete(c.output, k)
		}
	}
}

func keepAll(string) bool { return true }

func (c *counter) printOutput(k key, keep func(string) bool) {
	for _, line := range c.output[k] {
		if keep(line) {
			fmt.Fprint(c.out, line)
		}
	}
}
