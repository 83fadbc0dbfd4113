package servertest

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// Decode decodes the JSON body of a response into v, and fails the test if that is not possible.
func Decode(w *World, a Response, v any) {
	w.T.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		w.T.Errorf("%v: %s", err, a.Body)
	}
}

// InsertComputedPage returns the operation that inserts a computed page for a specification.
func InsertComputedPage(title, spec string) api.ContentChange {
	return api.ContentChange{Operation: api.InsertPage, Type: api.PageComputed, Title: api.Some(title), Computed: &api.Computed{
		Type: api.ComputedOpenAPI, Dependencies: api.ComputedDependencies{
			Spec: api.ComputedSpec{Ref: api.SpecRef{Kind: "openapi", Spec: spec}},
		},
		Props: &api.ComputedProps{Doc: "operations"},
	}}
}

// pageTree is a change request with a small page tree: a (b (c), g (in)), d, link.
type pageTree struct {
	Ref                         api.ChangeRequestRef
	A, B, C, D, Group, in, Link string
}

// NewPageTree creates a change request with nested pages, a group, a link page and links between pages.
func NewPageTree(w *World) pageTree {
	w.T.Helper()
	g := pageTree{Ref: w.NewRequest("editor", w.NewSpace().ID)}
	named := func(ref string, c api.ContentChange) api.ContentChange { c.Ref = ref; return c }
	group := named("g", WithParent(api.ContentChange{Operation: api.InsertPage, Type: api.PageGroup, Title: api.Some("Group")}, "a"))
	link := named("l", api.ContentChange{
		Operation: api.InsertPage, Type: api.PageLink, Title: api.Some("Link"), Target: &api.ContentRef{Kind: api.RefPage, Page: "b"},
	})
	result := w.Change(g.Ref,
		named("a", NewPage("A", "# A\n")), named("b", WithParent(NewPage("B", "See [c](/pages/c) and [c](/pages/c#part), not /pages/c.\n"),
			"a")),
		named("c", WithParent(NewPage("C", "# C\n"), "b")), named("d", NewPage("D", "# D\n")), group,
		named("in", WithParent(NewPage("In", "# In\n"), "g")), link)
	for i, id := range []*string{&g.A, &g.B, &g.C, &g.D, &g.Group, &g.in, &g.Link} {
		*id = result.Changes[i].Page.ID
	}
	Equal(w.T, "outline", []string{"A", "  B", "    C", "  Group", "    In", "D", "Link"}, Outline(w.Pages(g.Ref)))
	return g
}

// AddInvalidTokens adds well-formed but invalid tokens to w.Tokens.
func AddInvalidTokens(w *World) {
	w.T.Helper()
	good := w.Tokens["admin"]
	parts := strings.Split(good, "_")
	with := func(i int, text string) string {
		other := append([]string{}, parts...)
		other[i] = text
		return strings.Join(other, "_")
	}
	for name, text := range map[string]string{
		"of an unknown user":   with(1, "00000000000000"),
		"an unknown one":       with(2, "00000000000000"),
		"another user's":       with(1, strings.Split(w.Tokens["reader"], "_")[1]),
		"with another secret":  with(3, strings.Split(w.Tokens["reader"], "_")[3]),
		"with a short secret":  good[:len(good)-1],
		"with a long secret":   good + "A",
		"without a secret":     with(3, ""),
		"of another brand":     with(0, "xyz"),
		"cut in the middle":    good[:len(good)/2],
		"with a hostile id":    with(1, "}{"),
		"nothing of the kind":  "hello",
		"its secret in base64": with(3, base64.StdEncoding.EncodeToString([]byte(parts[3]))),
	} {
		w.Tokens["wrong: "+name] = text
	}
	options := orgs.TokenOptions{Name: "short", Scopes: []api.Scope{api.ScopeAdmin}, ExpiresAt: api.At(w.Clock.Now().Add(time.Minute))}
	_, text, err := orgs.Accounts{Store: w.Store}.CreateToken(w.T.Context(), w.Users["admin"].ID, options)
	w.Must(err)
	w.Tokens["wrong: expired"] = text
	w.Call("wrong: expired", http.MethodGet, "/v1/user", nil, http.StatusOK)
	w.Clock.Advance(time.Minute)
	w.Call("admin", http.MethodGet, "/v1/user", nil, http.StatusOK) // records the use of the token in the new minute
}

