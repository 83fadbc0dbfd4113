package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"
)

// Keyring is the system's store of secrets.
type Keyring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
	Delete(service, user string) error
}

// service is what wsctl calls itself in the keyring; patience is how long it waits for one, because a machine
// without a desktop may never answer.
const (
	service  = "wsctl"
	patience = 3 * time.Second
)

// The places where a token may be.
const (
	inKeyring = "keyring"
	inFile    = "file"
)

var errKeyringSilent = fmt.Errorf("the keyring does not answer within %s", patience)

// Token is a token and where it comes from.
type Token = Setting

// Token returns the token to use: that of the environment, else the one stored for the profile. A stored token
// belongs to the server it was stored for: with another URL there is none, so that no flag or variable can send
// it elsewhere. The zero Token is not an error: some operations need none.
func (s *Settings) Token() (Token, error) {
	if s.env != "" {
		return Token{s.env, "environment WSCTL_TOKEN"}, nil
	}
	profile := s.File.Profiles[s.Profile.Text]
	if profile.TokenStore == "" || origin(profile.URL) != origin(s.URL.Text) {
		return Token{}, nil
	}
	secret, err := s.store.get(profile.TokenStore, s.account())
	if err != nil {
		return Token{}, fmt.Errorf("cannot read the token of profile %s from the %s: %w", s.Profile.Text, profile.TokenStore, err)
	}
	return Token{secret, "profile " + s.Profile.Text + ", in the " + profile.TokenStore}, nil
}

// EnvToken reports whether the environment has a token, which wins over a stored one.
func (s *Settings) EnvToken() bool { return s.env != "" }

// Login stores a token for the profile and the URL in use, and returns where.
func (s *Settings) Login(token string) (string, error) {
	p := s.File.Profiles[s.Profile.Text]
	p.URL = s.URL.Text
	p.TokenStore = inKeyring
	if err := s.store.set(inKeyring, s.account(), token); err != nil {
		p.TokenStore = inFile
		if err := s.store.set(inFile, s.account(), token); err != nil {
			return "", err
		}
	}
	return p.TokenStore, s.put(p)
}

// Logout forgets the token of the profile, and reports whether there was one.
func (s *Settings) Logout() (bool, error) {
	p := s.File.Profiles[s.Profile.Text]
	if p.TokenStore == "" {
		return false, nil
	}
	if err := s.store.remove(p.TokenStore, s.account()); err != nil {
		return false, err
	}
	p.TokenStore = ""
	return true, s.put(p)
}

// account is the name of the profile's token in its store.
func (s *Settings) account() string { return s.Profile.Text }

// origin is the part of a URL that says who is spoken to.
func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return u.Scheme + "://" + u.Host
}

// Store keeps tokens in the keyring, or in a file that only its owner may read.
type Store struct {
	dir     string
	keyring Keyring
}

func (t *Store) get(place, account string) (string, error) {
	if place == inKeyring {
		return within(func() (string, error) { return t.keyring.Get(service, account) })
	}
	tokens, err := t.read()
	if err != nil {
		return "", err
	}
	token, ok := tokens[account]
	if !ok {
		return "", errors.New("it is not there")
	}
	return token, nil
}

func (t *Store) set(place, account, token string) error {
	if place == inKeyring {
		_, err := within(func() (string, error) { return "", t.keyring.Set(service, account, token) })
		return err
	}
	tokens, err := t.read()
	if err != nil {
		return err
	}
	tokens[account] = token
	return t.write(tokens)
}

func (t *Store) remove(place, account string) error {
	if place == inKeyring {
		_, err := within(func() (string, error) { return "", t.keyring.Delete(service, account) })
		return err
	}
	tokens, err := t.read()
	if err != nil {
		return err
	}
	delete(tokens, account)
	return t.write(tokens)
}

func (t *Store) path() string { return filepath.Join(t.dir, "tokens.yaml") }

func (t *Store) read() (map[string]string, error) {
	tokens := map[string]string{}
	data, err := os.ReadFile(t.path())
	if errors.Is(err, fs.ErrNotExist) {
		return tokens, nil
	}
	if err != nil {
		return nil, err
	}
	return tokens, yaml.Unmarshal(data, &tokens)
}

func (t *Store) write(tokens map[string]string) error {
	data, err := yaml.Marshal(tokens)
	if err != nil {
		return err
	}
	return writeFile(t.path(), data)
}

// within asks the keyring and gives up after a while; the question itself cannot be taken back.
func within(ask func() (string, error)) (string, error) {
	type answer struct {
		secret string
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		secret, err := ask()
		answers <- answer{secret, err}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a := <-answers:
		return a.secret, a.err
	case <-timer.C:
		return "", errKeyringSilent
	}
}
