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
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// settleTick is how often wsd is asked whether it is done.
const settleTick = 100 * time.Millisecond

// restarts is a world whose requests go to a wsd of its own, which is started again between them, as is its Redis.
type restarts struct {
	*servertest.World

	redis     *storetest.Redis
	program   string
	cmd       *exec.Cmd
	elsewhere string // what imports are fetched from
}

// Every row is answered by a wsd that runs by itself, and what was stored is shown as it was after wsd and Redis were
// started again.
//
//wsd:serial
func TestStoryOfEveryRowCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "restart", 1, 1)
	w := newRestarts(t)
	f := &fieldWorld{World: w.World, sample: w.Populate()}
	f.pairs = readPairs(t, f.more())
	s := f.sample
	w.start()
	answered, made, fields := map[string]bool{}, map[string]string{}, 0
	for name, status := range w.readAll(s).statuses() {
		if status == http.StatusOK {
			answered[name] = true
		}
	}
	for _, row := range inTurn() {
		if row.Writes() && !removes(row) {
			fields += w.write(row, s, made)
			answered[row.Name] = true
		}
	}
	for _, row := range inTurn() {
		if row.Writes() && !removes(row) && row.Name != api.ApplyChangeRequestSuggestions.Name { // its head has moved
			w.writeFields(f, row, made)
		}
	}
	w.settle()
	for path := range made {
		if a := w.Raw("admin", http.MethodGet, path, nil); a.Status == http.StatusOK {
			made[path] = lasting(a.Body)
		} else {
			delete(made, path) // a part of a site, which is shown with it
		}
	}
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
		servertest.Equal(t, path, was, lasting(w.Call("admin", http.MethodGet, path, nil, http.StatusOK).Body))
	}
	for _, row := range inTurn() {
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
	t.Logf("%d of %d rows answered 2xx; after a restart %d of them, and %d things that were made, are shown as before; %d fields were changed",
		len(answered), len(api.Rows()), len(before), len(made), fields)
}

// inTurn are the rows in an order in which their samples do not get in each other's way: what takes away comes last,
// the innermost first.
func inTurn() []api.Row {
	rows := api.Rows()
	slices.SortFunc(rows, func(a, b api.Row) int {
		return cmp.Or(strings.Count(b.Path, "/")-strings.Count(a.Path, "/"), cmp.Compare(b.Name, a.Name))
	})
	return rows
}

// removes reports whether a row takes away what others speak of.
func removes(row api.Row) bool {
	switch row.Name {
	case "change-requests.merge", "spaces.transfer", "collections.transfer", "integrations.unpublish", "sites.unpublish", "tokens.delete", "revisions.rollback":
		return true
	}
	return row.Method == http.MethodDelete
}

func newRestarts(t *testing.T) *restarts {
	t.Helper()
	storetest.NeedServer(t)
	r, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	w := &restarts{World: &servertest.World{T: t, Trips: &storetest.Trips{}, Clock: servertest.NewClock(), Web: servertest.Web{}, Users: map[string]api.UserFields{}, Tokens: map[string]string{}}, redis: r}
	w.Store, err = store.Open(t.Context(), store.Config{URL: r.URL(), Clock: w.Clock.Now, Model: access.New})
	w.Must(err)
	t.Cleanup(func() { _ = w.Store.Close() })
	w.Serve()
	w.People()
	w.program = filepath.Join(t.TempDir(), "wsd")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", w.program, "docspace.dev/wsd/cmd/wsd").CombinedOutput(); err != nil {
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
	w.elsewhere = pages.URL + "/page.md"
	return w
}

// start runs wsd, to which all requests go from now on.
func (w *restarts) start() {
	w.T.Helper()
	w.cmd = exec.Command(w.program, "serve") //nolint:noctx // ends by stop
	w.cmd.Env = append(os.Environ(), "WSD_REDIS_URL="+w.redis.URL(), "WSD_SECRET="+strings.Repeat("secret", 8), "WSD_ADDR=127.0.0.1:0",
		"WSD_PUBLIC_URL="+servertest.PublicURL, "WSD_FETCH_ALLOW=loopback", "WSD_LOG_LEVEL=error", "WSD_DRAIN_TIME=0s", auth.EncryptionKeyVariable+"="+hex.EncodeToString([]byte(servertest.WorldKey)))
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

// stop ends wsd as a service manager does.
func (w *restarts) stop() {
	w.T.Helper()
	w.Must(w.cmd.Process.Signal(syscall.SIGTERM))
	w.Must(w.cmd.Wait())
}

// write makes a row's sample request. What it makes is kept in made by its path. It returns how many of the fields that
// it sent are in the answer; they have to be as they were sent.
func (w *restarts) write(row api.Row, s *servertest.Sample, made map[string]string) (fields int) {
	w.T.Helper()
	body := w.BodyOf(row, s)
	if apply, ok := body.(api.SuggestionsApply); ok { // the head has moved since the sample was made
		apply.Revision = w.Shown(servertest.Ref(s.Request)).Revision
		body = apply
	}
	data := []byte(strings.ReplaceAll(encoded(body), servertest.ImportURL, w.elsewhere))
	var payload any
	if body != nil {
		payload = data
	}
	a := w.Raw("admin", row.Method, w.PathWith(row, s, w.ready(row, s)), payload)
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
			fields++
			servertest.Equal(w.T, row.Name+" "+name, value, got)
		}
	}
	return fields
}

