package rest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

const (
	// minMeasuredSize is the minimum body size, in bytes, for which the cost per MiB is measured: below it, the fixed cost of
	// a request dominates.
	minMeasuredSize = 64 << 10
	// maxTimePerMiB is the maximum processor time per MiB.
	maxTimePerMiB = 2 * time.Second
)

// cost is the measured cost of the most expensive value of a row at its limit.
type cost struct {
	row, field string
	status     int
	bytes      int
	cpu        time.Duration
	allocated  uint64
}

func (c cost) perMiB() float64 { return c.cpu.Seconds() / float64(c.bytes) * (1 << 20) }

// TestInputCostIsBoundedCampaign checks the processor time per MiB of values at their limits. make budgets prints it for all rows;
// the sample checks that every row can be measured.
//
//wsd:serial
func TestInputCostIsBoundedCampaign(t *testing.T) { //nolint:paralleltest // it counts the time of the process
	w := servertest.NewWorld(t, storetest.Memory())
	s := w.Populate()
	var things []sizedPart
	for _, row := range api.Rows() {
		for _, z := range sizedParts(row) {
			if z.location == "body" && z.unit != "value" && z.unit != "digits" && z.unit != "levels" &&
				len(z.encode(z.limit)) >= minMeasuredSize {
				things = append(things, z)
			}
		}
	}
	n, _ := storetest.Campaign(t, "budgets", 2, len(things))
	var costs []cost
	for _, z := range things[:n] {
		costs = append(costs, measureCost(w, s, z))
	}
	slices.SortStableFunc(costs, func(a, b cost) int { return strings.Compare(a.row, b.row) })
	t.Logf("%-34s %-42s %6s %10s %10s %12s", "row", "field at its limit", "answer", "body", "CPU s/MiB", "bytes/byte")
	for _, c := range costs {
		t.Logf("%-34s %-42s %6d %10d %10.3f %12.1f", c.row, c.field, c.status, c.bytes, c.perMiB(), float64(c.allocated)/float64(c.bytes))
		if n == len(things) && c.perMiB() > maxTimePerMiB.Seconds() {
			t.Errorf("%s: %s costs %.2f s of processor time a MiB", c.row, c.field, c.perMiB())
		}
		if c.status == http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %s is too large at its limit", c.row, c.field)
		}
	}
}

// measureCost sends the request of a row with a value at its limit, and returns its cost.
func measureCost(w *servertest.World, s *servertest.Sample, z sizedPart) cost {
	w.T.Helper()
	value := z.encode(z.limit)
	if strings.HasSuffix(z.path, "markdown") {
		data, err := json.Marshal(prose(z.limit))
		w.Must(err)
		value = string(data)
	}
	r := z.request(w, s, value)
	r.path = servertest.WithQuery(r.path, "dryRun=true")
	start := processorTime(w.T)
	a, allocated := sendMeasured(w, "admin", z.row, r)
	return cost{
		row: z.row.Name, field: z.path + " " + z.unit, status: a.Status, bytes: len(r.body),
		cpu: processorTime(w.T) - start, allocated: allocated,
	}
}

// prose returns a page of size bytes with headings, paragraphs, links, lists and tables.
func prose(size int) string {
	const section = "## A heading\n\nSome *words* of a paragraph with a [link](https://a.example/b), `code` and more words that go on to " +
		"the end of it.\n\n" +
		"- one item\n- another item\n\n| a | b |\n|---|---|\n| c | d |\n\n"
	filler := strings.Repeat("More words of the same paragraph, one after the other. ", 8) + "\n\n"
	text := strings.Repeat(section+filler, size/(len(section)+len(filler)))
	return text + strings.Repeat("x", size-len(text))
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
