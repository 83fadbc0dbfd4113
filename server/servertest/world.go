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
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// Suite holds the engines of this test binary. It is set by Main before any test runs.
var Suite *storetest.Suite

// Main runs the tests of a package on the available engines and exits the process. It is called by TestMain.
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

// People maps the names of the members of a world's organization to their roles. The guest is a member without a role. A world
// also has a stranger, who is not in the map: the admin of another organization.
var People = map[string]api.Role{
	"admin": api.RoleAdmin, "creator": api.RoleCreate, "reviewer": api.RoleReview, "editor": api.RoleEdit,
	"commenter": api.RoleComment, "reader": api.RoleRead, "guest": api.RoleGuest,
}

// Names of further tokens in each world.
const (
	AdminReading = "admin, read scope"  // token of the admin with scope read
	AdminWriting = "admin, write scope" // token of the admin with scope write
)

// World is a test server with its own store, an organization that has a member with each role, and another organization.
type World struct {
	T        *testing.T
	Store    *store.Store
	Trips    *storetest.Trips
	Clock    *Clock
	Web      Web  // pages that the server can fetch
	DNS      *DNS // resolver of the server
	Server   *server.Server
	Handler  http.Handler
	Schema   Document
	SkipFsck bool // disables the final fsck, for tests that damage or remove the store

	engine      storetest.Engine
	snapshotter storetest.Snapshotter

	Org, OtherOrg string
	Users         map[string]api.UserFields // by name
	Tokens        map[string]string         // bearer tokens by name
}

// ServerSecret is the secret with which the servers of a world sign.
const ServerSecret = "a secret that is used in tests alone"

// EncryptionKey is the encryption key of a world's secrets.
const EncryptionKey = "a key of 32 bytes for tests only"

// PublicURL is the public URL of a world's server.
const PublicURL = "https://docs.example.com"

// NewWorld returns a world on an engine. change adjusts the configuration of its store.
func NewWorld(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) *World {
	t.Helper()
	w := emptyWorld(t, engine, change...)
	w.Serve()
	w.People()
	return w
}

// NewWorldAt is like NewWorld with a clock that is set to a time. Keys that Redis expires by its own clock must not matter to the test.
func NewWorldAt(t *testing.T, engine storetest.Engine, at time.Time, change ...func(*store.Config)) *World {
	t.Helper()
	w := emptyWorldAt(t, engine, at, change...)
	w.Serve()
	w.People()
	return w
}

// NewBreakableWorld returns a world on the in-memory engine, without fsck at its end, and a function that removes an object
// of an owner from the store.
func NewBreakableWorld(t *testing.T) (w *World, removeObject func(owner, hash string)) {
	t.Helper()
	breaker, prefix := &storetest.Breaker{}, ""
	w = NewWorld(t, storetest.Memory(), func(c *store.Config) {
		prefix = c.Prefix
		c.Hooks = append(c.Hooks, breaker)
	})
	w.SkipFsck = true
	return w, func(owner, hash string) {
		t.Helper()
		breaker.RemoveObject(t, w.Store, prefix, owner, hash)
	}
}

// DamageObject overwrites an object of an owner in the store with invalid bytes, removes the owner's content from the cache,
// and disables the final fsck.
func (w *World) DamageObject(owner, hash string) {
	w.T.Helper()
	first, _ := objects.FirstByte(hash)
	w.Must(w.Store.Client.HSet(w.T.Context(), w.Store.Name(txn.ObjectKey(owner, first)), hash, "damaged").Err())
	w.Store.ForgetContent(owner)
	w.SkipFsck = true
}

// emptyWorld returns a world without people and without a server.
func emptyWorld(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) *World {
	t.Helper()
	return emptyWorldAt(t, engine, NewClock().Now(), change...)
}

// emptyWorldAt is like emptyWorld with a clock that is set to a time.
func emptyWorldAt(t *testing.T, engine storetest.Engine, at time.Time, change ...func(*store.Config)) *World {
	t.Helper()
	w := &World{
		T: t, engine: engine, Trips: &storetest.Trips{}, Clock: &Clock{}, Web: Web{}, DNS: &DNS{
			records: map[string][]string{},
		}, Users: map[string]api.UserFields{}, Tokens: map[string]string{},
	}
	w.Clock.ms.Store(at.UnixMilli())
	change = append([]func(*store.Config){func(c *store.Config) {
		c.Clock, c.Model, c.Quota.Allowance = w.Clock.Now, access.NewModel, budgets.Defaults().QuotaChangeBytes
		c.Hooks = append(c.Hooks, w.Trips)
	}}, change...)
	w.Store = engine.Open(t, append(change, w.snapshotter.Install)...)
	t.Cleanup(func() {
		if !w.SkipFsck {
			w.Fsck()
		}
		*w = World{T: t} // frees memory: finished tests keep their cleanup functions
	})
	return w
}

