package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrongSettings maps the variables to invalid values. All values of the others are valid.
var wrongSettings = map[string][]string{
	"WSD_ADDR":               {"8080", "127.0.0.1:99999", "127.0.0.1:no-such-service"},
	"WSD_PUBLIC_URL":         {"docs.example.com", "https://docs.example.com/base/"},
	"WSD_REDIS_URL":          {"http://redis", "redis://127.0.0.1/abc"},
	"WSD_REDIS_CA":           {"/nowhere/ca.pem"},
	"WSD_REDIS_CERT":         {"/nowhere/cert.pem"},
	"WSD_REDIS_KEY":          {"/nowhere/key.pem"},
	"WSD_SECRET":             {"short"},
	"WSD_ENCRYPTION_KEY":     {"abc"},
	"WSD_OLD_ENCRYPTION_KEY": {"abc"},
	"WSD_OLD_SECRET":         {"short"},
	"WSD_UPGRADE_AFTER":      {"soon", "-1h"},
	"WSD_AUDIT_ADDRESSES":    {"no", ""},
	"WSD_DOCS":               {"no", ""},
	"WSD_EVENTS_KEPT":        {"90", "0d,1000000", "90d,10"},
	"WSD_TOKEN_MAX_AGE":      {"90", "0d", "3651d", "24h", ""},
	"WSD_CORS_ORIGINS": {
		"*", "https://*.example.com", "app.example.com", "https://app.example.com/", "https://u:p@app.example.com", "null",
		"ftp://a.example",
		"https://app.example.com?q", "https://App.example.com", "https://app.example.com:443", "http://a.example,https://",
	},
	"WSD_SIGN_IN_MAX_AGE": {"12", "4m", "721h", ""},
	"WSD_METRICS_ADDR":    {"9090", "127.0.0.1:99999", "127.0.0.1:no-such-service"},
	"WSD_METRICS_TOKEN":   {"short", "a token with spaces in it"},
	"WSD_CREATE_ORGS":     {"everyone", ""},
	"WSD_DATA":            {""},
	"WSD_APPENDFSYNC":     {"never", ""},
	"WSD_FETCH_ALLOW":     {"everything"},
	"WSD_TRUSTED_PROXIES": {"nginx", "0.0.0.0/0"},
	"WSD_RATE_LIMIT":      {"many", "-1"},
	"WSD_PDF_FONT":        {"/nowhere/font.ttf"},
	"WSD_DRAIN_TIME":      {"5"},
	"WSD_SLOW":            {"1", "-1s"},
	"WSD_BUDGETS":         {"nothing=1", "models=10", "turn-wait=soon"},
	"WSD_LOG_LEVEL":       {"loud"},
	"WSD_STORE":           {"disk"},
}

// TestWrongSettingsAreRefusedAtOnce checks that each invalid setting is refused by its variable and flag before wsd waits for
// its Redis, which does not exist, and that all invalid settings are reported together.
func TestWrongSettingsAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	valid := map[string]string{
		"WSD_ADDR": "127.0.0.1:0", "WSD_REDIS_URL": "rediss://127.0.0.1:1", "WSD_SECRET": strings.Repeat("s", 32), "WSD_DATA": data,
	}
	serve := func(changes map[string]string) result {
		var environ []string
		for name := range (&config{}).variables() {
			value, changed := changes[name]
			if !changed {
				value, changed = valid[name], valid[name] != ""
			}
			if changed {
				environ = append(environ, name+"="+value)
			}
		}
		return runWSD(t, environ, "serve")
	}
	all := map[string]string{}
	for name := range (&config{}).variables() {
		if len(wrongSettings[name]) == 0 {
			t.Errorf("%s has no invalid value in this test", name)
		}
		for _, value := range wrongSettings[name] {
			all[name] = value
			got := serve(map[string]string{name: value})
			line := parseLogLine(t, got.stderr)
			flag, ok := flagNames[name]
			if got.code != exitError || !strings.Contains(line.Error, name) || ok && !strings.Contains(line.Error, "--"+flag+" ") {
				t.Errorf("%s=%q: %d %s", name, value, got.code, got.stderr)
			}
		}
	}
	line := parseLogLine(t, serve(map[string]string{"WSD_SLOW": "1", "WSD_LOG_LEVEL": "loud"}).stderr)
	if strings.Count(line.Error, "; --") != 1 {
		t.Errorf("two invalid settings: %s", line.Error)
	}
	delete(all, "WSD_REDIS_URL") // without it, the files for TLS are not read
	line = parseLogLine(t, serve(all).stderr)
	for name := range all {
		if !strings.Contains(line.Error, name) {
			t.Errorf("of all: %s is missing: %s", name, line.Error)
		}
	}
	if entries, err := os.ReadDir(data); err != nil || len(entries) > 0 {
		t.Errorf("data directory: %v %v", entries, err)
	}
}

