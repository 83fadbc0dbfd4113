package server_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/events"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/storetest"
)

// eventCounts maps each write that does not add exactly one event to the number of events that it adds.
var eventCounts = map[string]int{
	api.UpdateChangeRequestReading.Name:   0, // reading marks and saved queries are private
	api.PutChangeRequestSavedQueries.Name: 0,
	api.PingMember.Name:                   0, // lastSeenAt is no change made by the user
	api.UpdateUser.Name:                   7, // one of the user, and one in each organization
	api.CreateToken.Name:                  7, // one of the user, and one in each organization that the token opens
	api.RotateToken.Name:                  5,
	api.DeleteToken.Name:                  7, // not in the one for which it was ended
	api.DeleteMemberToken.Name:            2, // one in the organization, and one of the user
	api.TransferSpace.Name:                2, // one in each organization
	api.TransferCollection.Name:           2,
	api.TakeTransferBack.Name:             2,
	api.AgreeTransfer.Name:                2,
	api.AskTransfer.Name:                  2, // one in each organization
}

// TestEveryChangeAddsEvent checks that every change adds an event with its actor and objects, and that a dry run does
// not. The golden file contains the fields of all events, for review.
//
//wsd:serial
func TestEveryChangeAddsEvent(t *testing.T) {
	t.Parallel()
	var lines []string
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for _, last := range []bool{false, true} {
		for _, row := range orderedRows() {
			if row.Writes() && removes(row) == last && row.Name != api.MergeChangeRequest.Name &&
				row.Name != api.ApplyChangeRequestSuggestions.Name {
				lines = append(lines, checkEvent(w, row, s)...)
			}
		}
	}
	w, s = servertest.NewSampleWorld(t, storetest.Memory())
	lines = append(lines, checkEvent(w, api.ApplyChangeRequestSuggestions.Row, s)...) // needs the head of the sample
	lines = append(lines, checkEvent(w, api.MergeChangeRequest.Row, s)...)            // before anything conflicts with it
	slices.Sort(lines)
	compareGolden(t, "events.golden", strings.Join(lines, "\n")+"\n")
}

// checkEvent performs an operation and returns what its events contain.
func checkEvent(w *servertest.World, row api.Row, s *servertest.Sample) (lines []string) {
	w.T.Helper()
	path, body := w.SamplePathWith(row, s, spareParams(w, row)), w.SampleBody(row, s)
	before := servertest.CountEvents(w, row.Name)
	w.Call("admin", row.Method, servertest.WithQuery(path, "dryRun=true"), body, servertest.DryRunStatus(row))
	servertest.Equal(w.T, "events of a rehearsed "+row.Name, before, servertest.CountEvents(w, row.Name))
	w.Call("admin", row.Method, path, body, row.Status)
	want := 1
	if n, ok := eventCounts[row.Name]; ok {
		want = n
	}
	servertest.Equal(w.T, "events of "+row.Name, want, servertest.CountEvents(w, row.Name)-before)
	return describeEvents(w, row.Name, want)
}

// describeEvents returns a line for each different form of the last n events of a kind: its fields, with the values that are no
// ids or times.
func describeEvents(w *servertest.World, kind string, n int) (lines []string) {
	w.T.Helper()
	for _, fields := range servertest.LastEvents(w, kind, n) {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			switch value := fields[name]; name {
			case eventlog.Type, eventlog.At, eventlog.Request, eventlog.Token:
			case eventlog.Before, eventlog.After, eventlog.Changed, "did", eventlog.Pages, eventlog.Audited:
				parts = append(parts, name+"="+idPattern.ReplaceAllString(value, "$1"))
			default:
				parts = append(parts, name)
			}
		}
		line := kind + "  " + strings.Join(parts, " ")
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		if size := eventlog.Size(fields); size > eventlog.MaxBytes || len(fields) > eventlog.MaxFields {
			w.T.Errorf("an event of %s has %d bytes and %d fields", kind, size, len(fields))
		}
	}
	return lines
}

// idPattern matches ids and times.
var idPattern = regexp.MustCompile(`\b([a-z]+_)\w+|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// TestEventsAreVisibleToReadersOfObjects checks that the need and the scope of every kind of events are those of the row that
// reads the object.
func TestEventsAreVisibleToReadersOfObjects(t *testing.T) {
	t.Parallel()
	needs, scopes := map[string]auth.Need{}, map[string]api.Scope{}
	for _, e := range servertest.Endpoints(t) {
		needs[e.Row.Name], scopes[e.Row.Name] = e.Need, e.Scope()
	}
	kinds, descriptions := events.Kinds()
	table := "\n| kind | what happened | who sees it |\n|---|---|---|\n"
	for _, kind := range kinds {
		reader, need, ok := events.ReadingNeed(kind)
		if !ok {
			t.Errorf("%s: it is not known what its events are about", kind)
			continue
		}
		want, mounted := needs[reader]
		switch {
		case reader == "" && need != auth.InOrganization(api.RoleAdmin):
			t.Errorf("%s: no row reads the object, and others than admins see the events", kind)
		case reader == "":
		case !mounted:
			t.Errorf("%s: there is no row %s", kind, reader)
		case want.Kind == auth.SignedIn: // the caller's own objects
		case need.Kind != want.Kind || need.Role != want.Role || need.Scope != want.Scope || need.Shown != want.Shown:
			t.Errorf("%s: the need is %s, that of %s is %s", kind, need, reader, want)
		case events.ReadingScope(kind) != scopes[reader]:
			t.Errorf("%s: the scope is %s, that of %s is %s", kind, events.ReadingScope(kind), reader, scopes[reader])
		}
		if eventCounts[kind] > 0 || !hasKey(eventCounts, kind) {
			table += fmt.Sprintf("| `%s` | %s | %s |\n", kind, descriptions[kind], need)
		}
	}
	compareSection(t, "../docs/events.md", table+"\n")
}

func hasKey(m map[string]int, key string) bool { _, ok := m[key]; return ok }

// compareSection compares the generated section of a document with got, or writes it with -update.
func compareSection(t *testing.T, document, got string) {
	t.Helper()
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), "<!-- generated:")
	first, rest, _ := strings.Cut(rest, "\n")
	want, after, ok := strings.Cut(rest, "<!-- end -->")
	if !ok {
		t.Fatalf("%s has no generated section", document)
	}
	if *updateGolden {
		want = got
		text := before + "<!-- generated:" + first + "\n" + got + "<!-- end -->" + after
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s has changed; run the test with -update (-document +now):\n%s", document, diff)
	}
}

// TestEventKindsAreKnown checks that every kind of events that is written by a job or a command is listed.
func TestEventKindsAreKnown(t *testing.T) {
	t.Parallel()
	kinds, _ := events.Kinds()
	written := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, match := range writtenKind.FindAllSubmatch(data, -1) {
			written++
			if !slices.Contains(kinds, string(match[1])) {
				t.Errorf("%s: %s is no known kind of events", path, match[1])
			}
		}
		return err
	})
	if err != nil || written < 6 {
		t.Errorf("%d kinds are written, want more: %v", written, err)
	}
}

// writtenKind matches the kinds of events in code.
var writtenKind = regexp.MustCompile(`(?:"type": |repairEvent\(tx, |eventUser\w+ += )"([a-z-]+\.[a-z-]+)"`)
