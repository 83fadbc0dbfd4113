package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// Credential authorizes the requests of a profile. It is a token, or a login, whose access tokens end and are renewed.
type Credential struct {
	Token  string       // the token, or the access token of the login; "" if there is none
	Origin string       // of the token, for messages
	Login  *oauth.Login // nil for a token
}

// Credential returns the token from the environment, or else what is stored for the profile. What is stored is used only with the
// server that it was stored for, so that a flag or variable cannot send it to another. If there is none, it returns the zero
// Credential and no error, because some operations need none. The access token of a login may have ended.
func (s *Settings) Credential() (Credential, error) {
	if s.envToken != "" {
		const source = "environment WSCTL_TOKEN"
		secret, err := CheckToken(s.envToken, source)
		return Credential{Token: secret, Origin: source}, err
	}
	if origin(s.File.Profiles[s.Profile.Value].URL) != origin(s.URL.Value) {
		return Credential{}, nil
	}
	return s.StoredCredential()
}

// StoredCredential returns what is stored for the profile, whatever the environment and the address say.
func (s *Settings) StoredCredential() (Credential, error) {
	location := s.File.Profiles[s.Profile.Value].TokenStore
	if location == "" {
		return Credential{}, nil
	}
	source := "profile " + s.Profile.Value + ", in the " + location
	text, err := s.tokens.load(location, s.tokenAccount())
	if err != nil {
		return Credential{Origin: source}, &storeError{"cannot read the token of profile " + s.Profile.Value + " from the " + location, err}
	}
	return decodeCredential(text, source)
}

// storeError reports that a credential cannot be read or stored.
type storeError struct {
	message string
	cause   error
}

func (e *storeError) Error() string { return e.message + ": " + e.cause.Error() }

func (e *storeError) Unwrap() error { return e.cause }

// loginMark begins the stored text of a login. The text has line breaks, so builds that know tokens only refuse it: they would send
// it otherwise.
const loginMark = "{\n"

// encodeLogin returns the text that is stored for a login.
func encodeLogin(l oauth.Login) string {
	data, _ := json.MarshalIndent(l, "", "  ") //nolint:gosec // it is stored like a token; texts and a time always encode
	return string(data)
}

// decodeCredential returns the credential of a stored text.
func decodeCredential(text, source string) (Credential, error) {
	if !strings.HasPrefix(text, loginMark) {
		secret, err := CheckToken(text, source)
		return Credential{Token: secret, Origin: source}, err
	}
	var l oauth.Login
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.AccessToken == "" || l.RefreshToken == "" {
		return Credential{Origin: source}, Usagef("the login from %s is damaged", source).WithHint("wsctl login")
	}
	secret, err := CheckToken(l.AccessToken, source)
	return Credential{Token: secret, Origin: source, Login: &l}, err
}

// Lock waits until no other process of the user writes credentials, and reads the configuration again. Whoever stores, renews or
// removes a credential holds it. It returns the error of ctx if that ends first.
func (s *Settings) Lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return nil, err
	}
	type result struct {
		file *lockedfile.File
		err  error
	}
	results := make(chan result)
	go func() {
		file, err := lockedfile.OpenFile(filepath.Join(filepath.Dir(s.Path), "login.lock"), os.O_RDWR|os.O_CREATE, 0o600)
		select {
		case results <- result{file, err}:
		case <-ctx.Done():
			if err == nil {
				_ = file.Close() // only locked
			}
		}
	}()
	select {
	case r := <-results:
		if r.err != nil {
			return nil, &storeError{"cannot lock the credentials", r.err}
		}
		unlock = func() { _ = r.file.Close() } // only locked
		if _, err := s.read(); err != nil {
			unlock()
			return nil, err
		}
		return unlock, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// StoreToken is Login under the lock of the credentials.
func (s *Settings) StoreToken(ctx context.Context, token string) (location string, err error) {
	unlock, err := s.Lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	return s.Login(token)
}

// LoginWith is like Login for a login.
func (s *Settings) LoginWith(l oauth.Login) (string, error) { return s.Login(encodeLogin(l)) }

// keepRenewed replaces the stored login by its successor, in the file if the keyring does not take it.
func (s *Settings) keepRenewed(l oauth.Login) error {
	p := s.File.Profiles[s.Profile.Value]
	err := s.tokens.save(p.TokenStore, s.tokenAccount(), encodeLogin(l))
	if err == nil || p.TokenStore == fileLocation {
		return err
	}
	if errFile := s.tokens.save(fileLocation, s.tokenAccount(), encodeLogin(l)); errFile != nil {
		return errors.Join(err, errFile)
	}
	p.TokenStore = fileLocation
	return s.putProfile(p)
}

// SplitToken returns the user and the token id in a token, wsd_<user>_<token id>_<secret>, without their prefixes. ok is false if the
// token has another form.
func SplitToken(token string) (user, id string, ok bool) {
	parts := strings.Split(token, "_")
	if len(parts) != 4 {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// userOf returns the user of a token, or the token itself if it has another form than SplitToken expects.
func userOf(token string) string {
	if user, _, ok := SplitToken(token); ok {
		return user
	}
	return token
}
