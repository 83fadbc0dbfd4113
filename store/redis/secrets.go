package redis

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Secret is a secret that all nodes on the same data share.
type Secret struct {
	Name  string
	Value []byte // empty = not configured on this node
	Old   []byte // the value that Value replaces; empty = none is configured
}

// ErrLeaseOver is returned by SealingFingerprints if this node does not know whether it is listed among the serving nodes.
var ErrLeaseOver = errors.New("store: the lease of this node is over")

// SecretsKey returns the key of the HASH of the fingerprints of the secrets that the data was written with.
func SecretsKey() Key { return NamedKey(HashKind, "secrets") }

// OldSecretName returns the field of SecretsKey for the value that a secret had before its replacement, which is in effect until
// the replacement is finished.
func OldSecretName(name string) string { return "old " + name }

// endingPrefix is the prefix of the fingerprint of an old value that is not accepted any more, while what was made with it is
// being removed.
const endingPrefix = "ending "

// Fingerprint returns a hash that identifies the secret without revealing it.
func (s Secret) Fingerprint() string {
	h := hmac.New(sha256.New, s.Value)
	h.Write([]byte("wsd: fingerprint of " + s.Name))
	return hex.EncodeToString(h.Sum(nil))
}

// values returns the configured values of the secret as secrets without an old value, the new value first.
func (s Secret) values() (values []Secret) {
	for _, value := range [][]byte{s.Value, s.Old} {
		if len(value) > 0 {
			values = append(values, Secret{Name: s.Name, Value: value})
		}
	}
	return values
}

// heldFingerprints returns the fingerprints of all secrets that this node holds.
func (c *Conn) heldFingerprints() (held []string) {
	for _, s := range c.config.Secrets {
		for _, value := range s.values() {
			held = append(held, value.Fingerprint())
		}
	}
	return held
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
	return compareSecrets(c.config.Secrets, known)
}

// compareSecrets compares secrets with the fingerprints of those of the data.
func compareSecrets(secrets []Secret, known map[string]string) Check {
	var wrong, pending, unfinished []string
	readable := true
	for _, s := range secrets {
		current, recorded := known[s.Name]
		old, replaced := known[OldSecretName(s.Name)]
		if replaced {
			unfinished = append(unfinished, s.Name)
		}
		if !recorded {
			continue
		}
		held := map[string]bool{}
		for _, value := range s.values() {
			held[value.Fingerprint()] = true
		}
		switch {
		case len(held) == 0:
			wrong = append(wrong, s.Name+" is missing here, the data was written with one")
		case !held[current]:
			wrong = append(wrong, s.Name+" is not the one that the data was written with")
		case len(s.Value) > 0 && Secret{Name: s.Name, Value: s.Value}.Fingerprint() != current:
			pending = append(pending, s.Name)
		}
		readable = readable && (held[current] || replaced && held[old])
	}
	switch {
	case len(wrong) > 0:
		check := refuseCheck("secret", strings.Join(wrong, "; "),
			"set the one that the other nodes have, or, if it is lost: wsd secret replace")
		check.unreadable = !readable
		return check
	case len(pending) > 0:
		return infoCheck("secret", "the data has the old "+strings.Join(pending, " and "),
			"when every node has both: wsd secret replace")
	case len(unfinished) > 0:
		return infoCheck("secret", "also accepted: the old "+strings.Join(unfinished, " and "),
			"when nobody needs the old addresses any more: wsd secret replace --finish")
	}
	return okCheck("secret", "the one of the data")
}

// Fingerprints reads the fingerprints of the secrets of the data by name, and of those that they replaced by OldSecretName.
func (c *Conn) Fingerprints(ctx context.Context) (map[string]string, error) {
	known, err := c.Client.HGetAll(ctx, c.Name(SecretsKey())).Result()
	if err != nil {
		return nil, Wrap(ctx, err)
	}
	c.fingerprints.Store(&known)
	return known, nil
}

// KnownFingerprints returns the fingerprints that were read last. A serving node reads them with each renewal of its lease.
func (c *Conn) KnownFingerprints() map[string]string {
	if known := c.fingerprints.Load(); known != nil {
		return *known
	}
	return nil
}

