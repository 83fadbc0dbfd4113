package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Keyring is the secret store of the operating system.
type Keyring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
	Delete(service, user string) error // no error if there is none
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

// Token returns the token of Credential: for a login, its access token, which may have ended.
func (s *Settings) Token() (Token, error) {
	c, err := s.Credential()
	return Token{c.Token, c.Origin}, err
}

// CheckToken returns a token without the space around it, which editors and pipes add. It returns a usage error that names the
// source if the text cannot be a token.
func CheckToken(text, source string) (string, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if text == "" {
		return "", Usagef("the token from %s is empty", source)
	}
	if strings.HasPrefix(text, "{") {
		return "", Usagef("the token from %s is JSON, such as a login that wsctl has stored, and no token", source).WithHint("wsctl login")
	}
	if strings.HasPrefix(text, "wsi_") || strings.HasPrefix(text, "wsl_") {
		return "", Usagef("the token from %s is the secret of an invite", source).WithHint("wsctl join")
	}
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r':
			return "", Usagef("the token from %s has a line break in it; a token is one word", source)
		case r == ' ' || r == '\t':
			return "", Usagef("the token from %s has a space in it; a token is one word", source)
		case r < ' ' || r > '~':
			return "", Usagef("the token from %s has a character that no token has: %q", source, r)
		}
	}
	return text, nil
}

// HasEnvToken reports whether the environment has a token, which takes precedence over a stored one.
func (s *Settings) HasEnvToken() bool { return s.envToken != "" }

// HasStoredToken reports whether the profile has a token.
func (s *Settings) HasStoredToken() bool { return s.File.Profiles[s.Profile.Value].TokenStore != "" }

// Login stores a token for the profile and URL in use. The caller holds the lock. It returns the store, keyring or file. The other
// store keeps none.
func (s *Settings) Login(token string) (string, error) {
	if err := checkProfileName(s.Profile.Value); err != nil {
		return "", err
	}
	p := s.File.Profiles[s.Profile.Value]
	before := p.TokenStore
	p.URL, p.OnlyOrganization = s.URL.Value, ""
	p.TokenStore = keyringLocation
	if err := s.tokens.save(keyringLocation, s.tokenAccount(), token); err != nil {
		p.TokenStore = fileLocation
		if err := s.tokens.save(fileLocation, s.tokenAccount(), token); err != nil {
			return "", err
		}
	}
	if err := s.putProfile(p); err != nil {
		return "", errors.Join(err, s.tokens.remove(p.TokenStore, s.tokenAccount()))
	}
	if p.TokenStore == fileLocation && before == keyringLocation {
		if err := s.tokens.remove(keyringLocation, s.tokenAccount()); err != nil {
			return p.TokenStore, fmt.Errorf("the new token is in the file; the old one cannot be removed from the keyring: %w", err)
		}
	}
	return p.TokenStore, s.pruneTokens()
}

// Logout removes the token of the profile from both stores, wherever the profile says that it is, and reports whether there was
// one. The caller holds the lock.
func (s *Settings) Logout() (bool, error) {
	p := s.File.Profiles[s.Profile.Value]
	was, err := s.forgetToken(p)
	if err != nil || p.TokenStore == "" {
		return was, err
	}
	p.TokenStore, p.OnlyOrganization = "", ""
	return was, s.putProfile(p)
}

// forgetToken removes the token of the profile p from both stores and reports whether there was one. The file keeps no tokens
// that no profile names.
func (s *Settings) forgetToken(p Profile) (was bool, err error) {
	if err := s.tokens.remove(keyringLocation, s.tokenAccount()); err != nil && p.TokenStore == keyringLocation {
		return false, fmt.Errorf("cannot remove the token of profile %s from the keyring: %w", s.Profile.Value, err)
	}
	tokens, err := s.tokens.read()
	if err != nil {
		return false, err
	}
	_, inFile := tokens[s.tokenAccount()]
	if err := s.tokens.remove(fileLocation, s.tokenAccount()); err != nil {
		return false, err
	}
	return inFile || p.TokenStore != "", s.pruneTokens()
}

// pruneTokens removes the tokens from the file that no profile names, such as those of profiles that were taken out of the
// configuration by hand.
func (s *Settings) pruneTokens() error {
	tokens, err := s.tokens.read()
	if err != nil {
		return err
	}
	before := len(tokens)
	maps.DeleteFunc(tokens, func(account, _ string) bool { return s.File.Profiles[account].TokenStore != fileLocation })
	if len(tokens) == before {
		return nil
	}
	return s.tokens.write(tokens)
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
	if _, ok := tokens[account]; err != nil || !ok {
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

// write replaces the file, or removes it if there are no tokens.
func (t *TokenStore) write(tokens map[string]string) error {
	if len(tokens) == 0 {
		return os.Remove(t.path())
	}
	data, err := yaml.Marshal(tokens)
	if err != nil {
		return err
	}
	return WriteFile(t.path(), data)
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
