package app

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ring is a keyring that takes its time.
type ring struct {
	delay   time.Duration
	secrets map[string]string
}

func (r *ring) Get(_, user string) (string, error) {
	time.Sleep(r.delay)
	secret, ok := r.secrets[user]
	if !ok {
		return "", errors.New("secret not found")
	}
	return secret, nil
}

func (r *ring) Set(_, user, secret string) error {
	time.Sleep(r.delay)
	r.secrets[user] = secret
	return nil
}

func (r *ring) Delete(_, user string) error {
	delete(r.secrets, user)
	return nil
}

func load(t *testing.T, dir string, keyring Keyring, env map[string]string) *Settings {
	t.Helper()
	s, err := Load(Sources{Dir: dir, Env: func(name string) string { return env[name] }}, keyring)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A keyring that never answers costs three seconds once: the token goes into the file, and stays there.
func TestASilentKeyring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, silent := t.TempDir(), &ring{delay: time.Hour, secrets: map[string]string{}}
		start := time.Now()
		place, err := load(t, dir, silent, nil).Login("wsd_1")
		if err != nil || place != inFile || time.Since(start) != patience {
			t.Fatalf("stored in %q after %s: %v", place, time.Since(start), err)
		}
		start = time.Now()
		token, err := load(t, dir, silent, nil).Token()
		if err != nil || token.Text != "wsd_1" || time.Since(start) > 0 {
			t.Fatalf("read %q after %s: %v", token.Text, time.Since(start), err)
		}
		time.Sleep(2 * time.Hour) // the questions that nobody waits for come to their end
	})
}

func TestTheEnvironmentSkipsTheKeyring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if _, err := load(t, dir, &ring{secrets: map[string]string{}}, nil).Login("wsd_1"); err != nil {
			t.Fatal(err)
		}
		silent := &ring{delay: time.Hour}
		token, err := load(t, dir, silent, map[string]string{"WSCTL_TOKEN": "wsd_env"}).Token()
		if err != nil || token.Text != "wsd_env" || token.Origin != "environment WSCTL_TOKEN" {
			t.Errorf("%+v %v", token, err)
		}
		_, err = load(t, dir, silent, nil).Token()
		if !errors.Is(err, errKeyringSilent) || !strings.Contains(err.Error(), "profile default") {
			t.Errorf("a token that cannot be read: %v", err)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestProfilesKeepTheirTokensApart(t *testing.T) {
	t.Parallel()
	for _, keyring := range []Keyring{&ring{secrets: map[string]string{}}, nil} {
		dir := t.TempDir()
		for _, name := range []string{"one", "two"} {
			s, err := Load(Sources{
				Dir: dir, Env: func(string) string { return "" }, NewProfile: true,
				Flags: map[string]string{"profile": name, "url": "http://" + name + ".example"},
			}, orBroken(keyring))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Login("wsd_" + name); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"one", "two"} {
			s := load(t, dir, orBroken(keyring), map[string]string{"WSCTL_PROFILE": name})
			if token, err := s.Token(); err != nil || token.Text != "wsd_"+name {
				t.Errorf("%s has %q: %v", name, token.Text, err)
			}
		}
		data, err := os.ReadFile(Path(dir))
		if err != nil || strings.Contains(string(data), "wsd_") {
			t.Errorf("a token is in the configuration: %s %v", data, err)
		}
	}
}

func orBroken(k Keyring) Keyring {
	if k == nil {
		return broken{}
	}
	return k
}

type broken struct{}

func (broken) Get(string, string) (string, error) { return "", errors.New("no keyring") }
func (broken) Set(string, string, string) error   { return errors.New("no keyring") }
func (broken) Delete(string, string) error        { return errors.New("no keyring") }

func TestDir(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/a":               {"WSCTL_CONFIG_DIR": "/a", "XDG_CONFIG_HOME": "/b", "HOME": "/h"},
		"/b/wsctl":         {"XDG_CONFIG_HOME": "/b", "HOME": "/h"},
		"/h/.config/wsctl": {"HOME": "/h"},
	} {
		if got := Dir(func(name string) string { return env[name] }); got != want {
			t.Errorf("%v: %s, want %s", env, got, want)
		}
	}
}
