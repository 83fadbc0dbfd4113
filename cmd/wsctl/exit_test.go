package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/exit"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]int{
		400: exit.Failed, 401: exit.Denied, 403: exit.Denied, 404: exit.NotFound, 409: exit.Conflict, 412: exit.Conflict,
		413: exit.Failed, 422: exit.Failed, 429: exit.Unavailable, 500: exit.Failed, 502: exit.Unavailable, 503: exit.Unavailable,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, map[string]string{"GET /v1/spaces/x": fmt.Sprintf(
				`%d {"error":{"code":%d,"message":"Refused.","hint":"Do this.","requestId":"req_7","reason":"r"}}`, status, status)})
			got := s.Run("spaces get x --max-retries 0")
			got.Want(t, code, "wsctl: Refused.\n", "hint: Do this.\n", "request: req_7\n")
			got = s.Run("spaces get x --max-retries 0 -o json")
			if want := fmt.Sprintf(`{"error":{"code":%d,"message":"Refused.","reason":"r","hint":"Do this.","requestId":"req_7"}}`+"\n", status); got.Err != want || got.Out != "" {
				t.Errorf("as JSON: %q %q", got.Out, got.Err)
			}
		})
	}
}

func TestViolationsAreListed(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"PATCH /v1/spaces/x": `422 {"error":{"code":422,"message":"title: a; emoji: b","reason":"invalid","fields":[{"path":"title","message":"a\u001b[31m"},{"path":"emoji","message":"b"}]}}`,
	})
	s.Run("spaces update x --title t").Want(t, exit.Failed, "wsctl: the server refuses the request (422):\n  title: a\n  emoji: b\n")
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Env["WSCTL_URL"] = "http://127.0.0.1:1"
	s.Run("spaces get x --max-retries 0").Want(t, exit.Unavailable, "cannot reach http://127.0.0.1:1", "--show-origin")
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestABrokenPipeIsSilent(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{spacesURI: `200 {"count":2,"items":[` + spaceList("a", "b") + `]}`})
	s.Env["WSCTL_ORG"] = "org_1"
	for _, flags := range []string{"", "-o json", "-o csv", "-o yaml", "-o name", "--jq .", "-o table"} {
		var talk strings.Builder
		if code := s.RunTo(closedPipe{}, &talk, strings.Fields("spaces list "+flags)...); code != exit.OK || talk.String() != "" {
			t.Errorf("%q: exit code %d, says %q", flags, code, talk.String())
		}
	}
}

func TestAMergeWithConflictsIsAConflict(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"POST /v1/spaces/s/change-requests/1/merge": `200 {"revision":"rev_1","result":"conflicts","conflicts":[{"id":"c1"},{"id":"c2"}]}`,
		"POST /v1/spaces/s/change-requests/2/merge": `200 {"revision":"rev_2","result":"merge"}`,
	})
	s.Env["WSCTL_SPACE"] = "s"
	got := s.Run("cr merge 1 --jq .conflicts[].id")
	got.Want(t, exit.Conflict, "2 conflicts; nothing was applied", "pull")
	if got.Out != "c1\nc2\n" {
		t.Errorf("stdout %q", got.Out)
	}
	s.Run("cr merge 2 -o name").Want(t, exit.OK, "rev_2\n")
}

func TestReadOnlyProfilesSendNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/spaces/x": "200 " + oneSpace})
	s.Run("config set read_only true").Want(t, exit.OK)
	for _, line := range []string{"spaces delete x --yes", "spaces create --title t", "api POST /orgs", "spaces update x --title t --dry-run"} {
		s.Run(line).Want(t, exit.Usage, "read-only")
	}
	if len(s.Requests()) > 0 {
		t.Fatalf("sent %v", s.Requests())
	}
	s.Run("spaces get x").Want(t, exit.OK)
}

// Nobody is left alone with a change that may have been made: the key that wsctl sent with it repeats it safely.
func TestUnknownOutcomesNameTheKey(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"PATCH /v1/spaces/x": `503 {"error":{"code":503,"message":"It broke off.","reason":"outcome_unknown","hint":"Look."}}`,
		"PATCH /v1/spaces/y": `504 <html>`,
	})
	for path, message := range map[string]string{"x": "wsctl: It broke off.\n", "y": "wsctl: 504 Gateway Timeout; whether the change was made is not known\n"} {
		got := s.Run("spaces update " + path + " --title t --max-retries 0 --idempotency-key k7")
		got.Want(t, exit.Unavailable, message, "hint: the same command with --idempotency-key k7 makes it once at most\n")
		got = s.Run("api PATCH /spaces/" + path + " -f title=t --max-retries 0 --idempotency-key k8")
		got.Want(t, exit.Unavailable, "--idempotency-key k8")
	}
}
