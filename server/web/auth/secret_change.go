package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// SecretChange replaces the secrets of the data with those of the settings, where they differ. It implements `wsd secret
// replace`.
type SecretChange struct {
	changed     []redis.Secret
	replacement Replacement
}

// PlanSecretChange compares the secrets of the settings with those of the data in s. It returns an error if the new
// server secret is too short, or the old encryption key is not the one of the data.
func PlanSecretChange(ctx context.Context, s *store.Store, settings SecretSettings) (none SecretChange, err error) {
	fingerprints, err := s.Fingerprints(ctx)
	if err != nil {
		return none, err
	}
	available, err := settings.Available()
	if err != nil {
		return none, err
	}
	c := SecretChange{replacement: Replacement{Store: s}}
	for _, secret := range available {
		if secret.Name == SecretVariable && len(secret.Value) < MinSecret {
			return none, fmt.Errorf("%s has %d characters, at least %d are needed", secret.Name, len(secret.Value), MinSecret)
		}
		if fingerprints[secret.Name] == secret.Fingerprint() {
			continue
		}
		if err := c.add(secret); err != nil {
			return none, err
		}
	}
	if settings.OldEncryptionKey == "" {
		return c, nil
	}
	if c.replacement.Old, err = openOldKey(settings.OldEncryptionKey, fingerprints); err != nil {
		return none, fmt.Errorf("%s: %w", OldEncryptionKeyVariable, err)
	}
	return c, nil
}

// add adds a secret whose value differs from that of the data, and sets the new value in the replacement.
func (c *SecretChange) add(secret redis.Secret) (err error) {
	c.changed = append(c.changed, secret)
	if secret.Name == SecretVariable {
		signer := NewSigner(secret.Value, time.Now)
		c.replacement.Signer = &signer
		return nil
	}
	c.replacement.Key = true
	c.replacement.New, err = NewSealer(secret.Value)
	return err
}

// openOldKey returns a Sealer with the old encryption key. It returns an error if the key is malformed or, according to the
// fingerprints, not that of the data.
func openOldKey(text string, fingerprints map[string]string) (none Sealer, err error) {
	old, err := ParseEncryptionKey(text)
	if err != nil {
		return none, err
	}
	secret := redis.Secret{Name: EncryptionKeyVariable, Value: old}
	if fingerprint, recorded := fingerprints[EncryptionKeyVariable]; recorded && fingerprint != secret.Fingerprint() {
		return none, errors.New("it is not the key that the data was written with")
	}
	return NewSealer(old)
}

// IsEmpty reports whether the data has the secrets of the settings already.
func (c SecretChange) IsEmpty() bool { return len(c.changed) == 0 }

// Consequences returns a text for each secret that describes the effects of its replacement and the data that is lost. It
// changes nothing.
func (c SecretChange) Consequences(ctx context.Context) (texts []string, err error) {
	effect, err := c.replacement.Run(ctx, true)
	if err != nil {
		return nil, err
	}
	if c.replacement.Signer != nil {
		texts = append(texts, fmt.Sprintf("%s: addresses of downloads, which hold for an hour, and lists that are being paged through "+
			"end. %d share links and\n  %d invite links get other addresses: those that people have stop working.",
			SecretVariable, effect.ShareLinks, effect.InviteLinks))
	}
	if c.replacement.Key {
		texts = append(texts, fmt.Sprintf("%s: %d keys of sites and secrets of integrations are sealed with the new key, %d cannot be "+
			"opened and are lost.", EncryptionKeyVariable, effect.Sealed, effect.Lost))
	}
	return texts, nil
}

// Apply replaces the secrets. An interrupted change can be repeated.
func (c SecretChange) Apply(ctx context.Context) error {
	if _, err := c.replacement.Run(ctx, false); err != nil {
		return err
	}
	for _, secret := range c.changed {
		if err := c.replacement.Store.SetFingerprint(ctx, secret); err != nil {
			return err
		}
	}
	_, err := c.replacement.Run(ctx, false) // also replaces values that a node wrote in the meantime
	return err
}
