package operations_test

import (
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// Objects of the server for the tests of --mine. Ann is the caller.
const (
	requests = "/v1/spaces/s_1/change-requests"

	ofAnn = `200 {"object":"change-request","id":"c_a","createdBy":{"object":"user","id":"u_ann","displayName":"Ann"}}`
	ofBen = `200 {"object":"change-request","id":"c_b","createdBy":{"object":"user","id":"u_ben","displayName":"Ben"}}`

	threadOfAnn = `{"object":"comment","id":"m_1","replies":1,"postedBy":{"object":"user","id":"u_ann","displayName":"Ann"}}`
	threadOfBen = `{"object":"comment","id":"m_2","replies":1,"postedBy":{"object":"user","id":"u_ben","displayName":"Ben"}}`
	replyOfAnn  = `{"object":"comment-reply","id":"p_1","postedBy":{"object":"user","id":"u_ann","displayName":"Ann"}}`
	replyOfBen  = `{"object":"comment-reply","id":"p_2","postedAt":"2026-01-01T00:00:00.001Z",` +
		`"postedBy":{"object":"user","id":"u_ben","displayName":"Ben"}}`
	replyBefore = `{"object":"comment-reply","id":"p_3","postedAt":"2025-12-01T00:00:00.000Z",` +
		`"postedBy":{"object":"user","id":"u_ben","displayName":"Ben"}}`

	ann = `{"object":"user","id":"u_ann","displayName":"Ann"}`
	eve = `{"object":"user","id":"u_eve","displayName":"Eve"}`
)

func pageOf(items ...string) string {
	return `200 {"count":1,"items":[` + strings.Join(items, ",") + `]}`
}

func objectsOfAnn() map[string]string {
	return map[string]string{
		"/v1/user":                                 `200 {"object":"user","id":"u_ann","displayName":"Ann"}`,
		requests + "/c_a":                          ofAnn,
		requests + "/c_b":                          ofBen,
		requests + "/c_secret":                     `403 {"error":{"code":403,"message":"No.","reason":"forbidden"}}`,
		requests + "/c_a/reviews/r_1":              `200 {"object":"change-request-review","id":"r_1"}`,
		requests + "/c_b/comments":                 pageOf(threadOfAnn),
		requests + "/c_b/comments/m_1":             `200 ` + threadOfAnn,
		requests + "/c_b/comments/m_2":             `200 ` + threadOfBen,
		requests + "/c_a/comments/m_2":             `200 ` + threadOfBen,
		requests + "/c_b/comments/m_1/replies":     pageOf(replyOfBen),
		requests + "/c_b/comments/m_2/replies":     pageOf(replyOfBen, replyOfAnn),
		requests + "/c_old/comments":               pageOf(threadOfAnn),
		requests + "/c_old/comments/m_1/replies":   pageOf(replyBefore),
		requests + "/c_many/requested-reviewers":   pageOf(`{"createdAt":"2026-01-01T00:00:00.000Z","user":` + ann + `}`),
		requests + "/c_before/requested-reviewers": pageOf(`{"createdAt":"2025-01-01T00:00:00.000Z","user":` + ann + `}`),
		requests + "/c_broken":                     `500 {"error":{"code":500,"message":"It broke.","reason":"internal"}}`,
		"/v1/spaces/s_1/comments/m_1":              `200 ` + threadOfAnn,
		"/v1/spaces/s_1/comments/m_2":              `200 ` + threadOfBen,
		"/v1/spaces/s_1/comments/m_2/replies":      pageOf(replyOfBen),
		"/v1/spaces/s_1/comments/m_3":              `200 ` + threadOfBen,
		"/v1/spaces/s_1/comments/m_3/replies":      pageOf(replyOfAnn, replyOfBen),
		"/v1/orgs/o_1/change-requests":             pageOf(),
	}
}

// TestTailMineReasons checks which events concern the caller, and why.
func TestTailMineReasons(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat(eve+",", 5), ",")
	for name, c := range map[string]struct{ kind, members, reason string }{
		"asked":               {"change-requests.request-review", `"changeRequest":"c_b","users":[` + eve + `,` + ann + `]`, "review_asked"},
		"another is asked":    {"change-requests.request-review", `"changeRequest":"c_b","users":[` + eve + `]`, ""},
		"many are asked":      {"change-requests.request-review", `"changeRequest":"c_many","users":[` + many + `]`, "review_asked"},
		"asked long before":   {"change-requests.request-review", `"changeRequest":"c_before","users":[` + many + `]`, ""},
		"asks herself":        {"change-requests.request-review", `"by":` + ann + `,"changeRequest":"c_b","users":[` + ann + `]`, ""},
		"no longer asked":     {"change-requests.remove-reviewer", `"changeRequest":"c_b","users":[` + ann + `]`, ""},
		"verdict":             {"change-request-reviews.create", `"changeRequest":"c_a"`, "verdict"},
		"verdict for another": {"change-request-reviews.create", `"changeRequest":"c_b"`, ""},
		"own verdict":         {"change-request-reviews.create", `"by":` + ann + `,"changeRequest":"c_a"`, ""},
		"verdict, gone":       {"change-request-reviews.create", `"changeRequest":"c_gone"`, ""},
		"verdict, forbidden":  {"change-request-reviews.create", `"changeRequest":"c_secret"`, ""},
		"draft, verdict":      {"change-request-reviews.submit", `"changeRequest":"c_a","target":{"type":"review","id":"r_1"}`, "verdict"},
		"draft, comments":     {"change-request-reviews.submit", `"changeRequest":"c_a","target":{"type":"review","id":"x"}`, "reply"},
		"draft, reply":        {"change-request-reviews.submit", `"changeRequest":"c_b","target":{"type":"review","id":"x"}`, "reply"},
		"draft, old reply":    {"change-request-reviews.submit", `"changeRequest":"c_old","target":{"type":"review","id":"x"}`, ""},
		"comment":             {"change-request-comments.create", `"changeRequest":"c_a","target":{"type":"comment","id":"m_2"}`, "reply"},
		"comment elsewhere":   {"change-request-comments.create", `"changeRequest":"c_b","target":{"type":"comment","id":"m_2"}`, ""},
		"comment on a space":  {"comments.create", `"target":{"type":"comment","id":"m_2"}`, ""},
		"reply to comment":    {"change-request-replies.create", `"changeRequest":"c_b","comment":"m_1"`, "reply"},
		"reply on request":    {"change-request-replies.create", `"changeRequest":"c_a","comment":"m_2"`, "reply"},
		"reply in thread":     {"change-request-replies.create", `"changeRequest":"c_b","comment":"m_2"`, "reply"},
		"reply in space":      {"replies.create", `"comment":"m_1"`, "reply"},
		"reply in thread, s":  {"replies.create", `"comment":"m_3"`, "reply"},
		"reply to another":    {"replies.create", `"comment":"m_2"`, ""},
		"reply, gone":         {"replies.create", `"comment":"m_gone"`, ""},
		"edit":                {"replies.update", `"comment":"m_1"`, ""},
		"title":               {"spaces.update", `"changed":["title"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newStreamHarness(t, "id: 1-0\n\n"+event("2-0", c.kind, `"space":"s_1",`+c.members), objectsOfAnn())
			state := filepath.Join(t.TempDir(), "position")
			result := h.Run("events", "tail", "--mine", "--follow=false", "-o", "ndjson", "--state", state)
			result.Want(t, app.ExitOK)
			want := ""
			if c.reason != "" {
				want = `"reason":"` + c.reason + `"}` + "\n"
			}
			lines := strings.Count(result.Stdout, "\n")
			if !strings.HasSuffix(result.Stdout, want) || lines != strings.Count(want, "\n") || result.Stderr != "" {
				t.Errorf("output %q%q, want reason %q after\n%s", result.Stdout, result.Stderr, c.reason, h.sent())
			}
			if got := readFile(t, state); got != "2-0\n" {
				t.Errorf("position %q", got)
			}
			if n := strings.Count(h.sent(), "\n"); n > 3 {
				t.Errorf("%d reads:\n%s", n, h.sent())
			}
		})
	}
}

// TestTailMineOutput checks what programs and tables get of an event, and that an event that cannot be judged is reported.
func TestTailMineOutput(t *testing.T) {
	t.Parallel()
	h := newStreamHarness(t, event("2-0", "change-request-reviews.create", `"space":"s_1","changeRequest":"c_a"`)+
		event("3-0", "change-request-reviews.create", `"space":"s_1","changeRequest":"c_broken"`), objectsOfAnn())
	h.Run("events", "tail", "--mine", "--follow=false", "--columns", "id,reason").Want(t, app.ExitOK, "2-0\tverdict\n",
		"event 3-0 was left out", "It broke.")
	h.Run("events", "tail", "--mine", "--follow=false").Want(t, app.ExitOK, "change-request-reviews.create", "\tverdict\n")
	result := h.Run("events", "tail", "--mine", "--follow=false", "--exec", `echo "$WSCTL_EVENT_ID $WSCTL_EVENT_REASON"; cat`)
	result.Want(t, app.ExitOK)
	for _, text := range []string{"2-0 verdict\n", `{"object":"event","id":"2-0"`, `"reason":"verdict"}`} {
		if !strings.Contains(result.Stderr, text) {
			t.Errorf("the output of the program lacks %q: %s", text, result.Stderr)
		}
	}
	if result := h.Run("events", "tail", "--follow=false", "-o", "ndjson"); strings.Contains(result.Stdout, "reason") {
		t.Errorf("reason without --mine: %s", result.Stdout)
	}
}

// TestTailMineConflicts checks that a change of a space is written if an open change request of the caller has new conflicts.
func TestTailMineConflicts(t *testing.T) {
	t.Parallel()
	queued := func(id, summary string) string {
		return `{"object":"change-request","id":"` + id + `","revision":"v_1","outdated":true,"createdBy":` + ann + `,"summary":{` + summary + `}}`
	}
	change := `"space":"s_1","revision":"v_9","revisionBefore":"v_8","pages":1,"page":"p_1"`
	other := strings.ReplaceAll(change, "p_1", "p_2")
	imported, importedOther := event("2-0", "content.import", change), event("2-0", "content.import", other)
	again := event("3-0", "content.import", change)
	by := func(ours string) string {
		return `200 {"revision":"v_1","spaceRevision":"v_9","conflicts":[{"id":"f_1","kind":"text","page":"p_1","ours":{` + ours + `}}]}`
	}
	conflict := `200 {"revision":"v_1","spaceRevision":"v_9","conflicts":[{"id":"f_1","kind":"text","page":"p_1"}]}`
	for name, c := range map[string]struct {
		events, queue, conflicts string
		want                     string // ids of the events that are written
	}{
		"once":                 {imported + again, queued("c_a", ""), conflict, "2-0"},
		"merge":                {event("2-0", "change-requests.merge", change+`,"changeRequest":"c_b"`), queued("c_a", ""), conflict, "2-0"},
		"computed":             {event("2-0", "spaces.compute", `"space":"s_1"`), queued("c_a", ""), conflict, "2-0"},
		"another page":         {importedOther + again, queued("c_a", ""), conflict, "3-0"},
		"known to have":        {imported, queued("c_a", `"merge":{"conflicts":1}`), conflict, "2-0"},
		"known to be free":     {imported, queued("c_a", `"merge":{"conflicts":0}`), conflict, ""},
		"no conflict":          {imported, queued("c_a", ""), `200 {"conflicts":[]}`, ""},
		"merged meanwhile":     {imported, queued("c_a", ""), `409 {"error":{"code":409,"message":"Merged.","reason":"wrong_state"}}`, ""},
		"of this change":       {importedOther, queued("c_a", ""), by(`"at":"2026-01-01T00:00:00.001Z"`), "2-0"},
		"of an earlier change": {imported, queued("c_a", ""), by(`"at":"2025-01-01T00:00:00.000Z"`), ""},
		"of this merge": {
			event("2-0", "change-requests.merge", other+`,"changeRequest":"7"`), queued("c_a", ""),
			by(`"at":"2025-01-01T00:00:00.000Z","changeRequest":{"id":"c_7","number":7}`), "2-0",
		},
		"of another merge": {
			event("2-0", "change-requests.merge", change+`,"changeRequest":"8"`), queued("c_a", ""),
			by(`"at":"2025-01-01T00:00:00.000Z","changeRequest":{"id":"c_7","number":7}`), "",
		},
		"begun afterwards": {imported, strings.Replace(queued("c_a", ""), `"revision"`, `"createdAt":"2026-01-02T00:00:00.000Z","revision"`, 1), conflict, ""},
		"own change":       {event("2-0", "content.import", `"by":`+ann+","+change), queued("c_a", ""), conflict, ""},
		"in a request":     {event("2-0", "change-request-content.edit", change+`,"changeRequest":"c_a"`), queued("c_a", ""), conflict, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := objectsOfAnn()
			objects["/v1/orgs/o_1/change-requests"] = pageOf(c.queue)
			objects[requests+"/c_a/conflicts"] = c.conflicts
			h := newStreamHarness(t, c.events, objects)
			result := h.Run("events", "tail", "--mine", "--follow=false", "--jq", `.event.id + " " + .reason + " " + .changeRequests[0]`)
			result.Want(t, app.ExitOK)
			want := ""
			if c.want != "" {
				want = c.want + " conflict c_a\n"
			}
			if strings.ReplaceAll(result.Stdout, `"`, "") != want {
				t.Errorf("output %q%s, want %q", result.Stdout, result.Stderr, want)
			}
		})
	}
}
