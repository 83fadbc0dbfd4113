package apidoc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/apidoc"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// examplesTime is the time of the world of the examples.
var examplesTime = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// exchange is the example of an operation as it is stored.
type exchange struct {
	Request any             `json:"request,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
	DryRun  json.RawMessage `json:"dryRun,omitempty"`
}

// TestExamplesAreCurrent compares the recorded examples with the requests and answers of the sample organization.
func TestExamplesAreCurrent(t *testing.T) {
	t.Parallel()
	want := recordExamples(t)
	if *apidoc.Update {
		if err := os.RemoveAll("examples"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir("examples", 0o755); err != nil {
			t.Fatal(err)
		}
		for name, data := range want {
			if err := os.WriteFile(filepath.Join("examples", name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	files, err := os.ReadDir("examples")
	if err != nil || len(files) != len(want) {
		t.Errorf("%d files (%v), want %d", len(files), err, len(want))
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		have, err := os.ReadFile(filepath.Join("examples", name))
		if err != nil {
			t.Error(err)
		}
		servertest.Equal(t, name, string(want[name]), string(have))
	}
	if t.Failed() {
		t.Log("run: go test ./server/web/apidoc -run TestExamplesAreCurrent -update")
	}
}

// recordExamples sends the sample request of every row and returns the files of the examples by name. Rows that write get a copy of the
// sample organization each.
func recordExamples(t *testing.T) map[string][]byte {
	t.Helper()
	withIDs := func(seed uint64) (func(*store.Config), func(*server.Options)) {
		var ids txn.IDGenerator
		return func(c *store.Config) {
			ids = storetest.SeededIDs(c.Clock, seed)
			c.IDs = ids
		}, func(o *server.Options) { o.IDs = ids }
	}
	config, options := withIDs(1)
	w := servertest.NewWorldAt(t, storetest.Memory(), examplesTime, config)
	w.Serve(options)
	s := w.Populate()
	w.UpdateIndex()
	w.Clock.Advance(time.Hour)
	original := w.Snapshot()

	resources, parameters := map[string]map[string]exchange{}, map[string]string{}
	for i, row := range api.Rows() {
		world := w
		if row.Writes() {
			config, options := withIDs(uint64(i) + 2)
			world = original.World(t, storetest.Memory(), config)
			world.Serve(options)
		}
		if name := row.Resource(); resources[name] == nil {
			resources[name] = map[string]exchange{}
		}
		resources[row.Resource()][row.Name] = exchangeOf(world, row, s)
		for _, p := range row.PathParams() {
			if _, ok := parameters[p.Name]; !ok {
				parameters[p.Name] = w.SampleParam(row, s, p.Subject)
			}
		}
	}
	files := map[string][]byte{"parameters.json": encodeExample(t, parameters)}
	for name, examples := range resources {
		files[name+".json"] = encodeExample(t, examples)
	}
	return files
}

// exchangeOf sends the sample request of a row. Lists answer two items.
func exchangeOf(w *servertest.World, row api.Row, s *servertest.Sample) exchange {
	w.T.Helper()
	path := w.SamplePath(row, s)
	if row.IsList() {
		path = servertest.WithQuery(path, "limit=2")
	}
	e := exchange{Request: w.SampleBody(row, s)}
	if row.Method == http.MethodDelete {
		e.DryRun = w.Call("admin", row.Method, servertest.WithQuery(path, "dryRun=true"), e.Request, http.StatusOK).Body
	}
	if e.Request == nil && servertest.TakesBody(row) {
		e.Request = struct{}{}
	}
	a := w.Call("admin", row.Method, path, e.Request, row.Status)
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		e.Answer = a.Body
	}
	return e
}

// encodeExample encodes a file of examples with fixed values in place of those that differ between equal worlds.
func encodeExample(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	for _, r := range randomExamples {
		data = r.pattern.ReplaceAll(data, []byte(r.replacement))
	}
	return fixEvents(data)
}

// randomExamples are the random values of answers, with the values in the examples.
var randomExamples = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`\b((?:wsd|wsi)_\w+?_\w+?)_[A-Z2-7]{26}\b`), "${1}_EXAMPLEEXAMPLEEXAMPLEEXAM2"},
	{regexp.MustCompile(`"wsd-organization=[A-Z2-7]+"`), `"wsd-organization=EXAMPLEEXAMPLEEXAMPLEEXAM2"`},
	{regexp.MustCompile(`"privateKey": "[A-Z2-7]+"`), `"privateKey": "EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXA"`},
	{regexp.MustCompile(`\bjwt_token=[\w.-]+`), "jwt_token=EXAMPLE"},
	{regexp.MustCompile(`-----BEGIN CERTIFICATE-----\\n.*?\\n-----END`), `-----BEGIN CERTIFICATE-----\nEXAMPLE\n-----END`},
	{regexp.MustCompile(`\b(?:[0-9A-F]{2}:){31}[0-9A-F]{2}\b`), strings.TrimSuffix(strings.Repeat("E5:", 32), ":")},
	{regexp.MustCompile(`"page": "[\w-]{20,}"`), `"page": "AgEXAMPLEEXAMPLEEXAMPLE"`},
}

var (
	eventID  = regexp.MustCompile(`\b1\d{12}-\d+\b`)
	realTime = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT[\d:.]+Z`)
)

// fixEvents replaces the ids of events and their times, which have the time of the emulation, by such with the time of the examples.
// They keep their order.
func fixEvents(data []byte) []byte {
	order := map[string]int{}
	for _, id := range eventID.FindAllString(string(data), -1) {
		order[id] = 0
	}
	for i, id := range slices.Sorted(maps.Keys(order)) { // their times have the same number of digits
		order[id] = i
	}
	data = eventID.ReplaceAllFunc(data, func(id []byte) []byte {
		return fmt.Appendf(nil, "%d-0", examplesTime.Add(time.Duration(order[string(id)])*time.Second).UnixMilli())
	})
	return realTime.ReplaceAllFunc(data, func(text []byte) []byte {
		at, err := time.Parse(time.RFC3339, string(text))
		if err != nil || time.Since(at).Abs() > time.Hour {
			return text
		}
		return []byte(examplesTime.Format("2006-01-02T15:04:05.000Z"))
	})
}
