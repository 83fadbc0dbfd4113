package specs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// sleepingWeb serves a document at every address. Responses of hosts named sleep are slow.
type sleepingWeb struct {
	servertest.Web

	mu                  sync.Mutex
	running, maxRunning int // slow requests
}

const webSleep = 40 * time.Second

// GetChanged implements server.Fetcher.
func (w *sleepingWeb) GetChanged(ctx context.Context, address string, _ int64, _ string) (*fetch.Response, error) {
	if strings.HasPrefix(address, "https://asleep.example/") {
		w.count(1)
		defer w.count(-1)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(webSleep):
		}
	}
	return &fetch.Response{Status: 200, Body: []byte(servertest.PetsText)}, nil
}

func (w *sleepingWeb) count(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running += by
	w.maxRunning = max(w.maxRunning, w.running)
}

// takeCounts returns the maximum number of concurrent slow requests since the last call, and the present number.
func (w *sleepingWeb) takeCounts() (most, running int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	most, w.maxRunning = w.maxRunning, w.running
	return most, w.running
}

// putSource sets the source of a specification.
func putSource(w *servertest.World, as, org, slug, url string) {
	w.T.Helper()
	servertest.Do(w, as, api.PutOpenAPISpec, api.PutOpenAPISpecInput{
		OpenAPISpecRef: api.OpenAPISpecRef{Organization: org, Spec: slug}, Body: api.OpenAPISpecPut{Source: api.OpenAPISource{URL: url}},
	})
}

// readWithin sets the source of a new specification and returns the time until it is read, or most if it is not read within
// that time.
func readWithin(w *servertest.World, slug string, most time.Duration) time.Duration {
	w.T.Helper()
	began := time.Now()
	putSource(w, "creator", w.Org, slug, "https://awake.example/"+slug)
	for time.Since(began) < most {
		if servertest.Do(w, "reader", api.GetOpenAPISpec, servertest.SpecRef(w, slug)).ProcessingState == api.ProcessingComplete {
			return time.Since(began)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return most
}

// newOrganization creates an organization of the user.
func newOrganization(w *servertest.World, as string) string {
	w.T.Helper()
	return servertest.Do(w, as, api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Own"}}).ID
}

// TestSlowSourcesDoNotDelayOthers checks that eight slow sources do not delay other users, whether they are of one organization
// or of eight. At most one source of a user is read at a time, on both nodes together. All of them are read eventually.
func TestSlowSourcesDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	for _, organizations := range []int{1, 8} {
		t.Run(fmt.Sprint(organizations, " organizations"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				web := &sleepingWeb{}
				nodes := servertest.NewNodes(t, 2, func(o *server.Options) { o.Fetcher = web })
				w := nodes[0]
				defer servertest.StartJobs(t, nodes)()
				var owned []string
				for range organizations {
					owned = append(owned, newOrganization(w, "stranger"))
				}
				time.Sleep(10 * time.Second)
				quiet := readWithin(nodes[1], "quiet", 5*time.Second)
				for i := range 8 {
					putSource(w, "stranger", owned[i%organizations], fmt.Sprint("slow-", i), fmt.Sprint("https://asleep.example/", i))
				}
				time.Sleep(5 * time.Second)
				for i := range 3 {
					if took := readWithin(nodes[i%2], fmt.Sprint("mine-", i), time.Minute); took > quiet+time.Second {
						t.Errorf("read after %s, %s when nobody else waits", took, quiet)
					}
				}
				_, running := web.takeCounts()
				servertest.Equal(t, "asleep", 1, running)
				time.Sleep(8*webSleep + 10*time.Second)
				most, running := web.takeCounts()
				servertest.Equal(t, "asleep at the same time", 1, most)
				servertest.Equal(t, "asleep in the end", 0, running)
				for i := range 8 {
					in := api.OpenAPISpecRef{Organization: owned[i%organizations], Spec: fmt.Sprint("slow-", i)}
					servertest.Equal(t, in.Spec, api.ProcessingComplete, servertest.Do(w, "stranger", api.GetOpenAPISpec,
						in).ProcessingState)
				}
				w.Fsck()
			})
		})
	}
}