// Fsck fails the test if the store violates an invariant. It runs at the end of every test unless SkipFsck is set.
func (w *World) Fsck() {
	report, err := fsck.Run(context.Background(), w.Store, fsck.Options{}) // w.T.Context() is already cancelled here
	if err != nil {
		w.T.Errorf("fsck: %v", err)
	}
	for _, finding := range report.Findings {
		w.T.Errorf("fsck: %s", finding)
	}
}

// Serve replaces the server of the world with a new one on the same store, with empty caches.
func (w *World) Serve(change ...func(*server.Options)) {
	w.T.Helper()
	options := server.Options{
		Store: w.Store, PublicURL: PublicURL, Secret: []byte(ServerSecret), Key: []byte(EncryptionKey),
		Fetcher:  w.Web,
		Importer: importer.New(w.Web, importer.Limits{}), Log: slog.New(slog.NewTextHandler(TestLog{T: w.T},
			&slog.HandlerOptions{Level: slog.LevelError})),
		Resolver: w.DNS, Clock: w.Clock.Now, Version: "test",
	}
	for _, apply := range change {
		apply(&options)
	}
	hasOwnBudgets := options.Budgets != nil
	if !hasOwnBudgets {
		options.Budgets = longTimeBudgets()
	}
	var err error
	if w.Server, err = server.New(options); err != nil {
		w.T.Fatal(err)
	}
	w.Handler = w.Server.Handler()
	w.Schema = cachedDocument(w.T, w.Handler, options, hasOwnBudgets)
}

// longTimeBudgets returns the default budgets with durations of requests that a busy machine does not exceed, so that the results
// of tests do not depend on its speed. Streams end soon, so that tests that send requests of any kind are not held up by one.
func longTimeBudgets() *budgets.Budgets {
	b := budgets.Defaults()
	b.CallTime, b.SlowTime, b.StreamTime = int64(time.Hour), int64(time.Hour), int64(time.Second)
	return b
}

// People creates the organizations, the users and their tokens.
func (w *World) People() {
	w.T.Helper()
	accounts, ctx := orgs.Accounts{Store: w.Store}, w.T.Context()
	user := func(name string) api.UserFields {
		u, err := accounts.EnsureUser(ctx, name+"@example.com", "The "+name)
		w.Must(err)
		w.Users[name] = u
		w.Tokens[name] = w.CreateToken(name) //nolint:contextcheck // it is the test's
		return u
	}
	var err error
	w.Org, err = accounts.EnsureOrganization(ctx, "Acme", user("admin"))
	w.Must(err)
	for _, name := range slices.Sorted(maps.Keys(People)) {
		if name != "admin" {
			w.Must(accounts.SetMember(ctx, w.Org, user(name), People[name]))
		}
	}
	w.OtherOrg, err = accounts.EnsureOrganization(ctx, "Elsewhere", user("stranger"))
	w.Must(err)
	w.Tokens[AdminReading] = w.CreateToken("admin", api.ScopeRead)
	w.Tokens[AdminWriting] = w.CreateToken("admin", api.ScopeWrite)
}

// CreateToken creates a token for a user and returns its text. Without scopes, the token has all of them.
func (w *World) CreateToken(name string, scopes ...api.Scope) string {
	w.T.Helper()
	_, text, err := orgs.Accounts{Store: w.Store}.CreateToken(w.T.Context(), w.Users[name].ID,
		orgs.TokenOptions{Name: "test", Scopes: scopes})
	w.Must(err)
	return text
}

// SetMember makes a user a member of the organization with a role.
func (w *World) SetMember(name string, role api.Role) {
	w.T.Helper()
	w.Must(orgs.Accounts{Store: w.Store}.SetMember(w.T.Context(), w.Org, w.Users[name], role))
}

// Must fails the test if err is not nil.
func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Dump returns all keys and values of the store, except for times of last use, which a request changes after its response.
func (w *World) Dump() map[string]string {
	w.T.Helper()
	dump := storetest.Dump(w.T, w.Store)
	maps.DeleteFunc(dump, func(key, _ string) bool { return strings.Contains(key, ":used:") || strings.HasSuffix(key, ":seen") })
	return dump
}

// Response is a response of the server.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error returns the error in a response, or the zero Error.
func (a Response) Error() api.Error {
	var body api.ErrorBody
	_ = json.Unmarshal(a.Body, &body) // a body of another form contains no error
	return body.Error
}

