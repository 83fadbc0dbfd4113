package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/server/fetch"
	"docspace.dev/wsd/server/importer"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// suite is the engines of this test binary; set once, before any test.
var suite *storetest.Suite

func TestMain(m *testing.M) {
	os.Exit(storetest.Main(func(s *storetest.Suite) int {
		suite = s
		return m.Run()
	}))
}

// each runs a test on every engine with a world of its own.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) { test(t, newWorld(t, engine)) })
}

// The people of a world. The names of the roles are those of the ladder; guest is a member without a role, and
// stranger is the admin of another organization.
var people = map[string]api.Role{
	"admin": api.RoleAdmin, "creator": api.RoleCreate, "reviewer": api.RoleReview, "editor": api.RoleEdit,
	"commenter": api.RoleComment, "reader": api.RoleRead, "guest": api.RoleGuest,
}

// Other tokens that a world has beside one, named like its owner, for each person.
const (
	adminReading = "admin, read scope"  // the admin's, with the scope read
	adminWriting = "admin, write scope" // the admin's, with the scope write
)

// world is a server on a store of its own, with an organization of people in every role and another organization.
type world struct {
	t       *testing.T
	store   *store.Store
	trips   *storetest.Trips
	clock   *clock
	web     web // what the server can fetch
	server  *server.Server
	handler http.Handler
	schema  document
	unsound bool // the test itself has written what fsck objects to, or has taken the store away

	engine storetest.Engine
	prefix string // of the store's keys

	org, otherOrg string
	users         map[string]api.UserFields // by name
	tokens        map[string]string         // credentials by name
}

// worldKey is the key that a world seals secrets with.
const worldKey = "a key of 32 bytes for tests only"

const publicURL = "https://docs.example.com"

// newWorld makes a world on an engine. change adjusts the store that it runs on.
func newWorld(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) *world {
	t.Helper()
	w := emptyWorld(t, engine, change...)
	w.serve()
	w.people()
	return w
}

// emptyWorld is a world without people and without a server.
func emptyWorld(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) *world {
	t.Helper()
	w := &world{t: t, engine: engine, trips: &storetest.Trips{}, clock: newClock(), web: web{}, users: map[string]api.UserFields{}, tokens: map[string]string{}}
	w.store = engine.Open(t, append([]func(*store.Config){func(c *store.Config) {
		c.Clock, c.Model, c.Quota.Change = w.clock.Now, access.New, budgets.Defaults().QuotaChange
		c.Hooks = append(c.Hooks, w.trips)
		w.prefix = c.Prefix
	}}, change...)...)
	t.Cleanup(func() {
		if !w.unsound {
			w.fsck()
		}
		*w = world{t: t} // a finished test keeps its cleanups, and with them all that they hold
	})
	return w
}

// copy makes another world with a copy of everything that is stored in this one, at the same time of day. It is many
// times quicker than making it anew.
func (w *world) copy(t *testing.T) *world {
	t.Helper()
	c := emptyWorld(t, w.engine)
	w.engine.Copy(t, w.prefix, c.prefix)
	c.clock.ms.Store(w.clock.ms.Load())
	c.web, c.users, c.tokens = maps.Clone(w.web), maps.Clone(w.users), maps.Clone(w.tokens)
	c.org, c.otherOrg = w.org, w.otherOrg
	c.serve()
	return c
}

// fsck fails the test if the store breaks an invariant: it is the last word on everything that a test did.
func (w *world) fsck() {
	report, err := fsck.Run(context.Background(), w.store, fsck.Options{}) // the test's context is over
	if err != nil {
		w.t.Errorf("fsck: %v", err)
	}
	for _, finding := range report.Findings {
		w.t.Errorf("fsck: %s", finding)
	}
}

