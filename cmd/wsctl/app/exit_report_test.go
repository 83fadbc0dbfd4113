package app_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]int{
		400: app.ExitFailed, 401: app.ExitDenied, 403: app.ExitDenied, 404: app.ExitNotFound, 409: app.ExitConflict, 412: app.ExitConflict,
		413: app.ExitFailed, 422: app.ExitFailed, 429: app.ExitUnavailable,
		500: app.ExitFailed, 502: app.ExitUnavailable, 503: app.ExitUnavailable,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, map[string]string{"GET /v1/spaces/s_x": fmt.Sprintf(
				`%d {"error":{"code":%d,"message":"Refused.","hint":"Do this.","requestId":"req_7","reason":"r"}}`, status, status)})
			got := s.Run("spaces get s_x --max-retries 0")
			got.Want(t, code, "wsctl: Refused.\n", "hint: Do this.\n", "request: req_7\n")
			got = s.Run("spaces get s_x --max-retries 0 -o json")
			if want := fmt.Sprintf(`{"error":{"code":%d,"message":"Refused.","reason":"r","hint":"Do this.","requestId":"req_7"}}`+"\n",
				status); got.Stderr != want || got.Stdout != "" {
				t.Errorf("as JSON: %q %q", got.Stdout, got.Stderr)
			}
		})
	}
}

func TestReportListsFieldErrors(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"PATCH /v1/spaces/s_x": `422 {"error":{"code":422,"message":"title: a; emoji: b","reason":"invalid","fields":[{"path":"title","message":"a\u001b[31m"},{"path":"emoji","message":"b"}]}}`,
	})
	s.Run("spaces update s_x --title t").Want(t, app.ExitFailed, "wsctl: the server refuses the request (422):\n  title: a\n  emoji: b\n")
}

func TestReportUnreachableServer(t *testing.T) {
	t.Parallel()
	s := newHarness(t, nil)
	s.Env["WSCTL_URL"] = "http://127.0.0.1:1"
	s.Run("spaces get s_x --max-retries 0").Want(t, app.ExitUnavailable, "cannot reach http://127.0.0.1:1", "--show-origin")
}

// TestReportInterruptedRequest checks that an interrupted request is reported as an interrupt and not as an unreachable server.
func TestReportInterruptedRequest(t *testing.T) {
	t.Parallel()
	err := &client.TransportError{URL: "http://127.0.0.1:1", Err: fmt.Errorf("get: %w", context.Canceled)}
	problem := app.DescribeError(err)
	if app.ExitCode(err) != app.ExitInterrupted || problem.Message != "interrupted" || problem.Hint != "" {
		t.Errorf("%d %+v", app.ExitCode(err), problem)
	}
}

// TestJSONErrorsAreSafeOnTerminal checks that an error as JSON keeps its texts, with escapes for the characters that act on a
// terminal and without escapes of HTML, and that one as text leaves them out.
func TestJSONErrorsAreSafeOnTerminal(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"PATCH /v1/spaces/s_x": "409 {\"error\":{\"code\":409,\"message\":\"a\u009b<b>\u202e&\",\"reason\":\"s\u0085\u2066\"}}",
	})
	got := s.Run("spaces update s_x --title t -o json")
	got.Want(t, app.ExitConflict, `"message":"a\u009b<b>\u202e&"`, `"reason":"s\u0085\u2066"`)
	got = s.Run("spaces update s_x --title t")
	got.Want(t, app.ExitConflict, "wsctl: a<b>&\n")
}

// TestFullStoreIsNotRetried checks that wsctl sends a write to a full store only once and does not report an unknown outcome,
// because only an operator can free memory.
func TestFullStoreIsNotRetried(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"PATCH /v1/spaces/s_x": `503 {"error":{"code":503,"message":"The data store is full; nothing was changed.","reason":"store_full","hint":"Make room."}}`,
	})
	got := s.Run("spaces update s_x --title t")
	got.Want(t, app.ExitUnavailable, "wsctl: The data store is full; nothing was changed.\n", "hint: Make room.\n")
	if strings.Contains(got.Stderr, "not known") || strings.Contains(got.Stderr, "again") {
		t.Errorf("it says %s", got.Stderr)
	}
}

