package servertest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
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
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/text/texttest"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// Suite is the engines of this test binary; set once, before any test.
var Suite *storetest.Suite

// Main runs the tests of a package on the engines that are there. Its TestMain calls it.
func Main(m *testing.M) {
	os.Exit(storetest.Main(func(s *storetest.Suite) int {
		Suite = s
		return m.Run()
	}))
}

// Each runs a test on every engine with a world of its own.
func Each(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	Suite.Each(t, func(t *testing.T, engine storetest.Engine) { test(t, NewWorld(t, engine)) })
}

// People are the members of a world by name. The names of the roles are those of the ladder; guest is a member without a role, and
// stranger is the admin of another organization.
var People = map[string]api.Role{
	"admin": api.RoleAdmin, "creator": api.RoleCreate, "reviewer": api.RoleReview, "editor": api.RoleEdit,
	"commenter": api.RoleComment, "reader": api.RoleRead, "guest": api.RoleGuest,
}

// Other tokens that a world has beside one, named like its owner, for each person.
const (
	AdminReading = "admin, read scope"  // the admin's, with the scope read
	AdminWriting = "admin, write scope" // the admin's, with the scope write
)

// World is a server on a store of its own, with an organization of people in every role and another organization.
type World struct {
	T       *testing.T
	Store   *store.Store
	Trips   *storetest.Trips
	Clock   *Clock
	Web     Web  // what the server can fetch
	DNS     *DNS // what it is answered
	Server  *server.Server
	Handler http.Handler
	Schema  Document
	Unsound bool // the test itself has written what fsck objects to, or has taken the store away

	engine storetest.Engine
	keeper storetest.Keeper

	Org, OtherOrg string
	Users         map[string]api.UserFields // by name
	Tokens        map[string]string         // credentials by name
}

// WorldKey is the key that a world seals secrets with.
const WorldKey = "a key of 32 bytes for tests only"

// PublicURL is the address that a world's server gives itself.
const PublicURL = "https://docs.example.com"

// NewWorld makes a world on an engine. change adjusts the store that it runs on.
func NewWorld(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) *World {
	t.Helper()
	w := emptyWorld(t, engine, change...)
	w.Serve()
	w.People()
	return w
}

// emptyWorld is a world without people and without a server.
func emptyWorld(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) *World {
	t.Helper()
	w := &World{T: t, engine: engine, Trips: &storetest.Trips{}, Clock: NewClock(), Web: Web{}, DNS: &DNS{records: map[string][]string{}}, Users: map[string]api.UserFields{}, Tokens: map[string]string{}}
	change = append([]func(*store.Config){func(c *store.Config) {
		c.Clock, c.Model, c.Quota.Change = w.Clock.Now, access.New, budgets.Defaults().QuotaChange
		c.Hooks = append(c.Hooks, w.Trips)
	}}, change...)
	w.Store = engine.Open(t, append(change, w.keeper.Watch)...)
	t.Cleanup(func() {
		if !w.Unsound {
			w.Fsck()
		}
		*w = World{T: t} // a finished test keeps its cleanups, and with them all that they hold
	})
	return w
}

// Fsck fails the test if the store breaks an invariant: it is the last word on everything that a test did.
func (w *World) Fsck() {
	report, err := fsck.Run(context.Background(), w.Store, fsck.Options{}) // the test's context is over
	if err != nil {
		w.T.Errorf("fsck: %v", err)
	}
	for _, finding := range report.Findings {
		w.T.Errorf("fsck: %s", finding)
	}
}

// Serve starts a server of its own on the world's store, with cold caches.
func (w *World) Serve(change ...func(*server.Options)) {
	w.T.Helper()
	options := server.Options{
		Store: w.Store, PublicURL: PublicURL, Secret: []byte("a secret that is used in tests alone"), Key: []byte(WorldKey), Fetcher: w.Web,
		Importer: importer.New(w.Web, importer.Limits{}), Log: slog.New(slog.NewTextHandler(TestLog{T: w.T}, &slog.HandlerOptions{Level: slog.LevelError})),
		Resolver: w.DNS, Clock: w.Clock.Now, Version: "test",
	}
	for _, apply := range change {
		apply(&options)
	}
	var err error
	if w.Server, err = server.New(options); err != nil {
		w.T.Fatal(err)
	}
	w.Handler = w.Server.Handler()
	w.Schema = usualDocument(w.T, w.Handler, options)
}

