package server_test

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// idlePollInterval is the time between two checks of waitUntilIdle.
const idlePollInterval = 100 * time.Millisecond

// restartWorld is a world served by a separate wsd process, which is restarted between requests together with its Redis.
type restartWorld struct {
	*servertest.World

	redis        *storetest.Redis
	program      string
	cmd          *exec.Cmd
	importSource string // source of imports
}

// TestOperationsReturnSameDataAfterRestartCampaign checks that a wsd process serves every row, and returns the same
// data after it and Redis were restarted.
//
//wsd:serial
func TestOperationsReturnSameDataAfterRestartCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "restart", 1, 1)
	w := newRestartWorld(t)
	w.open()
	f := &fieldWorld{World: w.World, sample: w.Populate()}
	f.pairs = readPairs(t, f.addObjects())
	s := f.sample
	w.start()
	answered, made, fields := map[string]bool{}, map[string]string{}, 0
	for name, status := range w.readAll(s).statuses() {
		if status == http.StatusOK {
			answered[name] = true
		}
	}
	for _, row := range orderedRows() {
		if row.Writes() && !removes(row) {
			fields += w.write(row, s, made)
			answered[row.Name] = true
		}
	}
	w.writeAllFields(f, made)
	w.readMade(made)
	before := w.readAll(s)
	w.stop()
	w.redis.Kill()
	w.Must(w.redis.Start(t.Context()))
	w.start()
	after := w.readAll(s)
	for name, was := range before {
		servertest.Equal(t, name, was, after[name])
	}
	for path, was := range made {
		servertest.Equal(t, path, was, withoutChangingValues(w.Call("admin", http.MethodGet, path, nil, http.StatusOK).Body))
	}
	for _, row := range orderedRows() {
		if removes(row) {
			fields += w.write(row, s, made)
			answered[row.Name] = true
		}
	}
	w.stop()
	for _, row := range api.Rows() {
		if !answered[row.Name] {
			t.Errorf("%s was not answered", row.Name)
		}
	}
	t.Logf("%d of %d rows answered 2xx; after a restart %d of them, and %d things that were made, are shown as before; %d fields were "+
		"changed",
		len(answered), len(api.Rows()), len(before), len(made), fields)
}

// orderedRows returns the rows in an order that keeps their samples usable: rows that remove objects are last, innermost
// first.
func orderedRows() []api.Row {
	rows := api.Rows()
	slices.SortFunc(rows, func(a, b api.Row) int {
		return cmp.Or(strings.Count(b.Path, "/")-strings.Count(a.Path, "/"), cmp.Compare(b.Name, a.Name))
	})
	return rows
}

// removes reports whether a row removes objects that other rows refer to.
func removes(row api.Row) bool {
	switch row.Name {
	case "change-requests.merge", "spaces.transfer", "collections.transfer", "integrations.unpublish", "sites.unpublish", "tokens.delete",
		"revisions.rollback":
		return true
	}
	return row.Method == http.MethodDelete
}

// writeAllFields sends requests with each field of the rows that do not remove objects.
func (w *restartWorld) writeAllFields(f *fieldWorld, made map[string]string) {
	w.T.Helper()
	for _, row := range orderedRows() {
		// for this row, the head of the sample has moved
		if row.Writes() && !removes(row) && row.Name != api.ApplyChangeRequestSuggestions.Name {
			w.writeFields(f, row, made)
		}
	}
}

// readMade waits for background work and sets the responses for the paths of made objects.
func (w *restartWorld) readMade(made map[string]string) {
	w.T.Helper()
	w.waitUntilIdle()
	for path := range made {
		if a := w.Send("admin", http.MethodGet, path, nil); a.Status == http.StatusOK {
			made[path] = withoutChangingValues(a.Body)
		} else {
			delete(made, path) // a part of a site, which is read with the site
		}
	}
}

// newRestartWorld returns a world without people on a new Redis.
func newRestartWorld(t *testing.T) *restartWorld {
	t.Helper()
	storetest.NeedServer(t)
	r, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	w := &restartWorld{
		World: &servertest.World{
			T: t, Trips: &storetest.Trips{}, Clock: servertest.NewClock(), Web: servertest.Web{}, Users: map[string]api.UserFields{},
			Tokens: map[string]string{},
		}, redis: r,
	}
	w.program = filepath.Join(t.TempDir(), "wsd")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", w.program,
		"docspace.dev/wsd/cmd/wsd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	pages := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, slowPage) {
			<-r.Context().Done()
			return
		}
		rw.Header().Set("Content-Type", "text/markdown")
		fmt.Fprint(rw, "# Imported\n\nText.\n")
	}))
	t.Cleanup(pages.Close)
	w.importSource = pages.URL + "/page.md"
	return w
}

// restartSecret is the server secret of a restartWorld.
const restartSecret = "the secret of a server that is started again"