// TestUnknownOutcomeReportsIdempotencyKey checks that the error of a write that may have been applied names the idempotency key
// with which the write can be repeated safely.
func TestUnknownOutcomeReportsIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"PATCH /v1/spaces/s_x": `503 {"error":{"code":503,"message":"It broke off.","reason":"outcome_unknown","hint":"Look."}}`,
		"PATCH /v1/spaces/s_y": `504 <html>`,
	})
	for path, message := range map[string]string{
		"s_x": "wsctl: It broke off.\n", "s_y": " answers 504 Gateway Timeout; whether the change was made is not known\n",
	} {
		got := s.Run("spaces update " + path + " --title t --max-retries 0 --idempotency-key k7")
		got.Want(t, app.ExitUnavailable, message, "hint: the same command with --idempotency-key k7 makes it once at most\n")
		got = s.Run("api PATCH /spaces/" + path + " -f title=t --max-retries 0 --idempotency-key k8")
		got.Want(t, app.ExitUnavailable, "--idempotency-key k8")
	}
}

// TestServersOtherThanWsd checks that the answer of a program that is not wsd is an error that names the address: never a success,
// never not found and never not allowed.
func TestServersOtherThanWsd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer, says string
		code         int
		hint         string
	}{
		"not found":       {"404 <html>", "answers, but it is not wsd (404, an HTML page)", app.ExitFailed, "choose another address"},
		"forbidden":       {"403 <html>", "answers, but it is not wsd (403, an HTML page)", app.ExitFailed, "choose another address"},
		"unauthorized":    {"401 ", "answers, but it is not wsd (401, an empty answer)", app.ExitFailed, "choose another address"},
		"conflict":        {"409 <html>", "answers, but it is not wsd (409, an HTML page)", app.ExitFailed, "choose another address"},
		"login page":      {"200 <html>", "answers, but it is not wsd (200, an HTML page)", app.ExitFailed, ""},
		"empty":           {"200 ", "answers, but it is not wsd (200, an empty answer)", app.ExitFailed, ""},
		"failure":         {"500 <html>", "answers, but it is not wsd (500, an HTML page)", app.ExitFailed, ""},
		"redirect":        {"302 ", "not wsd (302, a redirect to https://sso.example)", app.ExitFailed, "choose another address"},
		"proxy":           {"407 ", "a proxy on the way to", app.ExitFailed, "NO_PROXY"},
		"HTTP to TLS":     {"400 Client sent an HTTP request to an HTTPS server.", "(400, text/plain", app.ExitFailed, "--url https://127"},
		"gateway":         {"502 <html>", "answers 502 Bad Gateway", app.ExitUnavailable, ""},
		"gateway timeout": {"504 <html>", "answers 504 Gateway Timeout", app.ExitUnavailable, ""},
		"busy":            {"429 <html>", "answers 429 Too Many Requests", app.ExitUnavailable, "try again in 1h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := map[string]string{}
			for _, method := range []string{"GET", "PATCH", "DELETE"} {
				answers[method+" /v1/spaces/s_x"] = test.answer
			}
			s := newHarness(t, answers)
			s.Headers = map[string]string{"Location": "https://sso.example", "Retry-After": "3600"}
			for _, line := range []string{
				"spaces get s_x", "spaces update s_x --title t", "spaces delete s_x --yes", "api GET /spaces/s_x",
			} {
				got := s.Run(line + " --max-retries 0")
				got.Want(t, test.code, "wsctl: ", s.URL, test.says)
				if line == "spaces get s_x" {
					got.Want(t, test.code, test.hint)
				}
				if got.Stdout != "" || strings.Contains(got.Stderr, "/v1") || strings.Contains(got.Stderr, "Deleted") {
					t.Errorf("%s: %+v", line, got)
				}
			}
			if got := s.Run("spaces get s_x --max-retries 0 -o json"); strings.Count(got.Stderr, "\n") != 1 || got.Stdout != "" {
				t.Errorf("as JSON: %+v", got)
			}
		})
	}
}

// TestConnectionErrorsAreReported checks what is said of a server that has another certificate than expected, or none.
func TestConnectionErrorsAreReported(t *testing.T) {
	t.Parallel()
	untrusted := app.DescribeError(&client.CertificateError{URL: "https://x.example", Err: x509.UnknownAuthorityError{}})
	if untrusted.Reason != "certificate" || !strings.Contains(untrusted.Hint, "SSL_CERT_FILE") {
		t.Errorf("%+v", untrusted)
	}
	plain := app.DescribeError(&client.InvalidResponseError{URL: "https://x.example", Err: errors.New("without TLS")})
	if plain.Message != "https://x.example answers, but without TLS" || !strings.HasSuffix(plain.Hint, "--url http://x.example") {
		t.Errorf("%+v", plain)
	}
}
