package redis

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Secret is a secret that all nodes on the same data share.
type Secret struct {
	Name  string
	Value []byte // empty = not configured on this node
}

// SecretsKey returns the key of the HASH of the fingerprints of the secrets that the data was written with.
func SecretsKey() Key { return NamedKey(HashKind, "secrets") }

// Fingerprint returns a hash that identifies the secret without revealing it.
func (s Secret) Fingerprint() string {
	h := hmac.New(sha256.New, s.Value)
	h.Write([]byte("wsd: fingerprint of " + s.Name))
	return hex.EncodeToString(h.Sum(nil))
}

// checkSecrets refuses secrets that differ from those of the data: addresses and keys issued by one node would be
// invalid on the others.
func (c *Conn) checkSecrets(ctx context.Context) Check {
	if c.config.Secrets == nil {
		return okCheck("secret", "not compared")
	}
	known, err := c.Fingerprints(ctx)
	if err != nil {
		return errorCheck("secret", err, "is this another program's database?")
	}
	if len(known) == 0 {
		return okCheck("secret", "the data has none yet")
	}
	var wrong []string
	for _, s := range c.config.Secrets {
		switch fingerprint, there := known[s.Name]; {
		case there && len(s.Value) == 0:
			wrong = append(wrong, s.Name+" is missing here, the data was written with one")
		case there && fingerprint != s.Fingerprint():
			wrong = append(wrong, s.Name+" is not the one that the data was written with")
		}
	}
	if len(wrong) > 0 {
		return refuseCheck("secret", strings.Join(wrong, "; "),
			"set the one that the other nodes have, or, if it is lost: wsd secret replace")
	}
	return okCheck("secret", "the one of the data")
}

// Fingerprints returns the fingerprints of the secrets of the data by name.
func (c *Conn) Fingerprints(ctx context.Context) (map[string]string, error) {
	known, err := c.Client.HGetAll(ctx, c.Name(SecretsKey())).Result()
	return known, Wrap(ctx, err)
}

// markSecrets stores the fingerprints of secrets whose fingerprints are not stored yet.
func (c *Conn) markSecrets(ctx context.Context) error {
	for _, s := range c.config.Secrets {
		if len(s.Value) == 0 {
			continue
		}
		FailBefore("secret.write")
		err := c.Client.HSetNX(ctx, c.Name(SecretsKey()), s.Name, s.Fingerprint()).Err()
		FailAfter("secret.write")
		if err != nil && !IsFull(err) { // retried at the next start
			return Wrap(ctx, err)
		}
	}
	return nil
}

// SetFingerprint makes s the secret of the data, or removes it if the value is empty. It is the last step of
// replacing a secret.
func (c *Conn) SetFingerprint(ctx context.Context, s Secret) error {
	var err error
	if len(s.Value) == 0 {
		err = c.Client.HDel(ctx, c.Name(SecretsKey()), s.Name).Err()
	} else {
		err = c.Client.HSet(ctx, c.Name(SecretsKey()), s.Name, s.Fingerprint()).Err()
	}
	if err != nil {
		return fmt.Errorf("set the fingerprint of %s: %w", s.Name, Wrap(ctx, err))
	}
	return nil
}
