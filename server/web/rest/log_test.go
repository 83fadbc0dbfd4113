package rest_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestLogContainsReason checks that the log line of a refused request contains the reason in its answer, also where no
// operation matches, and that the line of any other request has none.
func TestLogContainsReason(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	j := serveWithLog(w, 0)
	for path, want := range map[string]any{
		"/v1/user": nil, "/v1/spaces/s_1": string(api.ReasonNotFound), "/v1/orgs?limit=x": string(api.ReasonInvalidParam),
		"/nowhere": string(api.ReasonNotFound),
	} {
		answer := w.Send("admin", "GET", path, nil)
		lines := j.lines(t)
		if len(lines) != 1 || lines[0]["reason"] != want || want != nil && string(answer.Error().Reason) != want {
			t.Errorf("%s: %d %s\n%v", path, answer.Status, answer.Body, lines)
		}
	}
}

// TestLogContainsToken checks that the log line of a request contains the id of its token and not the token, also where the request
// is refused, that the line of a new token names it, and that the line of an accepted invite contains the id of the invite.
func TestLogContainsToken(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	invite := w.CreateInvite("new@elsewhere.example", api.RoleRead)
	link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
	j := serveWithLog(w, 0)
	made := servertest.NewToken(w, "admin", "other", api.TokenCreate{})
	line := j.lines(t)[0]
	if path, _ := line["made"].(string); !strings.HasSuffix(path, "/"+made.ID) || line["token"] == nil || line["token"] == made.ID {
		t.Errorf("a new token %s: %v", made.ID, line)
	}
	for path, as := range map[string]string{"/v1/user": "other", "/v1/spaces/s_1": "other", "/v1/orgs": ""} {
		w.Send(as, "GET", path, nil)
		text, lines := j.text.String(), j.lines(t)
		var want any
		if as != "" {
			want = made.ID
		}
		if lines[0]["token"] != want || as != "" && strings.Contains(text, w.Tokens[as]) {
			t.Errorf("%s as %q: %v, want the token %v", path, as, lines[0], want)
		}
	}
	for id, accept := range map[string]api.AcceptInviteInput{
		invite.ID: servertest.AcceptInput(invite), link.ID: servertest.AcceptLinkInput(link),
	} {
		servertest.Try(w, "other", api.AcceptInvite, accept)
		text, lines := j.text.String(), j.lines(t)
		if ids, _ := lines[0]["ids"].(map[string]any); ids["invite"] != id || strings.Contains(text, accept.Body.Secret) {
			t.Errorf("an accepted invite %s: %v", id, lines[0])
		}
	}
}

// TestSlowRequestIsLoggedAsWarning checks that the log line of a request that takes as long as the limit is a warning with its
// time in Redis and its wait for turns, and that other lines are not.
func TestSlowRequestIsLoggedAsWarning(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	for limit, want := range map[time.Duration]string{0: "INFO", time.Minute: "WARN", 24 * time.Hour: "INFO"} {
		j := &logBuffer{}
		w.Serve(func(o *server.Options) {
			o.Log, o.Slow = j.logger(), limit
			o.Clock = func() time.Time { // moves forward with each use
				w.Clock.Advance(time.Minute)
				return w.Clock.Now()
			}
		})
		w.Send("admin", "GET", "/v1/user", nil)
		lines := j.lines(t)
		if len(lines) != 1 || lines[0]["level"] != want {
			t.Fatalf("limit %s: %v", limit, lines)
		}
		inRedis, timed := lines[0]["redisMs"].(float64)
		inTurns, waited := lines[0]["turnMs"].(float64)
		if slow := want == "WARN"; timed != slow || waited != slow || slow && (inRedis <= 0 || inTurns != 0) {
			t.Errorf("limit %s: %v", limit, lines[0])
		}
	}
}
