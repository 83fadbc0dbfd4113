package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/redis"
)

// secretVariable is the environment variable of the server secret.
const secretVariable = "WSD_SECRET"

// sharedSecrets returns the secrets that all nodes on the same data must share.
func (c *config) sharedSecrets(secret []byte) ([]redis.Secret, error) {
	key, err := c.parseEncryptionKey()
	if err != nil {
		return nil, err
	}
	return []redis.Secret{{Name: secretVariable, Value: secret}, {Name: auth.EncryptionKeyVariable, Value: key}}, nil
}

// parseEncryptionKey returns the key that seals secrets, or nil if none is configured.
func (c *config) parseEncryptionKey() ([]byte, error) {
	if c.encryptionKey == "" {
		return nil, nil
	}
	key, err := auth.ParseEncryptionKey(c.encryptionKey)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	return key, nil
}

// availableSecrets returns the secrets that are configured for a command other than serve. Missing ones are not
// compared with the data.
func (c *config) availableSecrets() (secrets []redis.Secret, err error) {
	secret := []byte(c.secret)
	if c.secret == "" && c.redisURL == "" {
		secret, err = os.ReadFile(filepath.Join(c.data, secretFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("server secret: %w", err)
		}
	}
	key, err := c.parseEncryptionKey()
	if err != nil {
		return nil, err
	}
	for _, s := range []redis.Secret{{Name: secretVariable, Value: secret}, {Name: auth.EncryptionKeyVariable, Value: key}} {
		if len(s.Value) > 0 {
			secrets = append(secrets, s)
		}
	}
	return secrets, nil
}
