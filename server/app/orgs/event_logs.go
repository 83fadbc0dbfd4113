package orgs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/store"
)

// EventLog is the event log of an organization, as printed by `wsd quota` and `wsd doctor`. It is not part of what the organization
// stores.
type EventLog struct {
	Organization   string   `json:"organization"`
	Entries        int64    `json:"entries"`
	Oldest         api.Time `json:"oldest,omitzero"`
	Bytes          int64    `json:"bytes,omitzero"`    // in memory; absent if that is not known
	MaxBytes       int64    `json:"maxBytes,omitzero"` // a tenth of the quota
	LimitedByQuota bool     `json:"limitedByQuota,omitzero"`
	OwnEntries     int64    `json:"ownEntries,omitzero"` // how many are kept, if that is set for this organization
	OwnDays        int64    `json:"ownDays,omitzero"`    // for how many days, likewise
}

// Size returns the number, the age and the memory of the events.
func (l EventLog) Size() string { return formatEvents(l.Entries, l.Oldest, l.Bytes) }

func formatEvents(entries int64, oldest api.Time, bytes int64) string {
	switch {
	case entries == 0:
		return "0 entries"
	case bytes == 0:
		return fmt.Sprintf("%d entries since %s, memory unknown", entries, oldest)
	}
	return fmt.Sprintf("%d entries since %s, %d bytes in memory", entries, oldest, bytes)
}

// String returns the log as a line of `wsd quota`.
func (l EventLog) String() string {
	line := fmt.Sprintf("%-14s %s", "event log", l.Size())
	var limits []string
	if l.MaxBytes > 0 {
		limits = append(limits, budgets.Bytes.Format(l.MaxBytes)+" (a tenth of the quota)")
	}
	if l.OwnEntries > 0 {
		limits = append(limits, fmt.Sprintf("%d entries (its own)", l.OwnEntries))
	}
	if l.OwnDays > 0 {
		limits = append(limits, fmt.Sprintf("%d days (its own)", l.OwnDays))
	}
	if len(limits) > 0 {
		line += "; at most " + strings.Join(limits, ", ")
	}
	if l.LimitedByQuota {
		line += "; beyond that the oldest are removed"
	}
	return line
}

// EventLogs returns the event logs of organizations, the largest first, with those that are empty.
func (a Accounts) EventLogs(ctx context.Context, organizations []string) ([]EventLog, error) {
	logs, err := store.EventLogs(ctx, a.Store, organizations)
	if err != nil {
		return nil, err
	}
	if err := store.MeasureEventLogs(ctx, a.Store, logs, false); err != nil {
		return nil, err
	}
	found := make([]EventLog, len(organizations))
	for i, org := range organizations {
		log := logs[org]
		found[i] = EventLog{
			Organization: org, Entries: log.Entries, Bytes: log.Bytes, MaxBytes: log.MaxBytes, LimitedByQuota: log.IsLimitedByQuota(),
			OwnEntries: log.MaxEntries, OwnDays: int64(log.MaxAge / (24 * time.Hour)),
		}
		if log.Entries > 0 {
			found[i].Oldest = api.At(log.Oldest)
		}
	}
	slices.SortStableFunc(found, func(x, y EventLog) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Entries, x.Entries))
	})
	return found, nil
}

// EventLogSums describes the event logs of all organizations.
type EventLogSums struct {
	Entries int64      `json:"entries"`
	Oldest  api.Time   `json:"oldest,omitzero"`
	Bytes   int64      `json:"bytes,omitzero"` // in memory; absent if that is not known
	Largest []EventLog `json:"largest"`
	Limited []EventLog `json:"limitedByQuota"` // those whose oldest events are removed because of their quota
}

// SumEventLogs returns the event logs of all organizations, with at most `most` of the largest and all limited ones.
func (a Accounts) SumEventLogs(ctx context.Context, most int) (sums EventLogSums, err error) {
	ids, err := a.Store.Organizations(ctx)
	if err != nil {
		return sums, fmt.Errorf("list organizations: %w", err)
	}
	logs, err := a.EventLogs(ctx, ids)
	if err != nil {
		return sums, err
	}
	sums.Largest, sums.Limited = slices.Clone(logs[:min(len(logs), most)]), []EventLog{}
	known := true
	for _, l := range logs {
		sums.Entries, sums.Bytes, known = sums.Entries+l.Entries, sums.Bytes+l.Bytes, known && (l.Bytes > 0 || l.Entries == 0)
		if l.Entries > 0 && (sums.Oldest.IsZero() || l.Oldest.Before(sums.Oldest.Time)) {
			sums.Oldest = l.Oldest
		}
		if l.LimitedByQuota {
			sums.Limited = append(sums.Limited, l)
		}
	}
	if !known {
		sums.Bytes = 0
	}
	return sums, nil
}

// Size returns the number, the age and the memory of all events.
func (s EventLogSums) Size() string { return formatEvents(s.Entries, s.Oldest, s.Bytes) }
