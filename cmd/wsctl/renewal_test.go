package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// TestRenewal checks when a login is renewed, and that the renewed one is stored.
func TestRenewal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		past     time.Duration
		renewals int
	}{
		"new":               {0, 0},
		"more than minute":  {59*time.Minute - time.Second, 0},
		"a minute":          {59 * time.Minute, 1},
		"ended":             {time.Hour, 1},
		"ended long before": {1000 * time.Hour, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSignedInHarness(t)
			s.pass(test.past)
			for range 2 {
				s.Run("whoami").Want(t, app.ExitOK, "u_ada")
			}
			if n := s.Auth.Renewals(); n != test.renewals {
				t.Errorf("%d renewals, want %d", n, test.renewals)
			}
		})
	}
}

// TestRefusedAccessTokenIsRenewed checks that a login is renewed when the server refuses an access token that should be valid.
func TestRefusedAccessTokenIsRenewed(t *testing.T) {
	t.Parallel()
	s := newSignedInHarness(t)
	s.Auth.EndAccess()
	s.Run("whoami").Want(t, app.ExitOK, "u_ada")
	if n := s.Auth.Renewals(); n != 1 {
		t.Errorf("%d renewals", n)
	}
	s.Auth.Change(func(f *apptest.AuthServer) {
		f.Accept = func(w http.ResponseWriter, _ *http.Request, _ string) { // the account is disabled
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"code":401,"message":"The account is disabled.","reason":"unauthenticated"}}`)
		}
	})
	s.Run("whoami").Want(t, app.ExitDenied, "The account is disabled.")
	if n := s.Auth.Renewals(); n != 2 {
		t.Errorf("%d renewals", n)
	}
}

// TestEndedLogin checks the error of a login that has ended, which is kept until a new one replaces it.
func TestEndedLogin(t *testing.T) {
	t.Parallel()
	s := newSignedInHarness(t)
	stored := s.Keyring.Secrets["wsctl/default"]
	s.Auth.Revoke()
	for _, past := range []time.Duration{0, 2 * time.Hour} {
		s.pass(past)
		s.Run("whoami").Want(t, app.ExitDenied, "wsctl: the login of profile default has ended", "hint: wsctl login\n")
		s.Run("auth status -o json").Want(t, app.ExitDenied, "has ended", `"reason":"unauthenticated"`)
		s.Run("status").Want(t, app.ExitDenied, "token\tfailed\tthe login of profile default has ended")
	}
	if s.Keyring.Secrets["wsctl/default"] != stored {
		t.Error("the login was changed")
	}
	s.Terminal = true
	s.Run("login").Want(t, app.ExitOK)
	s.Run("whoami").Want(t, app.ExitOK, "u_ada")
}

// TestRenewalWithoutServer checks that an access token is used until its end if it cannot be renewed, and the error after that.
func TestRenewalWithoutServer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int // 0 if there is no answer
		want   string
		code   int
	}{
		"away":         {503, "could not be renewed: the server answers the login with 503 Service Unavailable", app.ExitUnavailable},
		"busy":         {429, "could not be renewed: the server answers the login with 429 Too Many Requests", app.ExitUnavailable},
		"other answer": {418, "could not be renewed: the server answers the login with 418", app.ExitFailed},
		"cut off":      {0, "the login of profile default could not be renewed: cannot reach ", app.ExitUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSignedInHarness(t)
			fail := failPath("/oauth/token", test.status)
			if test.status == 0 {
				fail = func(_ http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == "/oauth/token" {
						panic(http.ErrAbortHandler)
					}
					return false
				}
			}
			s.fail(fail)
			s.pass(59*time.Minute + 30*time.Second)
			s.Run("whoami --max-retries 0").Want(t, app.ExitOK, "u_ada")
			s.pass(time.Minute)
			s.Run("whoami --max-retries 0").Want(t, test.code, test.want)
			s.fail(nil)
			s.Run("whoami").Want(t, app.ExitOK, "u_ada")
		})
	}
}

// TestChangedCredential checks what a long command does when its profile signs out, takes a token, or signs in as somebody else.
func TestChangedCredential(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		act  func(s *loginHarness)
		want string // part of the error
	}{
		"signed out": {func(s *loginHarness) { s.Run("logout") }, "profile default is not signed in any more"},
		"other user": {
			func(s *loginHarness) {
				s.Keyring.Secrets["wsctl/default"] = strings.Replace(s.Keyring.Secrets["wsctl/default"], "wsd_ada_", "wsd_bob_", 1)
			}, "signed in as another user",
		},
		"renewed elsewhere": {func(s *loginHarness) { s.Run("whoami") }, ""},
		"new login":         {func(s *loginHarness) { s.Terminal = true; s.Run("login") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSignedInHarness(t)
			a := app.New(s.Environment(io.Discard, io.Discard))
			root := newRoot(a)
			if err := root.ParseFlags(nil); err != nil {
				t.Fatal(err)
			}
			c, err := a.Client(root)
			if err != nil {
				t.Fatal(err)
			}
			s.pass(2 * time.Hour)
			test.act(s)
			_, err = c.User.Get(t.Context(), api.NoInput{})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestConcurrentRenewals checks that requests of one run, and of many, renew a login once.
func TestConcurrentRenewals(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]bool{"keyring": false, "file": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLoginHarness(t)
			s.Keyring.Unavailable = broken
			s.Run("login").Want(t, app.ExitOK)
			s.Terminal = false
			s.pass(2 * time.Hour)
			var group sync.WaitGroup
			for range 16 {
				group.Go(func() {
					got := s.Run("whoami")
					if got.Code != app.ExitOK {
						t.Errorf("%+v", got)
					}
				})
			}
			group.Wait()
			if n := s.Auth.Renewals(); n != 1 || s.Auth.Logins() != 1 {
				t.Errorf("%d renewals, %d logins", n, s.Auth.Logins())
			}
		})
	}
}

// TestInterruptedRenewal checks that a renewal whose request was interrupted is finished and stored.
func TestInterruptedRenewal(t *testing.T) {
	t.Parallel()
	s := newSignedInHarness(t)
	before := s.Keyring.Secrets["wsctl/default"]
	s.pass(2 * time.Hour)
	ctx, interrupt := context.WithCancel(t.Context())
	s.fail(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/oauth/token" {
			interrupt()
		}
		return false
	})
	a := app.New(s.Environment(io.Discard, io.Discard))
	a.Args = []string{"whoami"}
	if code := a.Run(ctx, newRoot(a)); code != app.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if s.Keyring.Secrets["wsctl/default"] == before || s.Auth.Renewals() != 1 {
		t.Error("the renewed login is not stored")
	}
}

// TestKeyringThatFailsAtRenewal checks that a renewed login goes into the file if the keyring does not take it.
func TestKeyringThatFailsAtRenewal(t *testing.T) {
	t.Parallel()
	s := newSignedInHarness(t)
	s.pass(2 * time.Hour)
	s.Keyring.Full = true
	s.Run("whoami").Want(t, app.ExitOK, "u_ada")
	s.Run("auth status").Want(t, app.ExitOK, "in the file")
	checkFileModes(t, s.Dir)
}

// Variables of the processes that tests start.
const (
	programProbe = "WSCTL_TEST_PROGRAM" // runs wsctl
	killProbe    = "WSCTL_TEST_KILL"    // the step before which the process kills itself
)

// Steps of a renewal.
const (
	killBeforeRequest = "before the request"
	killBeforeStoring = "after the request"
	killAfterStoring  = "after storing"
)

// runProgram runs wsctl with the arguments of the process, without a keyring.
func runProgram() int {
	a := app.New(app.Environment{
		Args: os.Args[1:], Getenv: os.Getenv, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now,
		HTTP: &http.Client{Transport: roundTripper(roundTripOrDie)}, Keyring: &apptest.Keyring{Unavailable: true},
		AfterFunc: func(d time.Duration, f func()) client.Timer { return time.AfterFunc(d, f) },
	})
	return a.Run(context.Background(), newRoot(a))
}

// roundTripOrDie sends a request, and kills the process at the step of killProbe.
func roundTripOrDie(r *http.Request) (*http.Response, error) {
	step, isRenewal := os.Getenv(killProbe), r.URL.Path == "/oauth/token"
	if step == killBeforeRequest && isRenewal || step == killAfterStoring && !isRenewal {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // of this process
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if step == killBeforeStoring && isRenewal {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return answer, err
}

// newProcessHarness returns a Harness with a stored login whose access token ends within a minute, by the time of the system.
func newProcessHarness(t *testing.T) *loginHarness {
	t.Helper()
	s := newLoginHarness(t)
	s.Keyring.Unavailable = true
	s.Now, s.Auth.Now, s.Auth.Lifetime = time.Now, time.Now, 30*time.Second
	s.Run("login").Want(t, app.ExitOK)
	s.Auth.Change(func(f *apptest.AuthServer) { f.Lifetime = time.Hour })
	return s
}

// start starts wsctl whoami in a process of its own, which is killed at a step of its renewal.
func (h *loginHarness) start(t *testing.T, killed string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "whoami", "--jq", ".id")
	cmd.Env = []string{programProbe + "=1", killProbe + "=" + killed, "WSCTL_CONFIG_DIR=" + h.Dir, "HOME=" + h.Dir}
	cmd.Stdout, cmd.Stderr = &strings.Builder{}, &strings.Builder{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestProcessesRenewOnce checks that sixteen processes that find an ended access token at the same time renew the login once, and all
// succeed.
func TestProcessesRenewOnce(t *testing.T) {
	t.Parallel()
	s := newProcessHarness(t)
	var processes []*exec.Cmd
	for range 16 {
		processes = append(processes, s.start(t, ""))
	}
	for _, cmd := range processes {
		if err := cmd.Wait(); err != nil || fmt.Sprint(cmd.Stdout) != "u_ada\n" {
			t.Errorf("%v: %s %s", err, cmd.Stdout, cmd.Stderr)
		}
	}
	if n := s.Auth.Renewals(); n != 1 || s.Auth.Logins() != 1 {
		t.Errorf("%d renewals, %d logins", n, s.Auth.Logins())
	}
}

// TestKilledRenewal checks that a login works after a process was killed at any step of its renewal, and that others did not wait for
// its lock.
func TestKilledRenewal(t *testing.T) {
	t.Parallel()
	for _, step := range []string{killBeforeRequest, killBeforeStoring, killAfterStoring} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := newProcessHarness(t)
			stored := filepath.Join(s.Dir, "tokens.yaml")
			before, err := os.ReadFile(stored)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.start(t, step).Wait(); err == nil {
				t.Fatal("it was not killed")
			}
			after, err := os.ReadFile(stored)
			if isChanged := string(after) != string(before); err != nil || isChanged != (step == killAfterStoring) {
				t.Errorf("changed: %v %v", isChanged, err)
			}
			if want := map[bool]int{true: 0, false: 1}[step == killBeforeRequest]; s.Auth.Renewals() != want {
				t.Errorf("%d renewals", s.Auth.Renewals())
			}
			for range 2 {
				cmd := s.start(t, "")
				if err := cmd.Wait(); err != nil || fmt.Sprint(cmd.Stdout) != "u_ada\n" {
					t.Errorf("%v: %s %s", err, cmd.Stdout, cmd.Stderr)
				}
			}
			if n := s.Auth.Renewals(); n != 1 || s.Auth.Logins() != 1 {
				t.Errorf("%d renewals, %d logins", n, s.Auth.Logins())
			}
		})
	}
}

// TestScreenOfEndedLogin checks that the screen says how to sign in again when its login has ended, and that drafts are kept, in the
// same directory as those of the login before.
func TestScreenOfEndedLogin(t *testing.T) {
	t.Parallel()
	s := newSignedInHarness(t)
	s.Run("tui --linear").Want(t, app.ExitOK)
	before := draftDirs(t, s.Dir)
	s.pass(2 * time.Hour)
	s.Run("tui --linear").Want(t, app.ExitOK)
	if after := draftDirs(t, s.Dir); len(after) > 1 || len(before) > 1 {
		t.Errorf("drafts are in %v, then in %v", before, after)
	}
	s.Auth.Revoke()
	s.Run("tui --linear").Want(t, app.ExitOK, "You are not signed in any more", "wsctl login signs in again; drafts are kept")
}

func draftDirs(t *testing.T, dir string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(dir, "drafts", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}
