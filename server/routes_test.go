package server_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/storetest"
)

var updateGolden = flag.Bool("update", false, "update the golden files")

// TestEveryOperationIsMountedOnce checks that every row of the contract is mounted exactly once, and nothing else.
func TestEveryOperationIsMountedOnce(t *testing.T) {
	t.Parallel()
	times := map[string]int{}
	for _, e := range servertest.Endpoints(t) {
		times[e.Row.Name]++
	}
	for _, row := range slices.Concat(api.Rows(), api.Refusals()) {
		if times[row.Name] != 1 {
			t.Errorf("%s is mounted %d times", row.Name, times[row.Name])
		}
		delete(times, row.Name)
	}
	for name := range times {
		t.Errorf("%s is mounted and is no row", name)
	}
}

// TestEveryWriteHasRecord checks that operations that change an object of their path name the record for If-Match.
func TestEveryWriteHasRecord(t *testing.T) {
	t.Parallel()
	for _, e := range servertest.Endpoints(t) {
		switch e.Row.Name {
		case api.CreateInstallationToken.Name, api.CreateServiceAccountToken.Name, api.DeleteMemberToken.Name:
			continue // the tokens belong to users
		}
		if named := len(e.Row.PathParams()) > 0; e.Row.Writes() && named != e.HasRecord() {
			t.Errorf("%s: its mount says of what it is: %t, its path: %t", e.Row.Name, e.HasRecord(), named)
		}
	}
}

// TestRouterServesOnlyKnownRoutes checks that the router serves the rows and the listed other routes only.
func TestRouterServesOnlyKnownRoutes(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	want := []string{
		"GET /", "GET /docs", "GET /docs/:file", "GET /v1/openapi.json", "GET /v1/openapi.yaml",
		"GET /healthz", "GET /readyz", "GET /raw/:signed", "GET /app/:kind/:id",
		"GET /sites/*path", "GET /openapi/:org/:slug",
		"GET /.well-known/oauth-authorization-server", "POST /oauth/token", "POST /oauth/device", "POST /oauth/revoke",
		"GET /account", "GET /account/style.css", "GET /account/sign-in", "POST /account/sign-in", "POST /account/join",
		"POST /account/sign-out", "POST /account/profile", "POST /account/tokens/end", "POST /account/tokens/end-all",
		"GET /account/identified", "POST /account/provider", "POST /account/confirm",
		"GET /oidc/:organization/:provider/start", "GET /oidc/:organization/:provider/callback", "GET /saml/:organization/:provider",
		"GET /saml/:organization/:provider/start", "POST /saml/:organization/:provider/acs",
		"GET /account/authorize", "POST /account/authorize", "GET /account/device", "POST /account/device", "POST /account/device/decide",
	}
	parameter := regexp.MustCompile(`\{(\w+)\}`)
	for _, row := range slices.Concat(api.Rows(), api.Refusals()) {
		path := strings.ReplaceAll(row.Path, "{pagePath...}", "*pagePath")
		want = append(want, row.Method+" "+parameter.ReplaceAllString(path, ":$1"))
	}
	for _, route := range slices.Clone(want) {
		method, path, _ := strings.Cut(route, " ")
		want = append(want, "OPTIONS "+path)
		if method == http.MethodGet && path != "/account/identified" && !strings.HasSuffix(path, "/callback") { // they sign in
			want = append(want, "HEAD "+path)
		}
	}
	for _, method := range []string{"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"} {
		want = append(want, method+" /integrations/*path")
	}
	var got []string
	routes := reflect.ValueOf(w.Handler).MethodByName("Routes").Call(nil)[0]
	for i := range routes.Len() {
		got = append(got, fmt.Sprintf("%s %s", routes.Index(i).FieldByName("Method"), routes.Index(i).FieldByName("Path")))
	}
	slices.Sort(want)
	want = slices.Compact(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-contract +router):\n%s", diff)
	}
}

