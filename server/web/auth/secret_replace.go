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

// Replacement says which secrets are replaced.
type Replacement struct {
	Store *store.Store
	// Signer has the new secret that addresses are signed with; nil: it stays.
	Signer *Signer
	// Key: the key that seals is replaced, Old (the zero sealer where it is not known) by New (which may be none).
	Key      bool
	Old, New Sealer
}

// Effect is what a replacement does, or would.
type Effect struct {
	ShareLinks  int // that get another address
	InviteLinks int // that get another secret
	Sealed      int // keys of sites and secrets of integrations that are sealed anew
	Lost        int // of those, that nobody can open any more
}

// Run replaces what rests on the secrets; with dry it only says what it would do. It looks at every key. Run again, it
// goes on where it was cut off.
func (r Replacement) Run(ctx context.Context, dry bool) (effect Effect, err error) {
	names, err := r.Store.Scan(ctx)
	if err != nil {
		return effect, err
	}
	for _, name := range names {
		tag, rest, _ := strings.Cut(strings.TrimPrefix(name, "{"), "}:")
		kind, id, _ := strings.Cut(rest, ":")
		visit := r.visit(kind, tag, id, &effect)
		if visit == nil {
			continue
		}
		shard := store.Organization(tag)
		if kind == "int" {
			shard = store.Integrations()
		}
		before := effect
		err := r.Store.Update(ctx, shard, txn.UpdateOptions{DryRun: dry}, func(tx *store.Tx) error {
			effect = before // it may run more than once
			return visit(tx)
		})
		if err != nil {
			return effect, fmt.Errorf("%s: %w", name, err)
		}
	}
	return effect, nil
}

// visit is what is done with a record of a kind; nil: nothing.
func (r Replacement) visit(kind, tag, id string, effect *Effect) func(tx *store.Tx) error {
	switch {
	case kind == "link" && r.Signer != nil:
		return func(tx *store.Tx) error { return r.shareLink(tx, tag, id, effect) }
	case kind == "li" && r.Signer != nil:
		return func(tx *store.Tx) error { return r.inviteLink(tx, tag, id, effect) }
	case kind == "site" && r.Key:
		return func(tx *store.Tx) error { return r.site(tx, tag, id, effect) }
	case kind == "int" && r.Key:
		return func(tx *store.Tx) error { return r.integration(tx, id, effect) }
	}
	return nil
}

// shareLink makes the key that the link is shown with the one that opens it.
func (r Replacement) shareLink(tx *store.Tx, org, id string, effect *Effect) error {
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

// inviteLink does the same with an invite link.
func (r Replacement) inviteLink(tx *store.Tx, org, id string, effect *Effect) error {
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

// site seals the key of a site for authenticated visitors anew.
func (r Replacement) site(tx *store.Tx, org, id string, effect *Effect) error {
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

// integration seals the secrets of an integration, given by the hash of its name, anew.
func (r Replacement) integration(tx *store.Tx, hash string, effect *Effect) error {
	d, err := store.ReadDocument[api.IntegrationFields, store.IntegrationPrivate](tx, store.Integrations().Key(redis.RecordKind, "int", hash))
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

// reseal seals anew what the old key opens, and leaves what the new one opens already; "" is lost.
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