// TestSlowSourcesUseHalfOfSlots checks that slow sources of many users take at most half of the slots of each node.
func TestSlowSourcesUseHalfOfSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		web := &sleepingWeb{}
		nodes := servertest.NewNodes(t, 2, func(o *server.Options) { o.Fetcher = web })
		w := nodes[0]
		defer servertest.StartJobs(t, nodes)()
		const people = 20
		owned, slots := make([]string, people), 2*int(budgets.Defaults().SpecFetches)
		accounts := orgs.Accounts{Store: w.Store}
		for i := range people {
			name := fmt.Sprint("person-", i)
			user, err := accounts.EnsureUser(t.Context(), name+"@elsewhere.example", name)
			w.Must(err)
			w.Users[name] = user
			w.Tokens[name] = w.CreateToken(name)
			owned[i] = newOrganization(w, name)
		}
		ask := func() {
			t.Helper()
			for i := range people {
				putSource(w, fmt.Sprint("person-", i), owned[i], "slow", "https://asleep.example/")
			}
			time.Sleep(5 * time.Second)
		}
		ask()
		_, running := web.takeCounts()
		servertest.Equal(t, "asleep when nobody knows them", slots, running)
		time.Sleep(3 * webSleep)
		web.takeCounts()
		ask()
		_, running = web.takeCounts()
		servertest.Equal(t, "asleep when they are known to be slow", slots/2, running)
		if took := readWithin(w, "mine", time.Minute); took > 2*time.Second {
			t.Errorf("read after %s", took)
		}
		time.Sleep(4 * webSleep)
		most, running := web.takeCounts()
		servertest.Equal(t, "at the same time", slots/2, most)
		servertest.Equal(t, "in the end", 0, running)
	})
}

// TestPermitsOfDeadNodeExpire checks that the permits of a dead node expire with its leases.
func TestPermitsOfDeadNodeExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		web := &sleepingWeb{}
		nodes := servertest.NewNodes(t, 1, func(o *server.Options) { o.Fetcher = web })
		w := nodes[0]
		for _, take := range []func() (bool, error){
			func() (bool, error) {
				_, ok, err := w.Store.Jobs.AcquireOrganizationPermit(t.Context(), w.Org, "spec", 30*time.Second)
				return ok, err
			},
			func() (bool, error) {
				_, ok, err := w.Store.Jobs.AcquireUserPermit(t.Context(), w.Users["creator"].ID, "spec", 30*time.Second)
				return ok, err
			},
		} {
			ok, err := take()
			w.Must(err)
			servertest.Equal(t, "the dead node has it", true, ok)
		}
		defer servertest.StartJobs(t, nodes)()
		took := readWithin(w, "mine", 2*time.Minute)
		if took < 29*time.Second || took > 32*time.Second {
			t.Errorf("read after %s", took)
		}
	})
}

// TestPendingSpecsAreLimited checks the limits for an organization and a user. A pending specification can be
// requested again, and those that were read or deleted do not count.
func TestPendingSpecsAreLimited(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	few := budgets.Defaults()
	few.OrganizationSpecs, few.UserSpecs = 4, 3
	w.Serve(func(o *server.Options) { o.Budgets = few })
	put := func(org, slug string) api.PutOpenAPISpecInput {
		return api.PutOpenAPISpecInput{
			OpenAPISpecRef: api.OpenAPISpecRef{Organization: org, Spec: slug}, Body: api.OpenAPISpecPut{
				Source: api.OpenAPISource{Text: servertest.PetsText},
			},
		}
	}
	refused := func(as, org, limit string) {
		t.Helper()
		w.WantUntouched(func() api.Error {
			e := servertest.Refused(w, as, api.PutOpenAPISpec, put(org, "one-too-many"), 403, api.ReasonQuotaExceeded)
			servertest.Equal(t, "fields", []api.FieldError{
				{Path: "limit.pending", Message: limit}, {Path: "use.pending", Message: limit},
			}, e.Fields)
			return e
		})
	}
	for _, slug := range []string{"a", "b", "c"} {
		servertest.Do(w, "creator", api.PutOpenAPISpec, put(w.Org, slug))
	}
	refused("creator", w.Org, "3")
	refused("creator", newOrganization(w, "creator"), "3")
	servertest.Do(w, "creator", api.PutOpenAPISpec, put(w.Org, "a"))
	servertest.Do(w, "admin", api.PutOpenAPISpec, put(w.Org, "d"))
	refused("admin", w.Org, "4")
	servertest.Do(w, "admin", api.PutOpenAPISpec, put(w.Org, "a")) // the pending reading is now the admin's
	servertest.Do(w, "admin", api.DeleteOpenAPISpec, api.DeleteOpenAPISpecInput{OpenAPISpecRef: servertest.SpecRef(w, "b")})
	servertest.Do(w, "creator", api.PutOpenAPISpec, put(w.Org, "b"))
	servertest.RunJobs(w)
	for _, slug := range []string{"e", "f", "g"} {
		servertest.Do(w, "creator", api.PutOpenAPISpec, put(w.Org, slug))
	}
	refused("creator", w.Org, "3")
}