// open opens the store in this process and creates the people of the world.
func (w *restartWorld) open() {
	w.T.Helper()
	var err error
	w.Store, err = store.Open(w.T.Context(), store.Config{URL: w.redis.URL(), Clock: w.Clock.Now, Model: access.NewModel})
	w.Must(err)
	w.T.Cleanup(func() { _ = w.Store.Close() })
	w.Serve(func(o *server.Options) { o.Secret = []byte(restartSecret) })
	w.People()
}

// environ returns the environment of wsd. It has no rate limit, because one user sends all requests and wsd uses the time
// of the machine.
func (w *restartWorld) environ() []string {
	return append(os.Environ(), "WSD_REDIS_URL="+w.redis.URL(), "WSD_SECRET="+restartSecret, "WSD_ADDR=127.0.0.1:0",
		"WSD_PUBLIC_URL="+servertest.PublicURL, "WSD_FETCH_ALLOW=loopback", "WSD_LOG_LEVEL=error", "WSD_DRAIN_TIME=0s", "WSD_RATE_LIMIT=0",
		auth.EncryptionKeyVariable+"="+hex.EncodeToString([]byte(servertest.EncryptionKey)))
}

// start starts wsd, which serves all further requests.
func (w *restartWorld) start() {
	w.T.Helper()
	w.cmd = exec.Command(w.program, "serve") //nolint:noctx // ends by stop
	w.cmd.Env = w.environ()
	stderr, err := w.cmd.StderrPipe()
	w.Must(err)
	w.Must(w.cmd.Start())
	w.T.Cleanup(func() { _ = w.cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, address, found := strings.Cut(lines.Text(), "serving at "); found {
			address, _, _ = strings.Cut(address, `"`) // the line is JSON
			target, err := url.Parse(address)
			w.Must(err)
			w.Handler = httputil.NewSingleHostReverseProxy(target)
			go func() {
				for lines.Scan() {
					w.T.Log(lines.Text())
				}
			}()
			return
		}
	}
	w.T.Fatal(errors.Join(errors.New("wsd ended before it served"), w.cmd.Wait()))
}

// stop sends SIGTERM to wsd, as a service manager does, and waits until the process has ended.
func (w *restartWorld) stop() {
	w.T.Helper()
	w.Must(w.cmd.Process.Signal(syscall.SIGTERM))
	w.Must(w.cmd.Wait())
}

// write sends the sample request of a row and adds a created object to made, by path. It returns the number of sent
// fields that are in the response, which must be unchanged.
func (w *restartWorld) write(row api.Row, s *servertest.Sample, made map[string]string) (fields int) {
	w.T.Helper()
	body := w.SampleBody(row, s)
	if apply, ok := body.(api.SuggestionsApply); ok { // the head has moved since the sample was created
		apply.Revision = w.ReadRequest(servertest.Ref(s.Request)).Revision
		body = apply
	}
	data := []byte(strings.ReplaceAll(toJSON(body), servertest.ImportURL, w.importSource))
	var payload any
	if body != nil {
		payload = data
	}
	a := w.Send("admin", row.Method, w.SamplePathWith(row, s, w.prepareParams(row, s)), payload)
	if a.Status != row.Status {
		w.T.Errorf("%s: %d %s", row.Name, a.Status, a.Body)
		return 0
	}
	if location := a.Header.Get("Location"); strings.HasSuffix(row.Name, ".create") && location != "" && !row.Secret {
		made[strings.TrimPrefix(location, servertest.PublicURL)] = ""
	}
	if len(a.Body) == 0 || row.Method != http.MethodPatch {
		return 0
	}
	var sent, shown map[string]any
	w.Must(errors.Join(json.Unmarshal(data, &sent), json.Unmarshal(a.Body, &shown)))
	for name, value := range sent {
		if got, ok := shown[name]; ok {
			if object, isObject := got.(map[string]any); isObject && object["id"] == value { // sent by its id
				got = value
			}
			fields++
			servertest.Equal(w.T, row.Name+" "+name, value, got)
		}
	}
	return fields
}

// waitUntilIdle waits until wsd has no background work left, for which there is no other signal.
func (w *restartWorld) waitUntilIdle() {
	w.T.Helper()
	in := api.ListOpenAPISpecsInput{Organization: w.Org}
	pending := func(spec api.OpenAPISpec) bool { return spec.ProcessingState != api.ProcessingComplete }
	again := time.NewTicker(idlePollInterval)
	defer again.Stop()
	for slices.ContainsFunc(servertest.Do(w.World, "admin", api.ListOpenAPISpecs, in).Items, pending) {
		<-again.C
	}
	runs := api.ListImportRunsInput{Organization: w.Org, Status: api.RunsActive}
	for len(servertest.Do(w.World, "admin", api.ListImportRuns, runs).Items) > 0 {
		<-again.C
	}
	queue := api.ListQueueInput{Organization: w.Org}
	incomplete := func(q api.QueuedChangeRequest) bool { return q.Summary.Pending }
	for slices.ContainsFunc(servertest.Do(w.World, "admin", api.ListChangeRequestQueue, queue).Items, incomplete) {
		<-again.C
	}
}

// writeFields sends the requests of a row with each of its fields. It skips those that remove or archive an object to which
// other rows refer.
func (w *restartWorld) writeFields(f *fieldWorld, row api.Row, made map[string]string) {
	w.T.Helper()
	for _, name := range fieldsOf(row) {
		if _, ok := noPairReason(row, name); ok || strings.HasPrefix(name, "?") {
			continue
		}
		p := f.pairOf(row, name)
		if strings.Contains(toJSON(p.with.Body), `"delete_`) || strings.Contains(toJSON(p.with.Body), `"archived"`) {
			continue // other rows refer to it
		}
		if p.with.Params == nil {
			p.with.Params = w.SampleInput(row, f.sample).Params
		}
		path, _, _ := strings.Cut(w.SamplePathWith(row, f.sample, p.with.Params), "?")
		a := w.Send(valueOr(p.as, "admin"), row.Method, path+p.with.Query, p.with.Body)
		if location := a.Header.Get("Location"); a.Status == http.StatusCreated && location != "" && !row.Secret {
			made[strings.TrimPrefix(location, servertest.PublicURL)] = ""
		}
	}
}

// prepareParams is like spareParams, and brings the new objects into the state that the row needs.
func (w *restartWorld) prepareParams(row api.Row, s *servertest.Sample) map[string]string {
	w.T.Helper()
	switch row.Name {
	case "import-runs.cancel": // the sample's run has ended: this one waits for a page that never arrives
		made := servertest.Do(w.World, "admin", api.CreateImportRun,
			api.CreateImportRunInput{Organization: w.Org, Body: api.ImportRunCreate{
				Source: api.ImportRunSource{
					Type: api.RunOfWebsite, URL: strings.TrimSuffix(w.importSource, "page.md") + slowPage,
				}, Target: api.ImportRunTarget{Space: s.Notes},
			}})
		return map[string]string{"importRun": made.ID}
	case "change-requests.merge": // an earlier request has begun a push
		servertest.Do(w.World, "admin", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
			ChangeRequestRef: servertest.Ref(s.Request), Body: api.ChangeRequestPatch{Pushing: api.Some(false)},
		})
	case "installation-spaces.delete", "installation-sites.delete": // earlier requests have selected all of them
		w.RestrictInstallation(s.Linter, s.Installation, s.Handbook, s.Site)
	}
	return spareParams(w.World, row)
}