// serve starts a server of its own on the world's store, with cold caches.
func (w *world) serve(change ...func(*server.Options)) {
	w.t.Helper()
	options := server.Options{
		Store: w.store, PublicURL: publicURL, Secret: []byte("a secret that is used in tests alone"), Key: []byte(worldKey), Fetcher: w.web,
		Importer: importer.New(w.web, importer.Limits{}), Log: slog.New(slog.NewTextHandler(testLog{w.t}, &slog.HandlerOptions{Level: slog.LevelError})),
		Clock: w.clock.Now, Version: "test",
	}
	for _, apply := range change {
		apply(&options)
	}
	var err error
	if w.server, err = server.New(options); err != nil {
		w.t.Fatal(err)
	}
	w.handler = w.server.Handler()
	w.schema = usualDocument(w.t, w.handler, options)
}

// people makes the organizations, the users and their tokens.
func (w *world) people() {
	w.t.Helper()
	accounts, ctx := orgs.Accounts{Store: w.store}, w.t.Context()
	user := func(name string) api.UserFields {
		u, err := accounts.User(ctx, name+"@example.com", "The "+name)
		w.must(err)
		w.users[name] = u
		w.tokens[name] = w.token(name) //nolint:contextcheck // it is the test's
		return u
	}
	var err error
	w.org, err = accounts.Organization(ctx, "Acme", user("admin"))
	w.must(err)
	for _, name := range slices.Sorted(maps.Keys(people)) {
		if name != "admin" {
			w.must(accounts.Member(ctx, w.org, user(name), people[name]))
		}
	}
	w.otherOrg, err = accounts.Organization(ctx, "Elsewhere", user("stranger"))
	w.must(err)
	w.tokens[adminReading] = w.token("admin", api.ScopeRead)
	w.tokens[adminWriting] = w.token("admin", api.ScopeWrite)
}

// token makes a token for a user; without scopes it may do everything.
func (w *world) token(name string, scopes ...api.Scope) string {
	w.t.Helper()
	_, text, err := orgs.Accounts{Store: w.store}.Token(w.t.Context(), w.users[name].ID, orgs.TokenOptions{Name: "test", Scopes: scopes})
	w.must(err)
	return text
}

