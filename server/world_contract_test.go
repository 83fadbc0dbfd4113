package server_test

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
)

func decode(w *world, a answer, v any) {
	w.t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		w.t.Errorf("%v: %s", err, a.Body)
	}
}

// computedPageOf is the operation that inserts a computed page.
func computedPageOf(title, spec string) api.ContentChange {
	return api.ContentChange{Operation: api.InsertPage, Type: api.PageComputed, Title: api.Some(title), Computed: &api.Computed{
		Type: api.ComputedOpenAPI, Dependencies: api.ComputedDependencies{Spec: api.ComputedSpec{Ref: api.SpecRef{Kind: "openapi", Spec: spec}}},
		Props: &api.ComputedProps{Doc: "operations"},
	}}
}

// grown is a change request with a small tree: a (b (c), g (in)), d, link.
type grown struct {
	ref                         api.ChangeRequestRef
	a, b, c, d, group, in, link string
}

func grow(w *world) grown {
	w.t.Helper()
	g := grown{ref: w.newRequest("editor", w.newSpace().ID)}
	named := func(ref string, c api.ContentChange) api.ContentChange { c.Ref = ref; return c }
	group := named("g", below(api.ContentChange{Operation: api.InsertPage, Type: api.PageGroup, Title: api.Some("Group")}, "a"))
	link := named("l", api.ContentChange{
		Operation: api.InsertPage, Type: api.PageLink, Title: api.Some("Link"), Target: &api.ContentRef{Kind: api.RefPage, Page: "b"},
	})
	result := w.change(g.ref,
		named("a", newPage("A", "# A\n")), named("b", below(newPage("B", "See [c](/pages/c) and [c](/pages/c#part), not /pages/c.\n"), "a")),
		named("c", below(newPage("C", "# C\n"), "b")), named("d", newPage("D", "# D\n")), group,
		named("in", below(newPage("In", "# In\n"), "g")), link)
	for i, id := range []*string{&g.a, &g.b, &g.c, &g.d, &g.group, &g.in, &g.link} {
		*id = result.Changes[i].Page.ID
	}
	equal(w.t, "outline", []string{"A", "  B", "    C", "  Group", "    In", "D", "Link"}, outline(w.pages(g.ref)))
	return g
}

// wrongTokens adds tokens that look good and are not.
func wrongTokens(w *world) {
	w.t.Helper()
	good := w.tokens["admin"]
	parts := strings.Split(good, "_")
	with := func(i int, text string) string {
		other := append([]string{}, parts...)
		other[i] = text
		return strings.Join(other, "_")
	}
	for name, text := range map[string]string{
		"of an unknown user":   with(1, "00000000000000"),
		"an unknown one":       with(2, "00000000000000"),
		"another user's":       with(1, strings.Split(w.tokens["reader"], "_")[1]),
		"with another secret":  with(3, strings.Split(w.tokens["reader"], "_")[3]),
		"with a short secret":  good[:len(good)-1],
		"with a long secret":   good + "A",
		"without a secret":     with(3, ""),
		"of another brand":     with(0, "xyz"),
		"cut in the middle":    good[:len(good)/2],
		"with a hostile id":    with(1, "}{"),
		"nothing of the kind":  "hello",
		"its secret in base64": with(3, base64.StdEncoding.EncodeToString([]byte(parts[3]))),
	} {
		w.tokens["wrong: "+name] = text
	}
	options := orgs.TokenOptions{Name: "short", Scopes: []api.Scope{api.ScopeAdmin}, ExpiresAt: api.At(w.clock.Now().Add(time.Minute))}
	_, text, err := orgs.Accounts{Store: w.store}.Token(w.t.Context(), w.users["admin"].ID, options)
	w.must(err)
	w.tokens["wrong: expired"] = text
	w.call("wrong: expired", http.MethodGet, "/v1/user", nil, http.StatusOK)
	w.clock.Advance(time.Minute)
	w.call("admin", http.MethodGet, "/v1/user", nil, http.StatusOK) // notes the new minute
}

// events counts the events of a type, of every organization, user and integration.
func events(w *world, of string) (count int) {
	w.t.Helper()
	for key, value := range w.dump() {
		if strings.HasSuffix(key, "}:events") {
			count += strings.Count(value, "type:"+of+"]") + strings.Count(value, "type:"+of+" ")
		}
	}
	return count
}

// listedItem is an item of any list, by what tells it from the others.
type listedItem struct{ ID string }

// UnmarshalJSON implements json.Unmarshaler.
func (i *listedItem) UnmarshalJSON(data []byte) error {
	var item map[string]json.RawMessage
	if err := json.Unmarshal(data, &item); err != nil {
		return fmt.Errorf("item: %w", err)
	}
	for _, name := range []string{"id", "name"} {
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
	return fmt.Errorf("what is this item? %s", data)
}

// pageOf is one page of any list.
type pageOf struct {
	Count int
	Items []listedItem
	Next  *api.Next
}

func page(w *world, path, cursor string) pageOf {
	w.t.Helper()
	path = withQuery(path, "limit=3")
	if cursor != "" {
		path += "&page=" + url.QueryEscape(cursor)
	}
	var p pageOf
	decode(w, w.call("admin", http.MethodGet, path, nil, http.StatusOK), &p)
	return p
}

// walkOf reads a list to its end in pages of three; between is called before each page but the first.
func walkOf(w *world, path string, between func()) (ids []string) {
	w.t.Helper()
	for cursor := ""; ; {
		p := page(w, path, cursor)
		if len(p.Items) > 3 || p.Next != nil && len(p.Items) == 0 {
			w.t.Fatalf("%s: a page of %d items", path, len(p.Items))
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

// tripsOf counts the trips of a request that succeeds.
func tripsOf(w *world, as, path string) int {
	w.t.Helper()
	w.trips.Count()
	w.call(as, http.MethodGet, path, nil, http.StatusOK)
	return w.trips.Count()
}

func withQuery(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

// kindOf is the type of a schema in the words of the table.
func kindOf(schema map[string]any) string {
	kinds := listOf(schema["type"])
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

// limitFault holds one limit of the table against a schema.
func limitFault(plain, outer map[string]any, want string) string {
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
	for _, v := range listOf(schema["enum"]) {
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
		if low != "" && number(least) != low || number(most) != high {
			return fmt.Sprintf("is limited to %v..%v", least, most)
		}
		return ""
	}
	return "has no limit"
}

// number is a bound as the table writes it.
func number(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// removeVariable is the operation that removes a variable.
func removeVariable(page, name string) api.ContentChange {
	return api.ContentChange{Operation: api.SetVariables, Page: page, Variables: map[string]*string{name: nil}}
}
