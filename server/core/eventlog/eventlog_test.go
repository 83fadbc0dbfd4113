package eventlog_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
)

func members[T any]() eventlog.Members {
	return eventlog.NewMembers(api.NewCompiler().Compile(reflect.TypeFor[T]()))
}

// TestDiffHasNoTexts checks that the difference names all changed members and has the values of those that are no text.
func TestDiffHasNoTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", eventlog.MaxMember)
	for name, test := range map[string]struct {
		before, after string
		changed       []string
		was, now      map[string]string
	}{
		"text":    {`{"title":"A"}`, `{"title":"B"}`, []string{"title"}, nil, nil},
		"word":    {`{"editMode":"live"}`, `{"editMode":"locked"}`, []string{"editMode"}, map[string]string{"editMode": `"live"`}, map[string]string{"editMode": `"locked"`}},
		"removed": {`{"defaultLevel":"read"}`, `{}`, []string{"defaultLevel"}, map[string]string{"defaultLevel": `"read"`}, nil},
		"id":      {`{"parent":"l_1"}`, `{"parent":"l_2"}`, []string{"parent"}, map[string]string{"parent": `"l_1"`}, map[string]string{"parent": `"l_2"`}},
		"long":    {`{"parent":"l_1"}`, `{"parent":"` + long + `"}`, []string{"parent"}, nil, nil},
		"time":    {`{"updatedAt":"2026-01-01T00:00:00Z"}`, `{"updatedAt":"2026-01-02T00:00:00Z"}`, nil, nil, nil},
		"unknown": {`{"other":"text"}`, `{}`, []string{"other"}, nil, nil},
		"equal":   {`{"title":"A"}`, `{"title":"A"}`, nil, nil, nil},
	} {
		d, err := members[api.Space]().Diff([]byte(test.before), []byte(test.after))
		if err != nil {
			t.Fatal(err)
		}
		texts := func(of map[string]string) map[string]string {
			if len(of) == 0 {
				return nil
			}
			return of
		}
		was, now := map[string]string{}, map[string]string{}
		for member, value := range d.Before {
			was[member] = string(value)
		}
		for member, value := range d.After {
			now[member] = string(value)
		}
		got := []any{d.Changed, texts(was), texts(now)}
		if diff := cmp.Diff([]any{test.changed, test.was, test.now}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := members[api.Space]().Diff([]byte(`{`), []byte(`{}`)); err == nil {
		t.Error("damaged JSON has a difference")
	}
}

// TestDiffHasTitles checks that titles are kept apart, for the audit log.
func TestDiffHasTitles(t *testing.T) {
	t.Parallel()
	d, err := members[api.ChangeRequest]().Diff([]byte(`{"subject":"A","status":"open"}`), []byte(`{"subject":"B","status":"merged"}`))
	if err != nil || d.LabelBefore != "A" || d.LabelAfter != "B" {
		t.Errorf("titles %q and %q: %v", d.LabelBefore, d.LabelAfter, err)
	}
	d.Add("role", nil, "edit")
	d.Add("role", "read", "edit") // only what is the same for all stays
	d.Add("same", 1, 1)
	if diff := cmp.Diff([]string{"role", "status", "subject"}, d.Changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	if got := string(d.Before["role"]) + string(d.After["role"]); got != `"edit"` {
		t.Errorf("role %s", got)
	}
}

// TestEntriesFit checks that entries with more bytes or fields than allowed lose what can be found elsewhere, and nothing else.
func TestEntriesFit(t *testing.T) {
	t.Parallel()
	fields := map[string]string{eventlog.Type: "spaces.update", eventlog.ID: "s_1"}
	eventlog.Fit(fields)
	if len(fields) != 2 {
		t.Errorf("a short entry has lost fields: %v", fields)
	}
	audit := eventlog.Audit{
		Target: strings.Repeat("ä", 200), UserAgent: strings.Repeat("<\x00\xff", 200),
		Before: map[string]string{"title": strings.Repeat("b", 200)},
	}
	audit.Set(fields)
	for _, name := range []string{eventlog.PageIDs, eventlog.Users, eventlog.Teams} {
		fields[name] = strings.Repeat(strings.Repeat("x", 20)+" ", 400)
	}
	for _, name := range []string{eventlog.Before, eventlog.After} {
		fields[name] = strings.Repeat("x", 250)
	}
	eventlog.Fit(fields)
	for _, name := range []string{eventlog.ID, eventlog.Before, eventlog.After, eventlog.Audited, eventlog.Users, eventlog.Teams} {
		if size := eventlog.Size(fields); size > eventlog.MaxBytes || fields[name] == "" {
			t.Errorf("%d bytes without %s: %v", size, name, fields)
		}
	}
	many := map[string]string{eventlog.Type: "change-requests.request-review", eventlog.Users: strings.Repeat("u_0b55680gx12jt2 ", 200)}
	eventlog.Fit(many)
	if n := len(strings.Fields(many[eventlog.Users])); eventlog.Size(many) > eventlog.MaxBytes || n != 20 ||
		!strings.HasSuffix(many[eventlog.Users], "u_0b55680gx12jt2") {
		t.Errorf("%d users in %d bytes: %q", n, eventlog.Size(many), many[eventlog.Users])
	}
	read, err := eventlog.AuditOf(fields)
	if err != nil || len(read.Target) > 100 || !utf8.ValidString(read.Target) || len(read.Before["title"]) != 100 {
		t.Errorf("audit %+v: %v", read, err)
	}
	if _, err := eventlog.AuditOf(map[string]string{eventlog.Audited: "{"}); err == nil {
		t.Error("a damaged entry is read")
	}
	if empty, err := eventlog.AuditOf(nil); err != nil || !reflect.ValueOf(empty).IsZero() {
		t.Errorf("of an earlier version: %+v, %v", empty, err)
	}
}
