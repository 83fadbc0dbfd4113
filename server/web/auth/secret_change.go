package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// SecretOptions selects what `wsd secret replace` does.
type SecretOptions struct {
	Finish bool // end the acceptance of the old secrets
	Leaked bool // accept the old secrets no longer than it takes to replace them
	Force  bool // regardless of serving nodes that lack a secret and of values that are lost
	Wait   NodeWait
}

// SecretChange replaces the secrets of the data with those of the settings, where they differ, or ends the acceptance of the
// replaced ones. It implements `wsd secret replace`.
//
// A replacement makes the new value the one of the data and keeps the old one accepted: sealed values are sealed again, and
// links keep the digest of their old secret beside that of the new one. It can be interrupted at any step: what is stored is
// opened by the two values together, and a repetition completes it.
type SecretChange struct {
	store        *store.Store
	options      SecretOptions
	fingerprints map[string]string // of the data
	held         []redis.Secret    // in the settings
	changed      []redis.Secret    // of held, those that the data does not have
	sealer       Sealer            // of the new and the old encryption key; without a key if it is not configured
	signer       Signer            // of the new server secret; without one if it is not configured
	report       SecretReport
}

// PlanSecretChange compares the secrets of the settings with those of the data in s. It returns an error if the new server
// secret is too short, an old key is not the one of the data, or an earlier replacement is not finished.
func PlanSecretChange(ctx context.Context, s *store.Store, settings SecretSettings, options SecretOptions) (c SecretChange, err error) {
	c = SecretChange{store: s, options: options}
	if c.fingerprints, err = s.Fingerprints(ctx); err != nil {
		return c, err
	}
	if c.held, err = settings.Available(); err != nil {
		return c, err
	}
	for _, secret := range c.held {
		if err := c.add(secret); err != nil {
			return c, err
		}
	}
	if options.Finish {
		if err := c.checkFinish(); err != nil {
			return c, err
		}
	}
	c.report, err = InspectSecrets(ctx, s, settings)
	return c, err
}

// add adds a secret of the settings.
func (c *SecretChange) add(secret redis.Secret) (err error) {
	if secret.Name == SecretVariable && len(secret.Value) < MinSecret {
		return fmt.Errorf("%s has %d characters, at least %d are needed", secret.Name, len(secret.Value), MinSecret)
	}
	if secret.Name == EncryptionKeyVariable {
		c.sealer, err = NewSealer(nil, secret.Value, secret.Old)
	} else {
		c.signer = NewSigner(nil, secret.Value, secret.Old, nil)
	}
	current := c.fingerprints[secret.Name]
	if err != nil || secret.Fingerprint() == current {
		return err
	}
	old := redis.Secret{Name: secret.Name, Value: secret.Old}
	if len(secret.Old) > 0 && current != "" && old.Fingerprint() != current {
		return fmt.Errorf("%s: it is not the one that the data was written with", oldVariables[secret.Name])
	}
	if _, unfinished := c.fingerprints[redis.OldSecretName(secret.Name)]; unfinished {
		return fmt.Errorf("%s: its last replacement is not finished; with the present value: wsd secret replace --finish", secret.Name)
	}
	c.changed = append(c.changed, secret)
	return nil
}

// checkFinish returns an error if the settings lack a secret of the data.
func (c *SecretChange) checkFinish() error {
	for _, name := range []string{SecretVariable, EncryptionKeyVariable} {
		isHeld := slices.ContainsFunc(c.held, func(s redis.Secret) bool {
			return s.Name == name && s.Fingerprint() == c.fingerprints[name]
		})
		if c.fingerprints[name] != "" && !isHeld {
			return fmt.Errorf("--finish: %s is not the one of the data", name)
		}
	}
	return nil
}

// ends reports whether the change ends the acceptance of secrets that were replaced earlier.
func (c *SecretChange) ends() bool {
	return c.options.Finish || c.options.Leaked && len(c.changed) == 0 || c.isEnding()
}

// isEnding reports whether an earlier change that ends the acceptance of old secrets was interrupted.
func (c *SecretChange) isEnding() bool {
	return redis.IsEndingSecret(c.fingerprints, SecretVariable) || redis.IsEndingSecret(c.fingerprints, EncryptionKeyVariable)
}

// IsEmpty reports whether there is nothing to change.
func (c *SecretChange) IsEmpty() bool {
	switch {
	case len(c.changed) > 0:
		return false
	case c.ends():
		return !redis.HasOldSecrets(c.fingerprints) && c.report.OldKey+c.report.OldLinks == 0
	}
	return !redis.HasOldSecrets(c.fingerprints) || !c.report.isIncomplete()
}

// Report returns the state before the change.
func (c *SecretChange) Report() SecretReport { return c.report }