// CountEvents returns the number of events of a type in all organizations, users and integrations.
func CountEvents(w *World, of string) (count int) {
	w.T.Helper()
	return len(LastEvents(w, of, math.MaxInt))
}

// OldestEvent returns the id of the oldest event of the organization.
func OldestEvent(w *World) string {
	w.T.Helper()
	ids := slices.Sorted(maps.Keys(storetest.Stream(w.T, w.Store, store.EventsKey(w.Org))))
	return ids[0] // the ids of a test have equally long times
}

// InstallationEvent returns the id of the event of the last installation of an integration.
func InstallationEvent(w *World, integration string) string {
	w.T.Helper()
	for _, e := range Do(w, "admin", api.ListIntegrationEvents, api.ListIntegrationEventsInput{
		IntegrationRef: api.IntegrationRef{Integration: integration},
	}).Items {
		if e.Payload.Type == api.InstallationSetup && e.Payload.Previous == nil {
			return e.ID
		}
	}
	w.T.Fatalf("%s has no installation", integration)
	return ""
}

// LastEvents returns the fields of the last n events of a type, of all organizations, users and integrations.
func LastEvents(w *World, of string, n int) (events []map[string]string) {
	w.T.Helper()
	found := map[string]map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(w.Dump())) {
		shard, ok := strings.CutSuffix(name, ":events")
		if !ok {
			continue
		}
		for id, fields := range storetest.Stream(w.T, w.Store, redis.NamedKey(redis.StreamKind, shard+":events")) {
			if fields["type"] == of {
				found[id+shard] = fields
			}
		}
	}
	ids := slices.Sorted(maps.Keys(found))
	for _, id := range ids[max(0, len(ids)-n):] { // by their times
		events = append(events, found[id])
	}
	return events
}

// listedItem is an item of any list, reduced to a unique id.
type listedItem struct{ ID string }

// UnmarshalJSON implements json.Unmarshaler.
func (i *listedItem) UnmarshalJSON(data []byte) error {
	var item map[string]json.RawMessage
	if err := json.Unmarshal(data, &item); err != nil {
		return fmt.Errorf("item: %w", err)
	}
	for _, name := range []string{"id", "name", "domain"} {
		if json.Unmarshal(item[name], &i.ID) == nil {
			return nil
		}
	}
	for _, name := range []string{"user", "team", "targetReference", "page", "space", "organization"} {
		var part struct {
			ID  string `json:"id"`
			URL string `json:"url"`
		}
		if json.Unmarshal(item[name], &part) == nil && part.ID+part.URL != "" {
			i.ID = part.ID + part.URL
			return nil
		}
	}
	for _, name := range []string{"space", "site"} { // identified by the id of the object
		if json.Unmarshal(item[name], &i.ID) == nil {
			return nil
		}
	}
	return fmt.Errorf("what is this item? %s", data)
}

// listPage is one page of any list.
type listPage struct {
	Count int
	Items []listedItem
	Next  *api.Next
}

// ListPage reads a page of at most three items of any list.
func ListPage(w *World, path, cursor string) listPage {
	w.T.Helper()
	path = WithQuery(path, "limit=3")
	if cursor != "" {
		path += "&page=" + url.QueryEscape(cursor)
	}
	var p listPage
	Decode(w, w.Call("admin", http.MethodGet, path, nil, http.StatusOK), &p)
	return p
}