// People makes the organizations, the users and their tokens.
func (w *World) People() {
	w.T.Helper()
	accounts, ctx := orgs.Accounts{Store: w.Store}, w.T.Context()
	user := func(name string) api.UserFields {
		u, err := accounts.User(ctx, name+"@example.com", "The "+name)
		w.Must(err)
		w.Users[name] = u
		w.Tokens[name] = w.Token(name) //nolint:contextcheck // it is the test's
		return u
	}
	var err error
	w.Org, err = accounts.Organization(ctx, "Acme", user("admin"))
	w.Must(err)
	for _, name := range slices.Sorted(maps.Keys(People)) {
		if name != "admin" {
			w.Must(accounts.Member(ctx, w.Org, user(name), People[name]))
		}
	}
	w.OtherOrg, err = accounts.Organization(ctx, "Elsewhere", user("stranger"))
	w.Must(err)
	w.Tokens[AdminReading] = w.Token("admin", api.ScopeRead)
	w.Tokens[AdminWriting] = w.Token("admin", api.ScopeWrite)
}

// Token makes a token for a user; without scopes it may do everything.
func (w *World) Token(name string, scopes ...api.Scope) string {
	w.T.Helper()
	_, text, err := orgs.Accounts{Store: w.Store}.Token(w.T.Context(), w.Users[name].ID, orgs.TokenOptions{Name: "test", Scopes: scopes})
	w.Must(err)
	return text
}

// Member gives a user a role in the organization.
func (w *World) Member(name string, role api.Role) {
	w.T.Helper()
	w.Must(orgs.Accounts{Store: w.Store}.Member(w.T.Context(), w.Org, w.Users[name], role))
}

// Must fails the test for an error.
func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Dump is everything in the store.
func (w *World) Dump() map[string]string {
	w.T.Helper()
	return storetest.Dump(w.T, w.Store)
}

// Answer is what the server answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error is the error of an answer that is none, zero otherwise.
func (a Answer) Error() api.Error {
	var body api.ErrorBody
	_ = json.Unmarshal(a.Body, &body)
	return body.Error
}

