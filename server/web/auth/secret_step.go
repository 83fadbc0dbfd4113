package auth

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// step selects the changes of one pass of a SecretChange over all records.
type step struct {
	addDigest  bool // add the digest of the new server secret to links that lack it
	endDigests bool // leave links the digest of the new server secret only
	reseal     bool // seal values again that the old encryption key opens
	dropLost   bool // remove values that neither key opens
}

// secretEffect counts what a step changes.
type secretEffect struct {
	ShareLinks, InviteLinks int
	Sealed                  int            // values that are sealed again
	Lost                    int            // values that no key opens
	authors                 map[string]int // number of the links by user; "" = not recorded
}

// maxPasses is the maximum number of passes of a step. The second one visits what nodes wrote during the first.
const maxPasses = 5

// repeat runs a step on all records until a pass changes nothing.
func (c *SecretChange) repeat(ctx context.Context, s step) error {
	for range maxPasses {
		changed := false
		err := eachSecretRecord(ctx, c.store, func(r storedRecord) error {
			if !c.apply(s, r.record, &secretEffect{}) {
				return nil
			}
			changed = true
			return r.update(ctx, c.store, func(record secretRecord) bool { return c.apply(s, record, &secretEffect{}) })
		})
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// preview returns the effect of the whole change. It changes nothing.
func (c *SecretChange) preview(ctx context.Context) (secretEffect, error) {
	effect := secretEffect{authors: map[string]int{}}
	whole := step{addDigest: !c.endsLinks(), endDigests: c.endsLinks(), reseal: true, dropLost: true}
	err := eachSecretRecord(ctx, c.store, func(r storedRecord) error {
		c.apply(whole, r.record, &effect)
		return nil
	})
	return effect, err
}

// apply applies a step to a record, counts the effect, and reports whether the record changed.
func (c *SecretChange) apply(s step, record secretRecord, effect *secretEffect) (changed bool) {
	if s.reseal && len(c.sealer.aeads) > 0 {
		for _, value := range record.sealed() {
			changed = c.applySealed(s, value, effect) || changed
		}
	}
	link := record.link()
	if link == nil || len(c.signer.ring.values) == 0 {
		return changed
	}
	digest := Digest(derive(c.signer.ring.values[0].secret, link.purpose, link.id))
	next := *link.Digests
	switch {
	case s.endDigests:
		next = store.Digests{Digest: digest}
	case s.addDigest && !link.Has(digest):
		next.Second = digest
	}
	if next == *link.Digests {
		return changed
	}
	*link.Digests = next
	if link.purpose == sharePurpose {
		effect.ShareLinks++
	} else {
		effect.InviteLinks++
	}
	if effect.authors != nil {
		effect.authors[link.author]++
	}
	return true
}

// applySealed seals a value again, or removes it, and reports whether it did.
func (c *SecretChange) applySealed(s step, value sealedValue, effect *secretEffect) bool {
	plain, key, err := c.sealer.open(value.text, value.purpose)
	switch {
	case err != nil:
		effect.Lost++
		if s.dropLost {
			value.set("")
		}
		return s.dropLost
	case key == 0:
		return false
	}
	effect.Sealed++
	value.set(seal(c.sealer.aeads[0], plain, value.purpose))
	return true
}

// authorLines returns a line for each author of links, with the number of their links.
func (e secretEffect) authorLines(ctx context.Context, s *store.Store) (lines []string, err error) {
	users := slices.Sorted(maps.Keys(e.authors))
	b := s.NewBatch()
	records := map[string]*txn.Future[txn.Record]{}
	for _, user := range users {
		if user != "" {
			records[user] = b.Record(store.UserKey(user))
		}
	}
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	for _, user := range users {
		who := "an author who is not recorded"
		if user != "" {
			var d store.UserDocument
			who = user
			if r, ok, err := records[user].Get(); err == nil && ok && d.Decode(r) == nil {
				who = fmt.Sprintf("%s (%q, %s)", user, d.Fields.DisplayName, d.Fields.Email)
			}
		}
		lines = append(lines, fmt.Sprintf("  %d of them by %s", e.authors[user], who))
	}
	return lines, nil
}
