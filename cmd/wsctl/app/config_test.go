package app

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slowKeyring is an in-memory keyring that answers after a delay.
type slowKeyring struct {
	delay   time.Duration
	secrets map[string]string
}

func (k *slowKeyring) Get(_, user string) (string, error) {
	time.Sleep(k.delay)
	secret, ok := k.secrets[user]
	if !ok {
		return "", errors.New("secret not found")
	}
	return secret, nil
}

func (k *slowKeyring) Set(_, user, secret string) error {
	time.Sleep(k.delay)
	k.secrets[user] = secret
	return nil
}

func (k *slowKeyring) Delete(_, user string) error {
	delete(k.secrets, user)
	return nil
}

func load(t *testing.T, dir string, keyring Keyring, env map[string]string) *Settings {
	t.Helper()
	s, err := LoadSettings(Sources{Dir: dir, Getenv: func(name string) string { return env[name] }}, keyring)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTokenIsStoredInFileIfKeyringTimesOut checks that a keyring that does not answer delays only the first call, by three
// seconds, and that the token is then stored in the file.
func TestTokenIsStoredInFileIfKeyringTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, silent := t.TempDir(), &slowKeyring{delay: time.Hour, secrets: map[string]string{}}
		start := time.Now()
		location, err := load(t, dir, silent, nil).Login("wsd_1")
		if err != nil || location != fileLocation || time.Since(start) != keyringTimeout {
			t.Fatalf("stored in %q after %s: %v", location, time.Since(start), err)
		}
		start = time.Now()
		token, err := load(t, dir, silent, nil).Token()
		if err != nil || token.Value != "wsd_1" || time.Since(start) > 0 {
			t.Fatalf("read %q after %s: %v", token.Value, time.Since(start), err)
		}
		time.Sleep(2 * time.Hour) // let the abandoned keyring calls return
	})
}

func TestEnvironmentTokenSkipsKeyring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if _, err := load(t, dir, &slowKeyring{secrets: map[string]string{}}, nil).Login("wsd_1"); err != nil {
			t.Fatal(err)
		}
		silent := &slowKeyring{delay: time.Hour}
		token, err := load(t, dir, silent, map[string]string{"WSCTL_TOKEN": "wsd_env"}).Token()
		if err != nil || token.Value != "wsd_env" || token.Origin != "environment WSCTL_TOKEN" {
			t.Errorf("%+v %v", token, err)
		}
		_, err = load(t, dir, silent, nil).Token()
		if !errors.Is(err, errKeyringTimeout) || !strings.Contains(err.Error(), "profile default") {
			t.Errorf("a token that cannot be read: %v", err)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestTokensAreStoredPerProfile(t *testing.T) {
	t.Parallel()
	for _, keyring := range []Keyring{&slowKeyring{secrets: map[string]string{}}, nil} {
		dir := t.TempDir()
		for _, name := range []string{"one", "two"} {
			s, err := LoadSettings(Sources{
				Dir: dir, Getenv: func(string) string { return "" }, NewProfile: true,
				Flags: map[string]string{"profile": name, "url": "http://" + name + ".example"},
			}, keyringOrBroken(keyring))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Login("wsd_" + name); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"one", "two"} {
			s := load(t, dir, keyringOrBroken(keyring), map[string]string{"WSCTL_PROFILE": name})
			if token, err := s.Token(); err != nil || token.Value != "wsd_"+name {
				t.Errorf("%s has %q: %v", name, token.Value, err)
			}
		}
		data, err := os.ReadFile(ConfigPath(dir))
		if err != nil || strings.Contains(string(data), "wsd_") {
			t.Errorf("a token is in the configuration: %s %v", data, err)
		}
	}
}

func keyringOrBroken(k Keyring) Keyring {
	if k == nil {
		return brokenKeyring{}
	}
	return k
}

type brokenKeyring struct{}

func (brokenKeyring) Get(string, string) (string, error) { return "", errors.New("no keyring") }
func (brokenKeyring) Set(string, string, string) error   { return errors.New("no keyring") }
func (brokenKeyring) Delete(string, string) error        { return errors.New("no keyring") }

func TestConfigDir(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/a":               {"WSCTL_CONFIG_DIR": "/a", "XDG_CONFIG_HOME": "/b", "HOME": "/h"},
		"/b/wsctl":         {"XDG_CONFIG_HOME": "/b", "HOME": "/h"},
		"/h/.config/wsctl": {"HOME": "/h"},
	} {
		if got := ConfigDir(func(name string) string { return env[name] }); got != want {
			t.Errorf("%v: %s, want %s", env, got, want)
		}
	}
}

