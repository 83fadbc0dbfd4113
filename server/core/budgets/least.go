package budgets

import (
	"errors"
	"fmt"
	"time"
)

// leastValues maps budgets to their least values, in their units: with less, wsd could not serve its own clients, or would
// only be busy with the budget. The least value of all others is 1, or 1 ms for times.
var leastValues = map[string]int64{
	"echo":                10,
	"query-keys":          20, // filters of lists
	"refusal":             1 << 10,
	"nesting":             20, // documents as JSON
	"body":                16 << 10,
	"header-bytes":        4 << 10,
	"header-fields":       20, // of a browser behind proxies
	"header-time":         int64(time.Second),
	"body-time":           int64(time.Second),
	"answer-time":         int64(time.Second),
	"idle-time":           int64(time.Second),
	"connections":         10,
	"address-connections": 4, // of one browser
	"address-unread":      2,
	"canary-every":        int64(10 * time.Millisecond),
	"examine-every":       int64(50 * time.Millisecond),
	"disk-reserve":        256 << 10, // what Redis needs to end its append-only file

	"models":         1 << 20,
	"cache-objects":  1 << 20,
	"cache-trees":    1 << 20,
	"cache-links":    1 << 20,
	"cache-places":   64 << 10,
	"cache-pdfs":     64 << 10,
	"cache-specs":    64 << 10,
	"cache-search":   64 << 10,
	"rate-tallies":   100,
	"rule-steps":     1_000,
	"rule-cells":     100,
	"outbox":         64 << 10,
	"body-bytes":     8 << 20,
	"read-bytes":     32 << 20,
	"edit-text":      1 << 20, // a page
	"spec-cpu":       int64(time.Second),
	"spec-memory":    64 << 20, // a process needs 20 MiB before it reads anything
	"import-work":    int64(time.Second),
	"slow-bytes":     64 << 20, // an import takes 16 MiB, and one organization has half
	"small-bytes":    8 << 20,
	"small-work":     64 << 10,
	"download-bytes": 20 << 20, // a file has 10 MiB, and one address has half
	"job-lease":      int64(time.Second),
	"spec-fetches":   2, // half is for slow sources
	"stream-time":    int64(time.Second),
	"stream-pending": 16 << 10, // some events
	"call-time":      int64(time.Second),
	"slow-time":      int64(time.Second),
	"take-back":      int64(time.Minute),
}

// Least returns the least value of the budget.
func (r Row) Least() int64 {
	if least, ok := leastValues[r.Name]; ok {
		return least
	}
	if r.Unit == Period {
		return int64(time.Millisecond)
	}
	return 1
}

// LeastValue returns the least value in the syntax of the configuration.
func (r Row) LeastValue() string { return r.Unit.format(r.Least()) }

// Check returns an error that lists the budgets below their least values.
func (b *Budgets) Check() error {
	var errs []error
	for _, row := range b.rows() {
		if *row.value < row.Least() {
			errs = append(errs, fmt.Errorf("budget %s: %s is less than the least value %s", row.Name, row.Value(), row.LeastValue()))
		}
	}
	return errors.Join(errs...)
}
