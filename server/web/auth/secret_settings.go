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

// OldEncryptionKeyVariable is the environment variable of the previous encryption key during its replacement.
const OldEncryptionKeyVariable = "WSD_OLD_ENCRYPTION_KEY"

// Files of a data directory.
const (
	secretFile    = "secret"
	newSecretFile = secretFile + ".new" // a generated secret until it replaces the secret of the data
)

// SecretSettings are the settings that determine the secrets of a node.
type SecretSettings struct {
	Secret           string // in SecretVariable; "" = the one in the secret file
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

// Key returns the encryption key, or nil if none is configured.
func (s SecretSettings) Key() ([]byte, error) {
	if s.EncryptionKey == "" {
		return nil, nil
	}
	key, err := ParseEncryptionKey(s.EncryptionKey)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	return key, nil
}

// Shared returns the secrets that all nodes on the same data must share, for a node with a server secret. The value of
// one that is not configured is empty.
func (s SecretSettings) Shared(secret []byte) ([]redis.Secret, error) {
	key, err := s.Key()
	if err != nil {
		return nil, err
	}
	return []redis.Secret{{Name: SecretVariable, Value: secret}, {Name: EncryptionKeyVariable, Value: key}}, nil
}

// Available returns the secrets that are configured or in the secret file. It creates nothing.
func (s SecretSettings) Available() (secrets []redis.Secret, err error) {
	secret := []byte(s.Secret)
	if s.Secret == "" && !s.External {
		secret, err = os.ReadFile(filepath.Join(s.Directory, secretFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("server secret: %w", err)
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

// WithNewSecret returns the settings with a generated secret, which it stores in the directory. It reuses one that an
// interrupted run left there. AdoptNewSecret makes it the secret of the directory.
func (s SecretSettings) WithNewSecret() (SecretSettings, error) {
	path := filepath.Join(s.Directory, newSecretFile)
	secret, err := os.ReadFile(path) //nolint:gosec // below the operator's data directory
	if errors.Is(err, fs.ErrNotExist) {
		secret = newSecret()
		err = os.WriteFile(path, secret, 0o600)
	}
	if err != nil {
		return s, fmt.Errorf("new secret: %w", err)
	}
	s.Secret = string(secret)
	return s, nil
}

// AdoptNewSecret replaces the secret file with the generated secret.
func (s SecretSettings) AdoptNewSecret() error {
	return os.Rename(filepath.Join(s.Directory, newSecretFile), filepath.Join(s.Directory, secretFile)) //nolint:wrapcheck // it names both
}