// TestFlagsOfVariables checks that the table of flags is that of the command line.
func TestFlagsOfVariables(t *testing.T) {
	t.Parallel()
	help := runWSD(t, nil, "serve", "--help").stdout
	for name := range (&config{}).variables() {
		flag, ok := flagNames[name]
		if has := strings.Contains(help, "("+name+")"); has != ok || ok && !strings.Contains(help, "--"+flag+" ") {
			t.Errorf("%s has the flag %q in the table, in the help: %v", name, flag, has)
		}
	}
}

// TestAddressInUseCreatesNothing checks that a start that fails because its address is in use creates no secret.
func TestAddressInUseCreatesNothing(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	data := filepath.Join(t.TempDir(), "data")
	got := runWSD(t, []string{"WSD_STORE=memory", "WSD_DATA=" + data, "WSD_ADDR=" + listener.Addr().String()}, "serve")
	if got.code != exitError || !strings.Contains(got.stderr, "--addr (WSD_ADDR): ") || !strings.Contains(got.stderr, "in use") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data directory: %v", err)
	}
}

// TestCommandLineErrorsAreText checks that errors of the command line are text with a hint for all commands, although the log of
// a server is JSON.
func TestCommandLineErrorsAreText(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"sevre":                            "did you mean secret, serve? wsd --help lists its commands",
		"token create --wrong":             "wsd: token create: there is no flag --wrong\n  hint: wsd token create --help lists its flags",
		"token create --usr x":             "did you mean --user? wsd token create --help lists its flags",
		"token list -Z":                    "wsd: token list: there is no flag -Z",
		"token list -o xml":                "wsd: token list: --output: \"xml\" is not text or json",
		"demo -o xml":                      "wsd: demo: --output: \"xml\" is not text or json",
		"doctor -o xml":                    "wsd: doctor: --output: \"xml\" is not text or json",
		"token create":                     "wsd: token create: --user must be set",
		"token revoke":                     "wsd: token revoke: which tokens?",
		"user end":                         "wsd: user end: USER is missing\n  hint: usage: wsd user end USER",
		"serve now":                        "wsd: serve: \"now\" is one argument too many",
		"--adr :1":                         "did you mean --addr?",
		"serve --public-ulr x":             "did you mean --public-url?",
		"serve --addr":                     "wsd: serve: --addr needs a value",
		"doctor --nonsense":                "wsd doctor --help",
		"token creat":                      "did you mean create?",
		"serve --allow-loss=maybe":         "wsd: serve: --allow-loss must be true or false, not \"maybe\"",
		"user disable":                     "USER is missing",
		"user disable a b":                 "\"b\" is one argument too many",
		"org create Docs":                  "wsd: org create: --admin must be set",
		"secret replace --finish --leaked": "wsd: secret replace: --finish and --leaked exclude each other",
	} {
		got := runWSD(t, nil, strings.Fields(args)...)
		if got.code != exitUsage || !strings.HasPrefix(got.stderr, "wsd: ") || !strings.Contains(got.stderr, want) ||
			!strings.Contains(got.stderr, "hint: ") {
			t.Errorf("wsd %s: %+v", args, got)
		}
	}
	for args, want := range map[string]string{
		"token create --user u --role x":  "wsd: --role: \"x\" is not one of admin",
		"token create --user u --scope x": "wsd: --scope: \"x\" is not one of read, write, admin",
		"quota set --org o_1":             "wsd: nothing to change",
		"quota show":                      "wsd: whose? --org or --user",
	} {
		got := runWSD(t, []string{"WSD_STORE=memory"}, strings.Fields(args)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("wsd %s: %+v", args, got)
		}
	}
	if got := runWSD(t, []string{"WSD_REDIS_URI=x"}, "doctor"); !strings.Contains(got.stderr, "did you mean WSD_REDIS_URL?") {
		t.Errorf("a misspelled variable: %+v", got)
	}
}