// slowPage is a page of the import source that is never served.
const slowPage = "slow.md"

// spareParams returns new objects for a row whose sample objects were used up by earlier rows.
func spareParams(w *servertest.World, row api.Row) map[string]string {
	w.T.Helper()
	switch row.Name {
	case "invites.delete":
		return map[string]string{"invite": w.CreateInvite("another@newcomers.example", api.RoleRead).ID}
	case "teams.remove-member":
		return map[string]string{"user": w.Users["editor"].ID}
	case "transfers.take-back", "transfers.ask", "transfers.copy":
		return map[string]string{"transfer": w.NewTransfer("Spare")}
	case "transfers.agree", "transfers.refuse":
		id := w.NewTransfer("Spare")
		return map[string]string{"transfer": id, "organization": w.RequestReturn(id)}
	case "collections.transfer":
		return map[string]string{"collection": servertest.Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
			Organization: w.Org, Body: api.CollectionCreate{Title: "To go"},
		}).ID}
	}
	return nil
}

// responsesByOperation maps names of reading rows to their responses, status and body.
type responsesByOperation map[string]string

// readAll requests every reading row.
func (w *restartWorld) readAll(s *servertest.Sample) responsesByOperation {
	w.T.Helper()
	all := responsesByOperation{}
	for _, row := range api.Rows() {
		if !row.Writes() {
			a := w.Send("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s))
			all[row.Name] = fmt.Sprint(a.Status, " ", withoutChangingValues(a.Body))
		}
	}
	return all
}

// statuses returns the number of responses by status.
func (s responsesByOperation) statuses() map[string]int {
	statuses := map[string]int{}
	for name, text := range s {
		var status int
		_, _ = fmt.Sscan(text, &status)
		statuses[name] = status
	}
	return statuses
}

// changingValues matches values that change by themselves: signed addresses expire, and times of last use advance.
var changingValues = regexp.MustCompile(`/raw/[^"]*|jwt_token=[^"]*|"(lastSeenAt|lastUsedAt|expiresAt|requestId)":"[^"]*"`)

// withoutChangingValues empties the changing values of a response. JSON stays valid.
func withoutChangingValues(body []byte) string {
	return changingValues.ReplaceAllStringFunc(string(body), func(match string) string {
		if name, _, isMember := strings.Cut(match, `":"`); isMember {
			return name + `":""`
		}
		return ""
	})
}
