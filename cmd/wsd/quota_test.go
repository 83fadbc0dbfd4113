package main

import (
	"encoding/json"
	"strings"
	"testing"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store/storetest"
)

// TestQuotaAndDoctorShowEventLogs checks that wsd quota show and wsd doctor print the number, the age and the memory of events, and
// what is set for the organization.
func TestQuotaAndDoctorShowEventLogs(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	d := newRemoteDeployment(t)
	run := func(args string) string {
		t.Helper()
		got := runWSD(t, d.environ, strings.Fields(args)...)
		if got.code != exitOK && !strings.HasPrefix(args, "doctor") { // which warns of other things here
			t.Fatalf("wsd %s: %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
		return got.stdout
	}
	run("init --user ada@example.com --org Docs")
	text := run("quota set --org Docs --events 5000 --event-days 30")
	if !strings.Contains(text, "\nevent log ") || !strings.Contains(text, " bytes in memory; at most ") ||
		!strings.HasSuffix(text, "5000 entries (its own), 30 days (its own)\n") {
		t.Error(text)
	}
	var q orgs.Quotas
	if err := json.Unmarshal([]byte(run("quota show --org Docs -o json")), &q); err != nil {
		t.Fatal(err)
	}
	if l := q.EventLog; l == nil || l.Entries == 0 || l.Bytes == 0 || l.Oldest.IsZero() || l.OwnEntries != 5000 || l.OwnDays != 30 {
		t.Errorf("%+v", l)
	}
	var found server.Diagnosis
	if err := json.Unmarshal([]byte(run("doctor -o json")), &found); err != nil {
		t.Fatal(err)
	}
	if l := found.EventLogs; l == nil || l.Entries != q.EventLog.Entries || l.Oldest != q.EventLog.Oldest || len(l.Largest) != 1 {
		t.Errorf("%+v", l)
	}
	if text := run("doctor"); !strings.Contains(text, "; the largest logs:\n") || !strings.Contains(text, q.Organization+" ") {
		t.Error(text)
	}
}