// TestNoTokenIsLeftBehind checks that neither store has a token that no profile names after a logout, a changed address and a
// login, wherever earlier versions left one.
func TestNoTokenIsLeftBehind(t *testing.T) {
	t.Parallel()
	const first, second = "http://one.example", "http://two.example"
	login := func(t *testing.T, dir, url, token string, keyring Keyring) *Settings {
		t.Helper()
		s := load(t, dir, keyring, map[string]string{"WSCTL_URL": url})
		if _, err := s.Login(token); err != nil {
			t.Fatal(err)
		}
		return load(t, dir, keyring, nil)
	}
	logout := func(t *testing.T, s *Settings) {
		t.Helper()
		if was, err := s.Logout(); err != nil || !was {
			t.Errorf("logged out: %v %v", was, err)
		}
	}
	for name, act := range map[string]func(t *testing.T, dir string, keyring *slowKeyring){
		"logout of the keyring": func(t *testing.T, dir string, keyring *slowKeyring) {
			logout(t, login(t, dir, first, "wsd_1", keyring))
		},
		"logout of the file": func(t *testing.T, dir string, _ *slowKeyring) {
			logout(t, login(t, dir, first, "wsd_1", brokenKeyring{}))
		},
		"another address": func(t *testing.T, dir string, keyring *slowKeyring) {
			if err := login(t, dir, first, "wsd_1", keyring).Set("url", second); err != nil {
				t.Error(err)
			}
		},
		"another address, token in the file": func(t *testing.T, dir string, _ *slowKeyring) {
			if err := login(t, dir, first, "wsd_1", brokenKeyring{}).Set("url", second); err != nil {
				t.Error(err)
			}
		},
		"a token that an earlier version left": func(t *testing.T, dir string, keyring *slowKeyring) {
			s := login(t, dir, first, "wsd_1", brokenKeyring{})
			p := s.File.Profiles[defaultProfile]
			p.TokenStore = ""
			if err := s.putProfile(p); err != nil {
				t.Fatal(err)
			}
			logout(t, load(t, dir, keyring, nil))
		},
		"a profile that is gone": func(t *testing.T, dir string, keyring *slowKeyring) {
			if err := (&TokenStore{dir: dir, keyring: keyring}).save(fileLocation, "gone", "wsd_2"); err != nil {
				t.Fatal(err)
			}
			logout(t, login(t, dir, first, "wsd_1", keyring))
		},
		"file, then keyring, then logout": func(t *testing.T, dir string, keyring *slowKeyring) {
			login(t, dir, first, "wsd_1", brokenKeyring{})
			s := login(t, dir, first, "wsd_2", keyring)
			if tokens, err := s.tokens.read(); err != nil || len(tokens) > 0 {
				t.Errorf("the file keeps %v %v", tokens, err)
			}
			logout(t, s)
		},
		"an invalid profile": func(t *testing.T, dir string, keyring *slowKeyring) {
			s := load(t, dir, keyring, nil)
			s.Profile.Value = "No Name"
			if _, err := s.Login("wsd_1"); err == nil {
				t.Error("a profile has any name")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, keyring := t.TempDir(), &slowKeyring{secrets: map[string]string{}}
			act(t, dir, keyring)
			if _, err := os.Stat((&TokenStore{dir: dir}).path()); !errors.Is(err, os.ErrNotExist) || len(keyring.secrets) > 0 {
				t.Errorf("left behind: %v %v", err, keyring.secrets)
			}
		})
	}
}

// TestTokenOfKeyringThatFailsIsKept checks that a profile goes on naming a token that the keyring does not remove.
func TestTokenOfKeyringThatFailsIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := load(t, dir, &slowKeyring{secrets: map[string]string{}}, map[string]string{"WSCTL_URL": "http://one.example"}).
		Login("wsd_1"); err != nil {
		t.Fatal(err)
	}
	if err := load(t, dir, brokenKeyring{}, nil).Set("url", "http://two.example"); err == nil {
		t.Error("the address changed although the token stays")
	}
	if _, err := load(t, dir, brokenKeyring{}, nil).Logout(); err == nil || !strings.Contains(err.Error(), "keyring") {
		t.Errorf("logged out although the token stays: %v", err)
	}
	if s := load(t, dir, brokenKeyring{}, nil); !s.HasStoredToken() || s.File.Profiles[defaultProfile].URL != "http://one.example" {
		t.Errorf("the profile is %+v", s.File.Profiles)
	}
	if _, err := load(t, dir, brokenKeyring{}, nil).Login("wsd_2"); err == nil {
		t.Error("a login hides that the keyring keeps the old token")
	}
}

func TestCheckToken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"wsd_1": "wsd_1", " wsd_1\r\n": "wsd_1", "\ufeffwsd_1\n": "wsd_1",
		"": "is empty", " \n": "is empty", "wsd_1\nwsd_2": "line break", "a\rb": "line break",
		"Bearer wsd_1": "has a space", "a\tb": "has a space",
		"wsd_\x00": `no token has: '\x00'`, "wsd_ä": `no token has: 'ä'`,
	} {
		got, err := CheckToken(text, "the source")
		if err != nil {
			got = err.Error()
		}
		isRefusal := strings.Contains(got, want) && strings.Contains(got, "the source") && ExitCode(err) == ExitUsage
		if err == nil && got != want || err != nil && !isRefusal {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestStoredTokenIsChecked checks that a token that was edited by hand is trimmed, and refused with its source if it cannot be one.
func TestStoredTokenIsChecked(t *testing.T) {
	t.Parallel()
	dir, keyring := t.TempDir(), &slowKeyring{secrets: map[string]string{}}
	if _, err := load(t, dir, keyring, nil).Login("wsd_1"); err != nil {
		t.Fatal(err)
	}
	keyring.secrets[defaultProfile] = "wsd_2\n"
	if token, err := load(t, dir, keyring, nil).Token(); err != nil || token.Value != "wsd_2" {
		t.Errorf("%q %v", token.Value, err)
	}
	keyring.secrets[defaultProfile] = "two words"
	if _, err := load(t, dir, keyring, nil).Token(); err == nil || !strings.Contains(err.Error(), "profile default, in the keyring") {
		t.Errorf("refused with %v", err)
	}
	if _, err := load(t, dir, keyring, map[string]string{"WSCTL_TOKEN": "a b"}).Token(); err == nil ||
		!strings.Contains(err.Error(), "environment WSCTL_TOKEN") {
		t.Errorf("refused with %v", err)
	}
}
