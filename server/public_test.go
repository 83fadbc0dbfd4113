package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// publicClient are the headers that the typed client of the public API sends in addition to the token.
var publicClient = []string{"User-Agent", "@gitbook/api/0.202.0"}

// TestPublicAPI checks that the calls of testdata/public-calls.txt, made as the client of the public API makes them, have the
// expected responses and effects, and that docs/public-api.md lists these.
func TestPublicAPI(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	p := newPublicStory(w)
	calls := readPublicCalls(t)
	for _, c := range calls {
		p.runCall(t, c)
	}
	got := publicTable(calls)
	const golden = "../docs/public-api.md"
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
		t.Errorf("the table has changed; if it should have, run the test with -update (-golden +now):\n%s", diff)
	}
}

// publicStory is the world of the calls, with the ids that they refer to.
type publicStory struct {
	*servertest.World

	ids map[string]string
}

func newPublicStory(w *servertest.World) *publicStory {
	w.T.Helper()
	at := createMatrixObjects(w, "acme")
	ids := map[string]string{
		"org": at.org, "other": at.other, "collection": at.collection, "space": at.space, "request": at.request, "page": at.page,
		"file": at.file, "comment": at.comment, "reply": at.reply, "reviewer": at.reviewer, "spec": at.spec, "reusable": at.reusable,
		"site": at.site, "section": at.section, "group": at.group, "siteSpace": at.siteSpace, "link": at.link, "url": servertest.PublicURL,
	}
	maps.Copy(ids, at.extra)
	for who, user := range w.Users {
		ids["user-"+who] = user.ID
	}
	return &publicStory{World: w, ids: ids}
}

var placeholderPattern = regexp.MustCompile(`\{[\w.-]+\}`)

// expandNames replaces the names of ids in text. Names of ids in the response begin with a dot.
func (p *publicStory) expandNames(text string, response any) string {
	return placeholderPattern.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		if path, ofAnswer := strings.CutPrefix(name, "."); ofAnswer {
			found, _ := valueAt(response, path)
			return plainText(found)
		}
		if id, known := p.ids[name]; known {
			return id
		}
		return "{" + name + "}"
	})
}

// runCall makes a call and the requests that show its effect, and saves ids of the response for later calls. For an unsupported
// operation it only checks that the server does not have it.
func (p *publicStory) runCall(t *testing.T, c *publicCall) {
	t.Helper()
	if c.unsupportedReason != "" {
		if slices.ContainsFunc(api.Rows(), func(row api.Row) bool { return row.Operation == c.operation }) {
			t.Errorf("public-calls.txt:%d: %s is there now", c.line, c.operation)
		}
		return
	}
	response, faults := p.checkRequest(c, c.request, nil)
	for _, then := range c.followUps {
		_, more := p.checkRequest(c, then, response)
		faults = append(faults, more...)
	}
	for _, save := range c.savedIDs {
		found, ok := valueAt(response, save[1])
		if p.ids[save[0]] = plainText(found); !ok {
			faults = append(faults, "the answer has no "+save[1])
		}
	}
	for _, fault := range faults {
		t.Errorf("public-calls.txt:%d: %s, %s: %s", c.line, c.operation, c.variation, fault)
	}
}

// checkRequest sends a request and returns the decoded response and its differences from the expected one.
func (p *publicStory) checkRequest(c *publicCall, r publicRequest, before any) (response any, faults []string) {
	p.T.Helper()
	var body any
	if r.body != "" {
		body = []byte(p.expandNames(r.body, before))
	}
	path := p.expandNames(r.path, before)
	a := p.Send(c.as, r.method, path, body, slices.Concat(publicClient, c.headers)...)
	if strconv.Itoa(a.Status) != r.status {
		return nil, []string{fmt.Sprintf("%s %s: %d, want %s: %s", r.method, path, a.Status, r.status, a.Body)}
	}
	if len(a.Body) > 0 {
		if err := json.Unmarshal(a.Body, &response); err != nil {
			return nil, []string{err.Error()}
		}
	}
	for _, expected := range r.expected {
		if fault := mismatch(response, p.expandNames(expected, before)); fault != "" {
			faults = append(faults, fmt.Sprintf("%s %s: %s: %s", r.method, path, fault, a.Body))
		}
	}
	return response, faults
}

// mismatch returns why a response does not match MEMBER=VALUE, MEMBER~PART, MEMBER#COUNT, !MEMBER or MEMBER, or "".
func mismatch(response any, expected string) string {
	at := strings.IndexAny(expected, "=~#")
	name, absent := strings.CutPrefix(expected, "!")
	if at > 0 {
		name = expected[:at]
	}
	found, ok := valueAt(response, name)
	text := plainText(found)
	switch {
	case absent && ok:
		return fmt.Sprintf("has %s: %s", name, text)
	case absent:
		return ""
	case !ok:
		return "has no " + name
	case at < 0:
		return ""
	}
	value := expected[at+1:]
	list, _ := found.([]any)
	if expected[at] == '=' && text != value || expected[at] == '~' && !strings.Contains(text, value) || expected[at] == '#' &&
		strconv.Itoa(len(list)) != value {
		return fmt.Sprintf("%s is %s, want %s", name, text, expected[at:])
	}
	return ""
}

// valueAt returns the value at a path such as a.b.0.c in a decoded response. The empty path returns the response.
func valueAt(response any, path string) (found any, ok bool) {
	if path == "" {
		return response, true
	}
	for name := range strings.SplitSeq(path, ".") {
		switch in := response.(type) {
		case map[string]any:
			if response, ok = in[name]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(in) {
				return nil, false
			}
			response = in[i]
		default:
			return nil, false
		}
	}
	return response, true
}

// plainText returns a string as it is, and any other value as JSON.
func plainText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, _ := json.Marshal(v) // cannot fail: it was decoded from JSON
	return string(data)
}
