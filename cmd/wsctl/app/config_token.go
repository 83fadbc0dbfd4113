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

// Keyring is the secret store of the operating system.
type Keyring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
	Delete(service, user string) error
}

// keyringService is the name that wsctl uses in the keyring. keyringTimeout limits a keyring call, because on a machine
// without a desktop the call may never return.
const (
	keyringService = "wsctl"
	keyringTimeout = 3 * time.Second
)

// The stores of a token, as written in the configuration file.
const (
	keyringLocation = "keyring"
	fileLocation    = "file"
)

var errKeyringTimeout = fmt.Errorf("the keyring does not answer within %s", keyringTimeout)

// Token is a token and its origin.
type Token = Setting

// Token returns the token from the environment, or else the one stored for the profile. A stored token is used only
// with the server that it was stored for, so that a flag or variable cannot send it to another. If there is no token,
// it returns the zero Token and no error, because some operations need none.
func (s *Settings) Token() (Token, error) {
	if s.envToken != "" {
		return Token{s.envToken, "environment WSCTL_TOKEN"}, nil
	}
	profile := s.File.Profiles[s.Profile.Value]
	if profile.TokenStore == "" || origin(profile.URL) != origin(s.URL.Value) {
		return Token{}, nil
	}
	secret, err := s.tokens.load(profile.TokenStore, s.tokenAccount())
	if err != nil {
		return Token{}, fmt.Errorf("cannot read the token of profile %s from the %s: %w", s.Profile.Value, profile.TokenStore, err)
	}
	return Token{secret, "profile " + s.Profile.Value + ", in the " + profile.TokenStore}, nil
}

// HasEnvToken reports whether the environment has a token, which takes precedence over a stored one.
func (s *Settings) HasEnvToken() bool { return s.envToken != "" }

// Login stores a token for the profile and URL in use. It returns the store, keyring or file.
func (s *Settings) Login(token string) (string, error) {
	p := s.File.Profiles[s.Profile.Value]
	p.URL = s.URL.Value
	p.TokenStore = keyringLocation
	if err := s.tokens.save(keyringLocation, s.tokenAccount(), token); err != nil {
		p.TokenStore = fileLocation
		if err := s.tokens.save(fileLocation, s.tokenAccount(), token); err != nil {
			return "", err
		}
	}
	return p.TokenStore, s.putProfile(p)
}

// Logout removes the token of the profile and reports whether there was one.
func (s *Settings) Logout() (bool, error) {
	p := s.File.Profiles[s.Profile.Value]
	if p.TokenStore == "" {
		return false, nil
	}
	if err := s.tokens.remove(p.TokenStore, s.tokenAccount()); err != nil {
		return false, err
	}
	p.TokenStore = ""
	return true, s.putProfile(p)
}

// tokenAccount returns the key of the profile's token in its store.
func (s *Settings) tokenAccount() string { return s.Profile.Value }

// origin returns the scheme and host of a URL.
func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return u.Scheme + "://" + u.Host
}

// TokenStore keeps tokens in the keyring or in a file that only its owner may read.
type TokenStore struct {
	dir     string
	keyring Keyring
}

func (t *TokenStore) load(location, account string) (string, error) {
	if location == keyringLocation {
		return withTimeout(func() (string, error) { return t.keyring.Get(keyringService, account) })
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

func (t *TokenStore) save(location, account, token string) error {
	if location == keyringLocation {
		_, err := withTimeout(func() (string, error) { return "", t.keyring.Set(keyringService, account, token) })
		return err
	}
	tokens, err := t.read()
	if err != nil {
		return err
	}
	tokens[account] = token
	return t.write(tokens)
}

func (t *TokenStore) remove(location, account string) error {
	if location == keyringLocation {
		_, err := withTimeout(func() (string, error) { return "", t.keyring.Delete(keyringService, account) })
		return err
	}
	tokens, err := t.read()
	if err != nil {
		return err
	}
	delete(tokens, account)
	return t.write(tokens)
}

func (t *TokenStore) path() string { return filepath.Join(t.dir, "tokens.yaml") }

func (t *TokenStore) read() (map[string]string, error) {
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

func (t *TokenStore) write(tokens map[string]string) error {
	data, err := yaml.Marshal(tokens)
	if err != nil {
		return err
	}
	return writeFile(t.path(), data)
}

// withTimeout runs a keyring call and returns errKeyringTimeout after keyringTimeout. The call itself cannot be
// canceled.
func withTimeout(call func() (string, error)) (string, error) {
	type result struct {
		secret string
		err    error
	}
	results := make(chan result, 1)
	go func() {
		secret, err := call()
		results <- result{secret, err}
	}()
	timer := time.NewTimer(keyringTimeout)
	defer timer.Stop()
	select {
	case a := <-results:
		return a.secret, a.err
	case <-timer.C:
		return "", errKeyringTimeout
	}
}