// ReadList reads a list to its end in pages of three and returns the ids. It calls between before each page but the
// first.
func ReadList(w *World, path string, between func()) (ids []string) {
	w.T.Helper()
	for cursor := ""; ; {
		p := ListPage(w, path, cursor)
		if len(p.Items) > 3 || p.Next != nil && len(p.Items) == 0 {
			w.T.Fatalf("%s: a page of %d items", path, len(p.Items))
		}
		for _, item := range p.Items {
			ids = append(ids, item.ID)
		}
		if p.Next == nil {
			return ids
		}
		cursor = p.Next.Page
		between()
	}
}

// CountTrips returns the number of round trips to Redis for a successful GET request.
func CountTrips(w *World, as, path string) int {
	w.T.Helper()
	w.Trips.Count()
	w.Call(as, http.MethodGet, path, nil, http.StatusOK)
	return w.Trips.Count()
}

// WithQuery appends to the query of a path.
func WithQuery(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

// SchemaType returns the type of a schema as written in the table of the interface.
func SchemaType(schema map[string]any) string {
	kinds := AsList(schema["type"])
	if one, ok := schema["type"].(string); ok {
		kinds = []any{one}
	}
	for _, kind := range kinds {
		switch {
		case kind == "null":
			continue
		case kind == "integer":
			return "number"
		case kind == "string" && schema["format"] == "date-time":
			return "time"
		case kind == "object" && schema["properties"] == nil && schema["additionalProperties"] != nil:
			return "map"
		}
		return fmt.Sprint(kind)
	}
	return "any"
}

// LimitMismatch returns the difference between a schema and one limit of the table, or "".
func LimitMismatch(plain, outer map[string]any, want string) string {
	name, value, _ := strings.Cut(want, "=")
	switch {
	case want == "null":
	case strings.HasPrefix(want, "~"):
		if plain["pattern"] != want[1:] {
			return fmt.Sprintf("has the pattern %v", plain["pattern"])
		}
	case name == "enum" || name == "known":
		return enumFault(plain, strings.Split(value, "|"), name == "enum")
	case name == "default":
		def := plain["default"]
		if def == nil {
			def = outer["default"]
		}
		if fmt.Sprint(def) != value {
			return fmt.Sprintf("has the default %v", def)
		}
	default:
		return boundFault(plain, want)
	}
	return ""
}

func enumFault(schema map[string]any, want []string, all bool) string {
	var have []string
	for _, v := range append(AsList(schema["enum"]), AsList(schema["x-extensible-enum"])...) {
		if text, ok := v.(string); ok {
			have = append(have, text)
		}
	}
	if schema["const"] != nil {
		have = append(have, fmt.Sprint(schema["const"]))
	}
	for _, v := range want {
		if !slices.Contains(have, v) {
			return fmt.Sprintf("is one of %v, without %s", have, v)
		}
	}
	if all && len(have) != len(want) {
		return fmt.Sprintf("is one of %v", have)
	}
	return ""
}

func boundFault(schema map[string]any, want string) string {
	low, high, _ := strings.Cut(want, "..")
	for _, name := range []string{"Length", "Items", "imum"} {
		least, most := schema["min"+name], schema["max"+name]
		if least == nil && most == nil {
			continue
		}
		if low != "" && formatBound(least) != low || formatBound(most) != high {
			return fmt.Sprintf("is limited to %v..%v", least, most)
		}
		return ""
	}
	return "has no limit"
}

// formatBound formats a bound as in the table.
func formatBound(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// RemoveVariable returns the operation that removes a variable.
func RemoveVariable(page, name string) api.ContentChange {
	return api.ContentChange{Operation: api.SetVariables, Page: page, Variables: map[string]*string{name: nil}}
}

// SearchTitles returns the titles of the hits of a search in a space, in order.
func SearchTitles(w *World, as, space, query string) []string {
	w.T.Helper()
	var titles []string
	for _, hit := range Do(w, as, api.SearchSpace, api.SearchSpaceInput{Space: space, Query: query}).Items {
		titles = append(titles, hit.Title)
	}
	return titles
}
