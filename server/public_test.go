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

// TestStoryOfThePublicAPI calls each operation of the public API as its client does. docs/public-api.md lists the
// answers and effects.
func TestStoryOfThePublicAPI(t *testing.T) {
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
	at := matrixIDs(w, "acme")
	ids := map[string]string{
		"org": at.org, "other": at.other, "collection": at.collection, "space": at.space, "request": at.request, "page": at.page,
		"file": at.file, "comment": at.comment, "reply": at.reply, "reviewer": at.reviewer, "spec": at.spec, "reusable": at.reusable,
		"site": at.site, "section": at.section, "group": at.group, "siteSpace": at.siteSpace, "link": at.link, "url": servertest.PublicURL,
	}
	maps.Copy(ids, at.more)
	for who, user := range w.Users {
		ids["user-"+who] = user.ID
	}
	return &publicStory{World: w, ids: ids}
}

var idInText = regexp.MustCompile(`\{[\w.-]+\}`)

// expandNames replaces the names of ids in text. Names of ids in the answer begin with a dot.
func (p *publicStory) expandNames(text string, answer any) string {
	return idInText.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		if path, ofAnswer := strings.CutPrefix(name, "."); ofAnswer {
			found, _ := valueAt(answer, path)
			return plainText(found)
		}
		if id, known := p.ids[name]; known {
			return id
		}
		return "{" + name + "}"
	})
}

// runCall makes a call and the requests that show its effect. A pending call has to fail.
func (p *publicStory) runCall(t *testing.T, c *publicCall) {
	t.Helper()
	if c.notOfferedReason != "" {
		if slices.ContainsFunc(api.Rows(), func(row api.Row) bool { return row.Operation == c.operation }) {
			t.Errorf("public-calls.txt:%d: %s is there now", c.line, c.operation)
		}
		return
	}
	answer, faults := p.checkRequest(c, c.call, nil)
	for _, then := range c.followUps {
		_, more := p.checkRequest(c, then, answer)
		faults = append(faults, more...)
	}
	for _, save := range c.savedIDs {
		found, ok := valueAt(answer, save[1])
		if p.ids[save[0]] = plainText(found); !ok {
			faults = append(faults, "the answer has no "+save[1])
		}
	}
	for _, fault := range faults {
		t.Errorf("public-calls.txt:%d: %s, %s: %s", c.line, c.operation, c.variation, fault)
	}
}

// checkRequest sends a request and compares the answer with the expected one.
func (p *publicStory) checkRequest(c *publicCall, r publicRequest, before any) (answer any, faults []string) {
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
		if err := json.Unmarshal(a.Body, &answer); err != nil {
			return nil, []string{err.Error()}
		}
	}
	for _, expected := range r.expected {
		if fault := mismatch(answer, p.expandNames(expected, before)); fault != "" {
			faults = append(faults, fmt.Sprintf("%s %s: %s: %s", r.method, path, fault, a.Body))
		}
	}
	return answer, faults
}

// mismatch returns why an answer does not match MEMBER=VALUE, MEMBER~PART, MEMBER#COUNT, !MEMBER or MEMBER, or "".
func mismatch(answer any, expected string) string {
	at := strings.IndexAny(expected, "=~#")
	name, absent := strings.CutPrefix(expected, "!")
	if at > 0 {
		name = expected[:at]
	}
	found, ok := valueAt(answer, name)
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

// valueAt returns the value at a path such as a.b.0.c in a decoded answer. The empty path returns the answer.
func valueAt(answer any, path string) (found any, ok bool) {
	if path == "" {
		return answer, true
	}
	for name := range strings.SplitSeq(path, ".") {
		switch in := answer.(type) {
		case map[string]any:
			if answer, ok = in[name]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(in) {
				return nil, false
			}
			answer = in[i]
		default:
			return nil, false
		}
	}
	return answer, true
}

// plainText returns a string as it is, and any other value as JSON.
func plainText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, _ := json.Marshal(v) // cannot fail: it was decoded from JSON
	return string(data)
}
