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

// secretVariable is the environment variable of the server's secret.
const secretVariable = "WSD_SECRET"

// shared are the secrets that a node which serves has in common with all others on the same data.
func (c *config) shared(secret []byte) ([]redis.Secret, error) {
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	return []redis.Secret{{Name: secretVariable, Value: secret}, {Name: auth.EncryptionKeyVariable, Value: key}}, nil
}

// key is the key that seals secrets; nil: there is none.
func (c *config) key() ([]byte, error) {
	if c.encryptionKey == "" {
		return nil, nil
	}
	key, err := auth.ParseEncryptionKey(c.encryptionKey)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	return key, nil
}

// known are the secrets that a command knows that does not serve. What it is not given it does not compare.
func (c *config) known() (known []redis.Secret, err error) {
	secret := []byte(c.secret)
	if c.secret == "" && c.redisURL == "" {
		secret, err = os.ReadFile(filepath.Join(c.data, secretFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("server secret: %w", err)
		}
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	for _, s := range []redis.Secret{{Name: secretVariable, Value: secret}, {Name: auth.EncryptionKeyVariable, Value: key}} {
		if len(s.Value) > 0 {
			known = append(known, s)
		}
	}
	return known, nil
}
