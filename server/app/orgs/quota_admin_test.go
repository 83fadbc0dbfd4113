package orgs_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
)

func TestParseLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       int64
	}{
		{"bytes", "20GiB", 20 << 30},
		{"bytes", "none", 0},
		{"records", "5000000", 5_000_000},
		{"tokens", "none", 0},
		{"organizations", "7", 7},
		{"events", "1000", 1000},
		{"event-days", "30", 30},
	} {
		if got, err := orgs.ParseLimit(c.name, c.text); err != nil || got == nil || *got != c.want {
			t.Errorf("%s %s: %v %v", c.name, c.text, got, err)
		}
	}
	if got, err := orgs.ParseLimit("bytes", "default"); err != nil || got != nil {
		t.Errorf("default: %v %v", got, err)
	}
	for name, text := range map[string]string{"records": "20GiB", "bytes": "much", "tokens": "-1"} {
		if got, err := orgs.ParseLimit(name, text); err == nil || !strings.HasSuffix(err.Error(), ", default or none") {
			t.Errorf("%s %s: %v %v", name, text, got, err)
		}
	}
}

// TestParseLimitOfEvents checks that the limits of event logs have bounds, so that an organization keeps some.
func TestParseLimitOfEvents(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"events", "999"}, {"events", "none"}, {"event-days", "0"}, {"event-days", "36501"}, {"event-days", "30d"},
	} {
		if got, err := orgs.ParseLimit(c[0], c[1]); err == nil || !strings.Contains(err.Error(), " to ") {
			t.Errorf("%s %s: %v %v", c[0], c[1], got, err)
		}
	}
}

// TestEventLogLines checks the line of an event log with and without limits, and of one whose memory is not known.
func TestEventLogLines(t *testing.T) {
	t.Parallel()
	oldest := api.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	for want, log := range map[string]orgs.EventLog{
		"0 entries": {},
		"3 entries since 2026-03-01T12:00:00.000Z, memory unknown": {Entries: 3, Oldest: oldest},
		"3 entries since 2026-03-01T12:00:00.000Z, 900 bytes in memory; at most 1GiB (a tenth of the quota), 5000 entries (its own), " +
			"30 days (its own); beyond that the oldest are removed": {
			Entries: 3, Oldest: oldest, Bytes: 900, MaxBytes: 1 << 30, OwnEntries: 5000, OwnDays: 30, LimitedByQuota: true,
		},
	} {
		servertest.Equal(t, "line", "event log      "+want, log.String())
	}
}

// TestQuotasShowOwnLimits checks that the limits of an owner, found by title or e-mail address, replace the default limits
// until they are removed.
func TestQuotasShowOwnLimits(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a, admin := orgs.Accounts{Store: w.Store}, w.Users["admin"]
		line := func(q orgs.Quotas, err error) string {
			t.Helper()
			w.Must(err)
			return strings.Join(strings.Fields(q.Lines()[1]), " ")
		}
		user := func() string { t.Helper(); return line(a.UserQuotas(t.Context(), admin.Email, budgets.Defaults())) }
		organization := func() string { t.Helper(); return line(a.OrganizationQuotas(t.Context(), "Acme")) }
		userBefore, organizationBefore := user(), organization()

		w.Must(a.SetUserLimits(t.Context(), admin.Email, map[string]*int64{"tokens": new(int64(500))}))
		w.Must(a.SetOrganizationLimits(t.Context(), "Acme", map[string]*int64{"bytes": new(int64(0))}))
		if got := user(); !strings.HasPrefix(got, "tokens ") || !strings.HasSuffix(got, " of 500 (its own)") {
			t.Error(got)
		}
		if got := organization(); !strings.HasPrefix(got, "bytes ") || !strings.HasSuffix(got, " of no limit (its own)") {
			t.Error(got)
		}
		w.Must(a.SetUserLimits(t.Context(), admin.ID, map[string]*int64{"tokens": nil}))
		w.Must(a.SetOrganizationLimits(t.Context(), w.Org, map[string]*int64{"bytes": nil}))
		servertest.Equal(t, "limits of the user", userBefore, user())
		servertest.Equal(t, "limits of the organization", organizationBefore, organization())
		if a.SetUserLimits(t.Context(), "nobody@example.com", nil) == nil || a.SetOrganizationLimits(t.Context(), "Nowhere", nil) == nil {
			t.Error("limits of an unknown owner are set")
		}
	})
}

func TestQuotasShowWhetherUseIsCounted(t *testing.T) {
	t.Parallel()
	q := orgs.Quotas{Organization: "o_1", Limits: []orgs.Limit{{Name: "records", Used: 3, Max: 4}}, Counted: true}
	if got, want := q.Lines(), []string{"organization o_1", "records        3 of 4"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	q.Counted = false
	if got := q.Lines(); len(got) != 3 || !strings.Contains(got[2], "not counted yet") {
		t.Errorf("%q", got)
	}
}
