package auth

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Replacement describes the secrets to replace.
type Replacement struct {
	Store *store.Store
	// Signer has the new signing secret. If it is nil, the secret is not replaced.
	Signer *Signer
	// Key is set to replace the encryption key Old (the zero Sealer if unknown) by New (the zero Sealer for none).
	Key      bool
	Old, New Sealer
}

// Effect counts the objects changed by a replacement.
type Effect struct {
	ShareLinks  int // share links with a new address
	InviteLinks int // invite links with a new secret
	Sealed      int // encrypted secrets of sites and integrations
	Lost        int // encrypted secrets that cannot be decrypted any more
}

// Run updates all objects that depend on the replaced secrets, or only counts them if dry is set. It visits every
// key. An interrupted run can be repeated.
func (r Replacement) Run(ctx context.Context, dry bool) (effect Effect, err error) {
	names, err := r.Store.Scan(ctx)
	if err != nil {
		return effect, err
	}
	for _, name := range names {
		tag, rest, _ := strings.Cut(strings.TrimPrefix(name, "{"), "}:")
		kind, id, _ := strings.Cut(rest, ":")
		visit := r.updaterOf(kind, tag, id, &effect)
		if visit == nil {
			continue
		}
		shard := store.Organization(tag)
		if kind == "int" {
			shard = store.Integrations()
		}
		before := effect
		err := r.Store.Update(ctx, shard, txn.UpdateOptions{DryRun: dry}, func(tx *store.Tx) error {
			effect = before // the function may run more than once
			return visit(tx)
		})
		if err != nil {
			return effect, fmt.Errorf("%s: %w", name, err)
		}
	}
	return effect, nil
}

// updaterOf returns the function that updates a record, or nil for kinds without secrets.
func (r Replacement) updaterOf(kind, tag, id string, effect *Effect) func(tx *store.Tx) error {
	switch {
	case kind == "link" && r.Signer != nil:
		return func(tx *store.Tx) error { return r.updateShareLink(tx, tag, id, effect) }
	case kind == "li" && r.Signer != nil:
		return func(tx *store.Tx) error { return r.updateInviteLink(tx, tag, id, effect) }
	case kind == "site" && r.Key:
		return func(tx *store.Tx) error { return r.updateSite(tx, tag, id, effect) }
	case kind == "int" && r.Key:
		return func(tx *store.Tx) error { return r.updateIntegration(tx, id, effect) }
	}
	return nil
}

// updateShareLink updates the stored key of a share link.
func (r Replacement) updateShareLink(tx *store.Tx, org, id string, effect *Effect) error {
	d, err := tx.ShareLink(org, id)
	digest := Digest(r.Signer.ShareKey(id))
	if err != nil || d.Version == 0 || d.Private.Digest == digest {
		return err
	}
	effect.ShareLinks++
	d.Private.Digest = digest
	_, err = tx.PutShareLink(org, d)
	return err
}

// updateInviteLink updates the stored secret of an invite link.
func (r Replacement) updateInviteLink(tx *store.Tx, org, id string, effect *Effect) error {
	d, err := tx.LinkInvite(org, id)
	digest := Digest(r.Signer.InviteSecret(id))
	if err != nil || d.Version == 0 || d.Private.Digest == digest {
		return err
	}
	effect.InviteLinks++
	d.Private.Digest = digest
	_, err = tx.PutLinkInvite(org, d)
	return err
}

// updateSite encrypts the visitor key of a site with the new key.
func (r Replacement) updateSite(tx *store.Tx, org, id string, effect *Effect) error {
	d, err := tx.Site(org, id)
	if err != nil || d.Version == 0 || d.Private.Auth.Key == "" {
		return err
	}
	sealed, changed := r.reseal(d.Private.Auth.Key, VisitorKeyPurpose(id), effect)
	if !changed {
		return nil
	}
	d.Private.Auth.Key = sealed
	_, err = tx.PutSite(org, d)
	return err
}

// updateIntegration encrypts the secrets of an integration, given by the hash of its name, with the new key.
func (r Replacement) updateIntegration(tx *store.Tx, hash string, effect *Effect) error {
	d, err := store.ReadDocument[api.IntegrationFields, store.IntegrationPrivate](tx,
		store.Integrations().Key(redis.RecordKind, "int", hash))
	if err != nil || d.Version == 0 {
		return err
	}
	changes, secrets := false, map[string]string{}
	for name, text := range d.Private.Secrets {
		sealed, changed := r.reseal(text, IntegrationSecretPurpose(d.Fields.Name, name), effect)
		changes = changes || changed
		if sealed != "" {
			secrets[name] = sealed
		}
	}
	if !changes {
		return nil
	}
	d.Private.Secrets = secrets
	_, err = tx.PutIntegration(d)
	return err
}

// reseal encrypts a text of the old key with the new one. It returns texts of the new key unchanged, and "" if
// neither key decrypts the text.
func (r Replacement) reseal(sealed string, purpose []string, effect *Effect) (text string, changed bool) {
	if _, err := r.New.Decrypt(sealed, purpose...); err == nil {
		return sealed, false
	}
	plain, err := r.Old.Decrypt(sealed, purpose...)
	if err == nil {
		text, err = r.New.Encrypt(plain, purpose...)
	}
	if err != nil {
		effect.Lost++
		return "", true
	}
	effect.Sealed++
	return text, true
}