// settle waits until wsd has done what it does in the background: nothing else says that it is done.
func (w *restarts) settle() {
	w.T.Helper()
	in := api.ListOpenAPISpecsInput{Organization: w.Org}
	pending := func(spec api.OpenAPISpec) bool { return spec.ProcessingState != api.ProcessingComplete }
	again := time.NewTicker(settleTick)
	defer again.Stop()
	for slices.ContainsFunc(servertest.Do(w.World, "admin", api.ListOpenAPISpecs, in).Items, pending) {
		<-again.C
	}
	runs := api.ListImportRunsInput{Organization: w.Org, Status: api.RunsActive}
	for len(servertest.Do(w.World, "admin", api.ListImportRuns, runs).Items) > 0 {
		<-again.C
	}
}

// writeFields makes the requests of a row with each field that it takes, as far as one leaves the next possible.
func (w *restarts) writeFields(f *fieldWorld, row api.Row, made map[string]string) {
	w.T.Helper()
	for _, name := range fieldsOf(row) {
		if _, ok := unseen(row, name); ok || strings.HasPrefix(name, "?") {
			continue
		}
		p := f.pairOf(row, name)
		if strings.Contains(encoded(p.with.Body), `"delete_`) || strings.Contains(encoded(p.with.Body), `"archived"`) {
			continue // what others speak of
		}
		if p.with.Params == nil {
			p.with.Params = w.SampleOf(row, f.sample).Params
		}
		path, _, _ := strings.Cut(w.PathWith(row, f.sample, p.with.Params), "?")
		a := w.Raw(orElse(p.as, "admin"), row.Method, path+p.with.Query, p.with.Body)
		if location := a.Header.Get("Location"); a.Status == http.StatusCreated && location != "" && !row.Secret {
			made[strings.TrimPrefix(location, servertest.PublicURL)] = ""
		}
	}
}

// ready is spare, once what the row speaks of is as the row needs it.
func (w *restarts) ready(row api.Row, s *servertest.Sample) map[string]string {
	w.T.Helper()
	switch row.Name {
	case "import-runs.cancel": // the sample's has ended: this one waits for a page that does not come
		made := servertest.Do(w.World, "admin", api.CreateImportRun, api.CreateImportRunInput{Organization: w.Org, Body: api.ImportRunCreate{
			Source: api.ImportRunSource{Type: api.RunOfWebsite, URL: strings.TrimSuffix(w.elsewhere, "page.md") + slowPage}, Target: api.ImportRunTarget{Space: s.Notes},
		}})
		return map[string]string{"importRun": made.ID}
	case "installation-spaces.delete", "installation-sites.delete": // its fields made it one for all
		w.Select(s.Linter, s.Installation, s.Handbook, s.Site)
	}
	return spare(w.World, row)
}

// slowPage is a page of elsewhere that does not come.
const slowPage = "slow.md"

// spare names what a row speaks of where an earlier row has used up what its sample speaks of.
func spare(w *servertest.World, row api.Row) map[string]string {
	w.T.Helper()
	switch row.Name {
	case "invites.delete":
		return map[string]string{"invite": w.Invite("another@newcomers.example", api.RoleRead).ID}
	case "teams.remove-member":
		return map[string]string{"user": w.Users["editor"].ID}
	case "transfers.take-back", "transfers.ask", "transfers.copy":
		return map[string]string{"transfer": w.GivenAway("Spare")}
	case "transfers.agree", "transfers.refuse":
		id := w.GivenAway("Spare")
		return map[string]string{"transfer": id, "organization": w.AskedBack(id)}
	case "collections.transfer":
		return map[string]string{"collection": servertest.Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
			Organization: w.Org, Body: api.CollectionCreate{Title: "To go"},
		}).ID}
	}
	return nil
}

// shown is what rows that read answered, status and body, by the row's name.
type shown map[string]string

// readAll asks every row that reads.
func (w *restarts) readAll(s *servertest.Sample) shown {
	w.T.Helper()
	all := shown{}
	for _, row := range api.Rows() {
		if !row.Writes() {
			a := w.Raw("admin", row.Method, w.PathOf(row, s), w.BodyOf(row, s))
			all[row.Name] = fmt.Sprint(a.Status, " ", lasting(a.Body))
		}
	}
	return all
}

// statuses are the statuses of what was answered.
func (s shown) statuses() map[string]int {
	statuses := map[string]int{}
	for name, text := range s {
		var status int
		_, _ = fmt.Sscan(text, &status)
		statuses[name] = status
	}
	return statuses
}

// fleeting is what changes by itself: signed addresses end an hour after they were made, and the token that asks was
// used last when it asked.
var fleeting = regexp.MustCompile(`/raw/[^"]*|jwt_token=[^"]*|"(lastSeenAt|lastUsedAt|expiresAt|requestId)":"[^"]*"`)

func lasting(body []byte) string { return fleeting.ReplaceAllString(string(body), "") }