// Raw sends a request as it is given. as is the name of a token, "" for none; headers alternate names and values. A
// body that is not []byte is encoded; nil sends none. Every answer is held against the emitted document.
func (w *World) Raw(as, method, path string, body any, headers ...string) Answer {
	w.T.Helper()
	r := httptest.NewRequestWithContext(w.T.Context(), method, path, nil)
	if body != nil {
		data, ok := body.([]byte)
		if !ok {
			var err error
			if data, err = json.Marshal(body); err != nil {
				w.T.Errorf("%s %s: %v", method, path, err)
			}
		}
		r = httptest.NewRequestWithContext(w.T.Context(), method, path, bytes.NewReader(data))
		r.Header.Set("Content-Type", "application/json")
	}
	if as != "" {
		text, ok := w.Tokens[as]
		if !ok {
			w.T.Errorf("there is no token %q", as)
		}
		r.Header.Set("Authorization", "Bearer "+text)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	a := Answer{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
	w.Schema.check(w.T, r, a)
	for _, misfit := range texttest.Misfits(a.Body) {
		w.T.Errorf("%s %s: a document that does not fit: %s", method, path, misfit)
	}
	return a
}

// Call is raw for a request that is answered with a status.
func (w *World) Call(as, method, path string, body any, status int, headers ...string) Answer {
	w.T.Helper()
	a := w.Raw(as, method, path, body, headers...)
	if a.Status != status {
		w.T.Fatalf("%s %s as %s: %d, want %d\n%s", method, path, as, a.Status, status, a.Body)
	}
	return a
}

// Do runs an operation that has to succeed. The input is sent as a client would send it.
func Do[In, Out any](w *World, as string, route api.Route[In, Out], in In, headers ...string) Out {
	w.T.Helper()
	path, body := encode(w.T, route.Row, in)
	a := w.Call(as, route.Method, path, body, route.Status, headers...)
	var out Out
	if len(a.Body) > 0 {
		if err := json.Unmarshal(a.Body, &out); err != nil {
			w.T.Fatalf("%s: %v", route.Name, err)
		}
	}
	return out
}

// Try runs an operation that may fail, and returns what was answered.
func Try[In, Out any](w *World, as string, route api.Route[In, Out], in In, headers ...string) Answer {
	w.T.Helper()
	path, body := encode(w.T, route.Row, in)
	return w.Raw(as, route.Method, path, body, headers...)
}

// Refused runs an operation that has to fail with a status and a reason, and returns the error.
func Refused[In, Out any](w *World, as string, route api.Route[In, Out], in In, status int, reason api.Reason, headers ...string) api.Error {
	w.T.Helper()
	a := Try(w, as, route, in, headers...)
	if e := a.Error(); a.Status != status || e.Reason != reason {
		w.T.Fatalf("%s as %s: %d %s, want %d %s\n%s", route.Name, as, a.Status, e.Reason, status, reason, a.Body)
	}
	return a.Error()
}

// Absent runs a delete that finds nothing to delete.
func Absent[In any](w *World, as string, route api.Route[In, api.None], in In) {
	w.T.Helper()
	a := Try(w, as, route, in)
	if a.Status != http.StatusNoContent || a.Header.Get(api.AbsentHeader) != "true" {
		w.T.Fatalf("%s as %s: %d, want an absent thing\n%s", route.Name, as, a.Status, a.Body)
	}
}

// encode writes an input out as path with query, and body. The body is nil where the row has none.
func encode(t *testing.T, row api.Row, in any) (target string, body any) {
	t.Helper()
	input := api.NewCompiler().Input(row)
	v, query := reflect.ValueOf(in), url.Values{}
	target = row.Path
	for _, p := range input.Params {
		field := v.FieldByIndex(p.Index)
		if p.In == api.InPath {
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
	for name, text := range row.Sent() {
		if !query.Has(name) {
			query.Set(name, text)
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if input.Body != nil {
		body = v.FieldByIndex(input.BodyIndex).Interface()
	}
	return target, body
}

// Clock is a time that moves only when a test says so.
type Clock struct{ ms atomic.Int64 }

// NewClock starts about now: Redis expires by its own clock.
func NewClock() *Clock {
	c := &Clock{}
	c.ms.Store(time.Now().Truncate(time.Hour).UnixMilli())
	return c
}

// Now is the time.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.ms.Load()).UTC() }

// Advance moves the time on.
func (c *Clock) Advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// Web is what a server can fetch: pages by URL.
type Web map[string]string

// GetUpTo implements server.Fetcher and importer.Fetcher.
func (p Web) GetUpTo(ctx context.Context, address string, maxBytes int64) (*fetch.Response, error) {
	return p.GetChanged(ctx, address, maxBytes, "")
}

// GetChanged implements server.Fetcher. The ETag of a page is made of its bytes.
func (p Web) GetChanged(_ context.Context, address string, maxBytes int64, etag string) (*fetch.Response, error) {
	body, ok := p[address]
	if !ok || int64(len(body)) > maxBytes {
		return nil, &fetch.Error{URL: address, Message: "no such page"}
	}
	header := http.Header{"Etag": {fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(body)))}}
	if etag != "" && etag == header.Get("Etag") {
		return &fetch.Response{URL: address, Status: http.StatusNotModified, Header: header}, nil
	}
	return &fetch.Response{URL: address, Status: http.StatusOK, ContentType: contentTypeOf(address), Header: header, Body: []byte(body)}, nil
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

// TestLog shows what a server logs as an error in the test's own log.
type TestLog struct{ T *testing.T }

// Write implements io.Writer.
func (l TestLog) Write(p []byte) (int, error) {
	l.T.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// Together runs functions at the same time and waits for all.
func Together(n int, fn func(i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { fn(i) })
	}
	wait.Wait()
}

// MayAnswer are the endpoints that may succeed.
func MayAnswer(t *testing.T) []rest.Endpoint {
	t.Helper()
	return slices.DeleteFunc(Mounted(t), func(e rest.Endpoint) bool { return e.Row.Refused })
}

// Mounted are the operations that a server answers, in the contract's order.
func Mounted(t *testing.T) []rest.Endpoint {
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