// SealingFingerprints reads the fingerprints for a value that is about to be stored. It returns ErrLeaseOver if this node
// serves and did not renew its lease in time: secrets may have been replaced without regard to it.
func (c *Conn) SealingFingerprints(ctx context.Context) (map[string]string, error) {
	if !c.lease.isValid(c.clock()) {
		return nil, ErrLeaseOver
	}
	return c.Fingerprints(ctx)
}

// markSecrets stores the fingerprints of secrets whose fingerprints are not stored yet. Where an old value is configured, the
// data was written with that one.
func (c *Conn) markSecrets(ctx context.Context) error {
	for _, s := range c.config.Secrets {
		values := s.values()
		if len(values) == 0 {
			continue
		}
		FailBefore("secret.write")
		err := c.Client.HSetNX(ctx, c.Name(SecretsKey()), s.Name, values[len(values)-1].Fingerprint()).Err()
		FailAfter("secret.write")
		if err != nil && !IsFull(err) { // retried at the next start
			return Wrap(ctx, err)
		}
	}
	return nil
}

// ReplaceFingerprints makes the values of secrets those of the data, all at once. The replaced ones remain accepted until
// EndOldFingerprints, unless revoke is set.
func (c *Conn) ReplaceFingerprints(ctx context.Context, secrets []Secret, revoke bool) error {
	known, err := c.Fingerprints(ctx)
	if err != nil {
		return err
	}
	var fields []string
	for _, s := range secrets {
		fields = append(fields, s.Name, s.Fingerprint())
		if old, recorded := known[s.Name]; recorded {
			if revoke {
				old = endingPrefix + old
			}
			fields = append(fields, OldSecretName(s.Name), old)
		}
	}
	return c.setFingerprints(ctx, fields)
}

// RevokeOldFingerprints ends the acceptance of the old values of all secrets. They remain recorded until EndOldFingerprints.
func (c *Conn) RevokeOldFingerprints(ctx context.Context) error {
	known, err := c.Fingerprints(ctx)
	if err != nil {
		return err
	}
	var fields []string
	for name, old := range known {
		if strings.HasPrefix(name, OldSecretName("")) && !strings.HasPrefix(old, endingPrefix) {
			fields = append(fields, name, endingPrefix+old)
		}
	}
	return c.setFingerprints(ctx, fields)
}

// setFingerprints sets fields of SecretsKey in one step.
func (c *Conn) setFingerprints(ctx context.Context, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	FailBefore("secret.replace")
	err := c.Client.HSet(ctx, c.Name(SecretsKey()), fields).Err()
	FailAfter("secret.replace")
	if err != nil {
		return fmt.Errorf("set the fingerprints: %w", Wrap(ctx, err))
	}
	_, err = c.Fingerprints(ctx)
	return err
}

// EndOldFingerprints removes the fingerprints of the old values of the named secrets. It is the last step of a replacement.
func (c *Conn) EndOldFingerprints(ctx context.Context, names ...string) error {
	fields := make([]string, len(names))
	for i, name := range names {
		fields[i] = OldSecretName(name)
	}
	FailBefore("secret.end")
	err := c.Client.HDel(ctx, c.Name(SecretsKey()), fields...).Err()
	FailAfter("secret.end")
	if err != nil {
		return fmt.Errorf("remove the old fingerprints: %w", Wrap(ctx, err))
	}
	_, err = c.Fingerprints(ctx)
	return err
}

// HasOldSecrets reports whether fingerprints contain an old value: a replacement is not finished.
func HasOldSecrets(fingerprints map[string]string) bool {
	for name := range fingerprints {
		if strings.HasPrefix(name, OldSecretName("")) {
			return true
		}
	}
	return false
}

// IsEndingSecret reports whether the old value of a secret is being removed, as after ReplaceFingerprints with revoke.
func IsEndingSecret(fingerprints map[string]string, name string) bool {
	return strings.HasPrefix(fingerprints[OldSecretName(name)], endingPrefix)
}
