package server_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestDiagnosisListsQuotasAndTokens checks that a diagnosis has the organizations near their quota and the tokens that
// never expire.
func TestDiagnosisListsQuotasAndTokens(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		d, err := server.Diagnose(t.Context(), w.Store, auth.SecretSettings{External: true}, 0)
		w.Must(err)
		if d.Store == "" || len(d.Checks) == 0 || d.Code != d.Checks.Code() || d.NearQuota == nil || len(d.NearQuota) > 0 {
			t.Errorf("%+v", d)
		}
		if d.RootTokens == nil || d.RootTokens.Count != len(w.Tokens) || len(d.RootTokens.Oldest) != d.RootTokens.Count ||
			d.RootTokens.Admin == 0 || d.RootTokens.Admin >= d.RootTokens.Count {
			t.Errorf("%d tokens, found %+v", len(w.Tokens), d.RootTokens)
		}
		bounded, err := server.Diagnose(t.Context(), w.Store, auth.SecretSettings{External: true}, time.Hour)
		w.Must(err)
		if bounded.RootTokens != nil {
			t.Errorf("with a maximum age: %+v", bounded.RootTokens)
		}
		servertest.SetQuota(w, w.Org, map[string]*int64{"records": new(int64(1))})
		d, err = server.Diagnose(t.Context(), w.Store, auth.SecretSettings{External: true}, 0)
		w.Must(err)
		if len(d.NearQuota) == 0 || !strings.HasPrefix(d.NearQuota[0], w.Org+" records ") {
			t.Errorf("near their quota: %q", d.NearQuota)
		}
	})
}

// TestDiagnosisOfWrongSecrets checks that a diagnosis with other secrets than those of the data advises to set them, and not to
// replace what they open.
func TestDiagnosisOfWrongSecrets(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		data := redis.Secret{Name: auth.SecretVariable, Value: []byte(strings.Repeat("secret ", 8))}
		w.Must(w.Store.ReplaceFingerprints(t.Context(), []redis.Secret{data}, false))
		for secret, want := range map[string]string{
			string(data.Value): "", strings.Repeat("another ", 8): "set the secrets of the other nodes",
		} {
			d, err := server.Diagnose(t.Context(), w.Store, auth.SecretSettings{Secret: secret, External: true}, 0)
			w.Must(err)
			i := slices.IndexFunc(d.Checks, func(c redis.Check) bool { return c.Name == "sealed" })
			servertest.Equal(t, "hint", want, d.Checks[i].Hint)
		}
	})
}

// TestDiagnosisNamesNodesWithoutSecrets checks that a diagnosis names the serving nodes whose secrets are not those of the data.
func TestDiagnosisNamesNodesWithoutSecrets(t *testing.T) {
	t.Parallel()
	first := redis.Secret{Name: auth.SecretVariable, Value: []byte(strings.Repeat("first ", 8))}
	second := redis.Secret{Name: auth.SecretVariable, Value: []byte(strings.Repeat("second ", 8))}
	for _, c := range []struct {
		held []redis.Secret
		want string
	}{
		{[]redis.Secret{first}, "all 1 serving nodes have"},
		{[]redis.Secret{second}, "node host-1 has another WSD_SECRET than the data"},
		{nil, "all 0 serving nodes have"}, // as builds that do not register secrets
	} {
		w := servertest.NewWorld(t, storetest.Memory(), func(config *store.Config) {
			config.Secrets, config.NodeLabel = c.held, "host 1"
		})
		w.Must(w.Store.ReplaceFingerprints(t.Context(), []redis.Secret{first}, false))
		w.Must(w.Store.Join(t.Context()))
		d, err := server.Diagnose(t.Context(), w.Store, auth.SecretSettings{Secret: string(first.Value), External: true}, 0)
		w.Must(err)
		i := slices.IndexFunc(d.Checks, func(c redis.Check) bool { return c.Name == "node-secrets" })
		if got := d.Checks[i]; !strings.HasPrefix(got.Message, c.want) || (got.Hint == "") != (got.Verdict == redis.VerdictOK) {
			t.Errorf("%+v, want %q", got, c.want)
		}
		w.Must(w.Store.Leave(t.Context()))
	}
}

func TestDiagnosisLines(t *testing.T) {
	t.Parallel()
	d := server.Diagnosis{
		Checks: redis.Health{
			{Name: "disk", Verdict: redis.VerdictWarn, Message: "is nearly full", Hint: "free some"},
			{Name: "write", Verdict: redis.VerdictOK, Message: "works"},
		},
		NearQuota:  []string{"o_1 records 9 of 10"},
		RootTokens: &server.RootTokens{Count: 320, Admin: 301, FromInvites: 300},
	}
	var got []string
	for _, line := range d.Lines() {
		got = append(got, string(line.Verdict)+"|"+line.Name+"|"+line.Message)
	}
	want := []string{
		"warn|disk|is nearly full", "||free some", "ok|write|works", "info|quota|o_1 records 9 of 10",
		"info|tokens|301 of people with the scope admin never end, 300 of them are of accepted invites; so do 19 with other scopes",
		"||list them: wsd token list --never-ends --scope admin; end those that nobody uses: wsd token revoke TOKEN; " +
			"end all of them by their age: WSD_TOKEN_MAX_AGE",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	d = server.Diagnosis{RootTokens: &server.RootTokens{Count: 2}}
	if lines := d.Lines(); len(lines) != 2 || lines[0].Message != "2 of people never end, none with the scope admin" {
		t.Errorf("%q", lines)
	}
}

func TestDiagnoseOpenError(t *testing.T) {
	t.Parallel()
	d := server.DiagnoseOpenError(errors.New("connection refused"))
	if d.Verdict != redis.VerdictRefuse || d.Code != 2 || d.Checks.Problem() != "wsd cannot write, or must not start: connection" {
		t.Errorf("%+v", d)
	}
}