// Obstacles returns the reasons for which the change needs SecretOptions.Force: serving nodes that lack a secret, and values that
// would be lost.
func (c *SecretChange) Obstacles(ctx context.Context) (reasons []string, err error) {
	nodes, err := c.store.ServingNodes(ctx)
	if err != nil {
		return nil, err
	}
	for _, node := range nodes {
		if lacks := c.lackedBy(node); len(lacks) > 0 {
			reasons = append(reasons, fmt.Sprintf("node %s does not have %s: it will answer 503 to /readyz, store no secrets and links, "+
				"and show old addresses", node.Name(), strings.Join(lacks, " and ")))
		}
	}
	if !c.ends() && !c.replaces(EncryptionKeyVariable) {
		return reasons, nil
	}
	effect, err := c.preview(ctx)
	if err == nil && effect.Lost > 0 {
		reasons = append(reasons, fmt.Sprintf("%d sealed values are opened by none of the keys given here and would be removed; is %s "+
			"missing?", effect.Lost, OldEncryptionKeyVariable))
	}
	return reasons, err
}

// lackedBy returns the secrets that a serving node has to hold for the change and does not.
func (c *SecretChange) lackedBy(node redis.ServingNode) (names []string) {
	if c.ends() {
		for _, secret := range c.held {
			if !slices.Contains(node.Fingerprints, secret.Fingerprint()) {
				names = append(names, secret.Name)
			}
		}
		return names
	}
	for _, secret := range c.changed {
		if !slices.Contains(node.Fingerprints, secret.Fingerprint()) {
			names = append(names, "the new "+secret.Name)
		}
		old := c.fingerprints[secret.Name]
		if !c.options.Leaked && old != "" && !slices.Contains(node.Fingerprints, old) {
			names = append(names, "the old "+secret.Name)
		}
	}
	return names
}

// Consequences returns texts that describe the effects of the change. It changes nothing.
func (c *SecretChange) Consequences(ctx context.Context) (texts []string, err error) {
	effect, err := c.preview(ctx)
	if err != nil {
		return nil, err
	}
	if c.endsLinks() {
		texts = append(texts, fmt.Sprintf("%s: the old addresses of %d share links and %d invite links stop working, and addresses of "+
			"downloads that are signed with the old secret.", SecretVariable, effect.ShareLinks, effect.InviteLinks))
		if c.options.Leaked {
			authors, err := effect.authorLines(ctx, c.store)
			if err != nil {
				return nil, err
			}
			texts = append(texts, authors...)
		}
	} else if c.replaces(SecretVariable) {
		texts = append(texts, fmt.Sprintf("%s: %d share links and %d invite links get other addresses. The old ones work until "+
			"wsd secret replace --finish.", SecretVariable, effect.ShareLinks, effect.InviteLinks))
	}
	if c.replaces(EncryptionKeyVariable) || effect.Sealed+effect.Lost > 0 {
		texts = append(texts, fmt.Sprintf("%s: %d keys of sites, secrets of integrations and client secrets of OIDC "+
			"providers are sealed with the new key, %d cannot be opened and are lost.", EncryptionKeyVariable, effect.Sealed, effect.Lost))
	}
	return texts, nil
}

// replaces reports whether the change replaces the secret of a variable.
func (c *SecretChange) replaces(name string) bool {
	return slices.ContainsFunc(c.changed, func(s redis.Secret) bool { return s.Name == name })
}

// endsLinks reports whether the change ends the old addresses of links.
func (c *SecretChange) endsLinks() bool {
	return c.ends() || c.options.Leaked && c.replaces(SecretVariable)
}

// Apply makes the change, and waits until every serving node has read it. An interrupted change can be repeated.
func (c *SecretChange) Apply(ctx context.Context) error {
	if c.ends() {
		return c.applyEnd(ctx)
	}
	if c.replaces(SecretVariable) { // from the replacement on, nodes show the new addresses
		if err := c.repeat(ctx, step{addDigest: true}); err != nil {
			return err
		}
	}
	if err := c.store.ReplaceFingerprints(ctx, c.changed, c.options.Leaked); err != nil {
		return err
	}
	last := step{addDigest: true, reseal: true, dropLost: c.replaces(EncryptionKeyVariable)}
	if c.options.Leaked {
		last.endDigests, last.addDigest = c.replaces(SecretVariable), false
	}
	if err := c.repeatUntilRead(ctx, last); err != nil || !c.options.Leaked {
		return err
	}
	names := make([]string, len(c.changed))
	for i, secret := range c.changed {
		names[i] = secret.Name
	}
	return c.store.EndOldFingerprints(ctx, names...)
}

// applyEnd ends the acceptance of the old secrets.
func (c *SecretChange) applyEnd(ctx context.Context) error {
	if err := c.repeat(ctx, step{reseal: true, dropLost: c.options.Force}); err != nil {
		return err
	}
	if err := c.store.RevokeOldFingerprints(ctx); err != nil {
		return err
	}
	if err := c.repeatUntilRead(ctx, step{reseal: true, endDigests: true}); err != nil {
		return err
	}
	return c.store.EndOldFingerprints(ctx, SecretVariable, EncryptionKeyVariable)
}