// Send sends a request. as is the name of a token, "" for none; headers alternate names and values. A body that is not
// []byte is encoded; nil sends none. All responses are validated against the OpenAPI document.
func (w *World) Send(as, method, path string, body any, headers ...string) Response {
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
	a := Response{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
	w.Schema.check(w.T, r, a)
	for _, misfit := range texttest.Violations(a.Body) {
		w.T.Errorf("%s %s: a document that does not fit: %s", method, path, misfit)
	}
	return a
}

// Call is like Send and fails the test unless the response has the given status.
func (w *World) Call(as, method, path string, body any, status int, headers ...string) Response {
	w.T.Helper()
	a := w.Send(as, method, path, body, headers...)
	if a.Status != status {
		w.T.Fatalf("%s %s as %s: %d, want %d\n%s", method, path, as, a.Status, status, a.Body)
	}
	return a
}

// Do calls an operation, which must succeed. The input is encoded as a client does.
func Do[In, Out any](w *World, as string, route api.Route[In, Out], in In, headers ...string) Out {
	w.T.Helper()
	path, body := encodeInput(w.T, route.Row, in)
	a := w.Call(as, route.Method, path, body, route.Status, headers...)
	var out Out
	if len(a.Body) > 0 {
		if err := json.Unmarshal(a.Body, &out); err != nil {
			w.T.Fatalf("%s: %v", route.Name, err)
		}
	}
	return out
}

// Try calls an operation that may fail, and returns the response.
func Try[In, Out any](w *World, as string, route api.Route[In, Out], in In, headers ...string) Response {
	w.T.Helper()
	path, body := encodeInput(w.T, route.Row, in)
	return w.Send(as, route.Method, path, body, headers...)
}

// Refused calls an operation, which must fail with the status and reason, and returns the error.
func Refused[In, Out any](w *World, as string, route api.Route[In, Out], in In, status int, reason api.Reason) api.Error {
	w.T.Helper()
	return Refusal(w, Try(w, as, route, in), status, reason)
}

// Refusal returns the error of a response, which must have the status and reason.
func Refusal(w *World, a Response, status int, reason api.Reason) api.Error {
	w.T.Helper()
	e := a.Error()
	if a.Status != status || e.Reason != reason {
		w.T.Fatalf("%d %s, want %d %s\n%s", a.Status, e.Reason, status, reason, a.Body)
	}
	return e
}

// DeleteAbsent calls a delete operation, which must find nothing to delete.
func DeleteAbsent[In any](w *World, as string, route api.Route[In, api.None], in In) {
	w.T.Helper()
	a := Try(w, as, route, in)
	if a.Status != http.StatusNoContent || a.Header.Get(api.AbsentHeader) != "true" {
		w.T.Fatalf("%s as %s: %d, want an absent thing\n%s", route.Name, as, a.Status, a.Body)
	}
}

// encodeInput returns the request target, with path parameters and query, and the body of an input. The body is nil if the row
// has none.
func encodeInput(t *testing.T, row api.Row, in any) (target string, body any) {
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

// Web holds the pages that a server can fetch, by URL.
type Web map[string]string

// GetUpTo implements server.Fetcher and importer.Fetcher.
func (w Web) GetUpTo(ctx context.Context, address string, maxBytes int64) (*fetch.Response, error) {
	return w.GetChanged(ctx, address, maxBytes, "")
}

// GetChanged implements server.Fetcher. The ETag of a page is derived from its bytes.
func (w Web) GetChanged(_ context.Context, address string, maxBytes int64, etag string) (*fetch.Response, error) {
	body, ok := w[address]
	if !ok || int64(len(body)) > maxBytes {
		return nil, &fetch.Error{URL: address, Message: "no such page"}
	}
	header := http.Header{"Etag": {fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(body)))}}
	if etag != "" && etag == header.Get("Etag") {
		return &fetch.Response{URL: address, Status: http.StatusNotModified, Header: header}, nil
	}
	return &fetch.Response{
		URL: address, Status: http.StatusOK, ContentType: contentTypeOf(address), Header: header, Body: []byte(body),
	}, nil
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

// TestLog writes errors logged by a server to the log of the test.
type TestLog struct{ T *testing.T }

// Write implements io.Writer.
func (l TestLog) Write(p []byte) (int, error) {
	l.T.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// Concurrently calls fn concurrently for 0 to n-1 and waits for all calls.
func Concurrently(n int, fn func(i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { fn(i) })
	}
	wait.Wait()
}

// AllowedEndpoints returns the endpoints of a server without those that always fail because wsd does not have the feature.
func AllowedEndpoints(t *testing.T) []rest.Endpoint {
	t.Helper()
	return slices.DeleteFunc(Endpoints(t), func(e rest.Endpoint) bool { return e.Row.Refused })
}

// Endpoints returns the endpoints of a server, in the order of the contract.
func Endpoints(t *testing.T) []rest.Endpoint {
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