// TestRouteTable compares the golden table of routes and required permissions, which is for review.
func TestRouteTable(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, e := range servertest.Endpoints(t) {
		row := e.Row
		line := fmt.Sprintf("%s %s  %s  %s  %s -> %s %d", row.Method, row.Path, row.Name, e.Need, typeName(row.In),
			typeName(row.Out), row.Status)
		for _, mark := range []struct {
			set  bool
			text string
		}{
			{row.Refused, "always refused"},
			{row.OptionalBody, "optional body"},
			{row.Secret, "secret"},
			{e.IsForPeople(), "people only"},
			{row.Slow, "slow"},
			{servertest.TakesBody(row), fmt.Sprintf("%d KiB", api.NewCompiler().Input(row).BodyLimit>>10)},
			{e.Scope() != defaultScope(row), "scope " + string(e.Scope())},
		} {
			if mark.set {
				line += ", " + mark.text
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	compareGolden(t, "routes.golden", strings.Join(lines, "\n")+"\n")
}

// compareGolden compares a text with a file in testdata, or writes it with -update.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s has changed; if it should have, run the test with -update (-golden +now):\n%s", golden, diff)
	}
}

// defaultScope returns the scope implied by the method.
func defaultScope(row api.Row) api.Scope {
	if row.Writes() {
		return api.ScopeWrite
	}
	return api.ScopeRead
}

var packagePath = regexp.MustCompile(`[\w./]+/api\.`)

func typeName(t reflect.Type) string { return packagePath.ReplaceAllString(t.Name(), "") }

// TestEndpointWithoutNeedRefusesEverybody checks that an endpoint without a need responds with not_found to everybody, admins
// included.
func TestEndpointWithoutNeedRefusesEverybody(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	var without []rest.Endpoint
	for _, e := range servertest.Endpoints(t) {
		e.Need = auth.Need{}
		without = append(without, e)
	}
	s := w.Populate()
	w.Server.Remount(without...)
	w.Handler = w.Server.Handler()
	before := w.Dump()
	for _, row := range api.Rows() {
		a := w.Send("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s))
		if a.Status != http.StatusNotFound || a.Error().Reason != api.ReasonNotFound {
			t.Errorf("%s without a need: %d %s", row.Name, a.Status, a.Body)
		}
	}
	if diff := cmp.Diff(before, w.Dump()); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}

type (
	untaggedInput struct{ Space string }
	unboundInput  struct{}
	misboundInput struct {
		Space string `path:"spice"`
	}
	untaggedBody   struct{ Body struct{ Title string } }
	unknownPattern struct {
		Body struct {
			Title string `json:"title" pattern:"nonsense"`
		}
	}
	brokenBounds struct {
		Body struct {
			Title string `json:"title" len:"50"`
		}
	}
	impossibleInput struct {
		Body struct {
			Do chan int `json:"do"`
		}
	}
)

// TestMountRejectsInvalidOperation checks that an invalid row makes the start fail.
func TestMountRejectsInvalidOperation(t *testing.T) { //nolint:tparallel // they remount one server
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	for name, in := range map[string]reflect.Type{ //nolint:paralleltest // they remount one server
		"untagged field of the input": reflect.TypeFor[untaggedInput](),
		"unbound path parameter":      reflect.TypeFor[unboundInput](),
		"parameter not in the path":   reflect.TypeFor[misboundInput](),
		"untagged field of the body":  reflect.TypeFor[untaggedBody](),
		"unknown pattern":             reflect.TypeFor[unknownPattern](),
		"bounds without dots":         reflect.TypeFor[brokenBounds](),
		"type without JSON form":      reflect.TypeFor[impossibleInput](),
	} {
		t.Run(name, func(t *testing.T) {
			row := api.CreateSpace.Row
			row.In = in
			if strings.Contains(name, "body") || strings.Contains(name, "pattern") || strings.Contains(name, "bounds") ||
				strings.Contains(name, "JSON") {
				row.Path = "/v1/test"
			}
			defer func() {
				if recover() == nil {
					t.Error("it starts")
				}
			}()
			e := w.Server.Endpoints()[0]
			e.Row = row
			w.Server.Remount(e)
		})
	}
}

// TestMountRejectsSharedHandlerWithDifferentTypes checks that two rows share a handler only if its input has all fields
// of both.
func TestMountRejectsSharedHandlerWithDifferentTypes(t *testing.T) { //nolint:tparallel // they remount one server
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	mounted := map[string]rest.Endpoint{}
	for _, e := range w.Server.Endpoints() {
		mounted[e.Row.Name] = e
	}
	for name, twin := range map[string]struct{ space, request api.Row }{ //nolint:paralleltest // they remount one server
		"parameter of one row only": {api.ListContentLinks.Row, api.ListChangeRequestContentLinks.Row},
		"different body types":      {api.UpdateComment.Row, api.ReattachChangeRequestComment.Row},
		"different output types":    {api.DeleteComment.Row, api.GetChangeRequestComment.Row},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it starts")
				}
			}()
			w.Server.Remount(rest.Twins(twin.space, auth.InSpace(api.RoleComment), mounted[twin.request.Name])[0])
		})
	}
}

func TestNewRejectsShortSecret(t *testing.T) {
	t.Parallel()
	if _, err := server.New(server.Options{Secret: []byte("too short")}); err == nil {
		t.Error("it starts")
	}
}

// TestUnroutedRequestsAreRefused checks that requests without a route get an error in the common form.
func TestUnroutedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	for _, path := range []string{"/v1", "/v1/nothing", "/v1/orgs/", "/v2/orgs", "/v1/spaces/a/b/c", "/v1//orgs"} {
		if a := w.Send("admin", http.MethodGet, path, nil); a.Status != http.StatusNotFound || a.Error().Reason != api.ReasonNotFound {
			t.Errorf("GET %s: %d %s", path, a.Status, a.Body)
		}
	}
	for path, allowed := range methodsByPath() {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if slices.Contains(allowed, method) {
				continue
			}
			a := w.Send("admin", method, path, nil)
			if a.Status != http.StatusMethodNotAllowed || a.Error().Reason != api.ReasonMethod {
				t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
			}
			if got := allowedMethods(a); !slices.Equal(got, allowed) {
				t.Errorf("%s %s allows %v, want %v", method, path, got, allowed)
			}
		}
	}
}

// allowedMethods returns the methods in the header Allow of a response, in order.
func allowedMethods(a servertest.Response) []string {
	methods := strings.Split(a.Header.Get("Allow"), ", ")
	slices.Sort(methods)
	return methods
}

// methodsByPath returns the methods of every path of the contract, with example parameters.
func methodsByPath() map[string][]string {
	methods := map[string][]string{}
	for _, row := range slices.Concat(api.Rows(), api.Refusals()) {
		path := regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(row.Path, "x")
		methods[path] = append(methods[path], row.Method)
	}
	for path := range methods {
		if slices.Contains(methods[path], http.MethodGet) {
			methods[path] = append(methods[path], http.MethodHead)
		}
		methods[path] = append(methods[path], http.MethodOptions)
		slices.Sort(methods[path])
	}
	return methods
}