// member gives a user a role in the organization.
func (w *world) member(name string, role api.Role) {
	w.t.Helper()
	w.must(orgs.Accounts{Store: w.store}.Member(w.t.Context(), w.org, w.users[name], role))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// dump is everything in the store.
func (w *world) dump() map[string]string {
	w.t.Helper()
	return storetest.Dump(w.t, w.store)
}

// answer is what the server answered.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error is the error of an answer that is none, zero otherwise.
func (a answer) Error() api.Error {
	var body api.ErrorBody
	_ = json.Unmarshal(a.Body, &body)
	return body.Error
}

// raw sends a request as it is given. as is the name of a token, "" for none; headers alternate names and values. A
// body that is not []byte is encoded; nil sends none. Every answer is held against the emitted document.
func (w *world) raw(as, method, path string, body any, headers ...string) answer {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, path, nil)
	if body != nil {
		data, ok := body.([]byte)
		if !ok {
			var err error
			if data, err = json.Marshal(body); err != nil {
				w.t.Errorf("%s %s: %v", method, path, err)
			}
		}
		r = httptest.NewRequestWithContext(w.t.Context(), method, path, bytes.NewReader(data))
		r.Header.Set("Content-Type", "application/json")
	}
	if as != "" {
		text, ok := w.tokens[as]
		if !ok {
			w.t.Errorf("there is no token %q", as)
		}
		r.Header.Set("Authorization", "Bearer "+text)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	a := answer{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
	w.schema.check(w.t, r, a)
	return a
}

// call is raw for a request that is answered with a status.
func (w *world) call(as, method, path string, body any, status int, headers ...string) answer {
	w.t.Helper()
	a := w.raw(as, method, path, body, headers...)
	if a.Status != status {
		w.t.Fatalf("%s %s as %s: %d, want %d\n%s", method, path, as, a.Status, status, a.Body)
	}
	return a
}

// do runs an operation that has to succeed. The input is sent as a client would send it.
func do[In, Out any](w *world, as string, route api.Route[In, Out], in In, headers ...string) Out {
	w.t.Helper()
	path, body := encode(w.t, route.Row, in)
	a := w.call(as, route.Method, path, body, route.Status, headers...)
	var out Out
	if len(a.Body) > 0 {
		if err := json.Unmarshal(a.Body, &out); err != nil {
			w.t.Fatalf("%s: %v", route.Name, err)
		}
	}
	return out
}

// try runs an operation that may fail, and returns what was answered.
func try[In, Out any](w *world, as string, route api.Route[In, Out], in In, headers ...string) answer {
	w.t.Helper()
	path, body := encode(w.t, route.Row, in)
	return w.raw(as, route.Method, path, body, headers...)
}

// refused runs an operation that has to fail with a status and a reason, and returns the error.
func refused[In, Out any](w *world, as string, route api.Route[In, Out], in In, status int, reason api.Reason, headers ...string) api.Error {
	w.t.Helper()
	a := try(w, as, route, in, headers...)
	if e := a.Error(); a.Status != status || e.Reason != reason {
		w.t.Fatalf("%s as %s: %d %s, want %d %s\n%s", route.Name, as, a.Status, e.Reason, status, reason, a.Body)
	}
	return a.Error()
}

// encode writes an input out as path with query, and body. The body is nil where the row has none.
func encode(t *testing.T, row api.Row, in any) (target string, body any) {
	t.Helper()
	input := api.NewCompiler().Input(row)
	v, query := reflect.ValueOf(in), url.Values{}
	target = row.Path
	for _, p := range input.Params {
		field := v.FieldByIndex(p.Index)
		if p.Place == api.InPath {
			target = strings.NewReplacer("{"+p.Name+"}", url.PathEscape(field.String()), "{"+p.Name+"...}", field.String()).Replace(target)
			continue
		}
		if field.IsZero() {
			continue
		}
		data, err := json.Marshal(field.Interface())
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		if p.List {
			err = json.Unmarshal(data, &texts)
		} else {
			texts = []string{strings.Trim(string(data), `"`)}
		}
		if err != nil {
			t.Fatal(err)
		}
		query[p.Name] = texts
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if input.Body != nil {
		body = v.FieldByIndex(input.BodyIndex).Interface()
	}
	return target, body
}

// clock is a time that moves only when a test says so.
type clock struct{ ms atomic.Int64 }

// newClock starts about now: Redis expires by its own clock.
func newClock() *clock {
	c := &clock{}
	c.ms.Store(time.Now().Truncate(time.Hour).UnixMilli())
	return c
}

// Now is the time.
func (c *clock) Now() time.Time { return time.UnixMilli(c.ms.Load()).UTC() }

// Advance moves the time on.
func (c *clock) Advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// web is what a server can fetch: pages by URL.
type web map[string]string

// GetUpTo implements server.Fetcher and importer.Fetcher.
func (p web) GetUpTo(_ context.Context, address string, maxBytes int64) (*fetch.Response, error) {
	body, ok := p[address]
	if !ok || int64(len(body)) > maxBytes {
		return nil, &fetch.Error{URL: address, Message: "no such page"}
	}
	return &fetch.Response{URL: address, Status: http.StatusOK, ContentType: contentTypeOf(address), Header: http.Header{}, Body: []byte(body)}, nil
}

func contentTypeOf(address string) string {
	switch {
	case strings.HasSuffix(address, ".md"):
		return "text/markdown; charset=utf-8"
	case strings.HasSuffix(address, ".png"):
		return "image/png"
	case strings.HasSuffix(address, ".zip"):
		return "application/zip"
	}
	return "text/html; charset=utf-8"
}

// testLog shows what a server logs as an error in the test's own log.
type testLog struct{ t *testing.T }

// Write implements io.Writer.
func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// together runs functions at the same time and waits for all.
func together(n int, fn func(i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { fn(i) })
	}
	wait.Wait()
}

// mounted are the operations that a server answers, in the contract's order.
func mounted(t *testing.T) []rest.Endpoint {
	t.Helper()
	s, err := server.New(server.Options{Secret: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	order := map[string]int{}
	for i, row := range api.Rows() {
		order[row.Name] = i
	}
	return slices.SortedFunc(slices.Values(s.Endpoints()), func(a, b rest.Endpoint) int {
		return cmp.Compare(order[a.Row.Name], order[b.Row.Name])
	})
}
