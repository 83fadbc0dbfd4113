package auth

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"docspace.dev/wsd/store/redis"
)

// SecretVariable is the environment variable of the server secret.
const SecretVariable = "WSD_SECRET"

// Environment variables of the previous secrets during their replacement.
const (
	OldSecretVariable        = "WSD_OLD_SECRET"
	OldEncryptionKeyVariable = "WSD_OLD_ENCRYPTION_KEY"
)

// oldVariables maps the variables of secrets to those of their previous values.
var oldVariables = map[string]string{SecretVariable: OldSecretVariable, EncryptionKeyVariable: OldEncryptionKeyVariable}

// Files of a data directory.
const (
	secretFile    = "secret"
	newSecretFile = secretFile + ".new" // a generated secret until it replaces the secret of the data
	oldSecretFile = secretFile + ".old" // the replaced secret until the replacement is finished
)

// SecretSettings are the settings that determine the secrets of a node.
type SecretSettings struct {
	Secret           string // in SecretVariable; "" = the one in the secret file
	OldSecret        string // in OldSecretVariable; "" = the one in the file of the old secret, if there is one
	EncryptionKey    string // in EncryptionKeyVariable; "" = none
	OldEncryptionKey string // in OldEncryptionKeyVariable; "" = not known
	Directory        string // data directory with the secret file
	External         bool   // the data is in an external Redis, which several nodes may share: there is no secret file
}

// EnsureSecret returns the server secret: the configured one, or that of the secret file, which it creates if there is
// none. With an external Redis it returns an error if no secret is configured.
func (s SecretSettings) EnsureSecret() ([]byte, error) {
	if s.Secret != "" {
		return []byte(s.Secret), nil
	}
	if s.External {
		return nil, fmt.Errorf("%s is needed with WSD_REDIS_URL: at least %d characters, the same on every node", SecretVariable, MinSecret)
	}
	if err := os.MkdirAll(s.Directory, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	dir, err := os.OpenRoot(s.Directory)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	secret, err := dir.ReadFile(secretFile)
	if errors.Is(err, fs.ErrNotExist) {
		secret = newSecret()
		err = dir.WriteFile(secretFile, secret, 0o600)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return nil, fmt.Errorf("server secret: %w", err)
	}
	return secret, nil
}

// newSecret returns a random server secret.
func newSecret() []byte { return []byte(rand.Text() + rand.Text()) }

// parseKey parses an encryption key of a variable. It returns nil if none is configured.
func parseKey(variable, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	key, err := ParseEncryptionKey(text)
	if err != nil {
		return nil, fmt.Errorf("environment: %s: %w", variable, err)
	}
	return key, nil
}

// Shared returns the secrets that all nodes on the same data must share, for a node with a server secret. The value of
// one that is not configured is empty.
func (s SecretSettings) Shared(secret []byte) ([]redis.Secret, error) {
	key, err := parseKey(EncryptionKeyVariable, s.EncryptionKey)
	if err != nil {
		return nil, err
	}
	oldKey, err := parseKey(OldEncryptionKeyVariable, s.OldEncryptionKey)
	if err != nil {
		return nil, err
	}
	oldSecret := []byte(s.OldSecret)
	if s.OldSecret == "" && s.Secret == "" {
		if oldSecret, err = s.readFile(oldSecretFile); err != nil {
			return nil, err
		}
	}
	return []redis.Secret{
		{Name: SecretVariable, Value: secret, Old: oldSecret}, {Name: EncryptionKeyVariable, Value: key, Old: oldKey},
	}, nil
}

// readFile reads a secret of the data directory. It returns nil if there is none or the data is in an external Redis.
func (s SecretSettings) readFile(name string) ([]byte, error) {
	if s.External {
		return nil, nil
	}
	secret, err := os.ReadFile(filepath.Join(s.Directory, name)) //nolint:gosec // below the operator's data directory
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("server secret: %w", err)
	}
	return secret, nil
}

// Available returns the secrets that are configured or in the secret file. It creates nothing.
func (s SecretSettings) Available() (secrets []redis.Secret, err error) {
	secret := []byte(s.Secret)
	if s.Secret == "" {
		if secret, err = s.readFile(secretFile); err != nil {
			return nil, err
		}
	}
	shared, err := s.Shared(secret)
	if err != nil {
		return nil, err
	}
	for _, one := range shared {
		if len(one.Value) > 0 {
			secrets = append(secrets, one)
		}
	}
	return secrets, nil
}

// WithNewSecret returns the settings with a generated secret in place of that of the directory, which becomes the old one. It
// stores the new one in the directory, and reuses one that an interrupted run left there. AdoptNewSecret makes it the secret
// of the directory.
func (s SecretSettings) WithNewSecret() (SecretSettings, error) {
	old, err := s.readFile(secretFile)
	if err != nil {
		return s, err
	}
	secret, err := s.readFile(newSecretFile)
	if err == nil && secret == nil {
		secret = newSecret()
		err = os.WriteFile(filepath.Join(s.Directory, newSecretFile), secret, 0o600)
	}
	if err != nil {
		return s, fmt.Errorf("new secret: %w", err)
	}
	s.Secret, s.OldSecret = string(secret), string(old)
	return s, nil
}

// AdoptNewSecret replaces the secret file with the generated secret and keeps the previous one as the old secret.
func (s SecretSettings) AdoptNewSecret() error {
	if s.OldSecret != "" {
		if err := os.WriteFile(filepath.Join(s.Directory, oldSecretFile), []byte(s.OldSecret), 0o600); err != nil {
			return fmt.Errorf("old secret: %w", err)
		}
	}
	return os.Rename(filepath.Join(s.Directory, newSecretFile), filepath.Join(s.Directory, secretFile)) //nolint:wrapcheck // it names both
}

// RemoveOldSecret removes the file of the old secret, if there is one.
func (s SecretSettings) RemoveOldSecret() error {
	if s.External {
		return nil
	}
	if err := os.Remove(filepath.Join(s.Directory, oldSecretFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("old secret: %w", err)
	}
	return nil
}
