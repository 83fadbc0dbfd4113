package auth

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
)

// SecretReport is the state of the values that depend on the secrets of the server.
type SecretReport struct {
	Sealed   int `json:"sealed"`            // sealed values
	OldKey   int `json:"oldKey"`            // of them, sealed with another key than that of the data
	Unopened int `json:"unopened,omitzero"` // of them, not opened, for lack of the key
	Links    int `json:"links"`             // share links and invite links
	OldLinks int `json:"oldLinks"`          // of them, also opened by the secret of another server secret

	staleLinks int // links that the secret of the data does not open

	// Wrong names the variables of the settings whose values are not those of the data. What depends on them is not checked.
	Wrong []string `json:"-"`

	// Findings are sealed values that no key opens, and links that the secret of the data does not open.
	Findings []fsck.Finding `json:"-"`
	Problems []string       `json:"problems,omitempty"` // the lines of Findings
}

// InspectSecrets opens every sealed value and compares the digests of all links, as far as the settings have the secrets of the
// data. It visits every key.
func InspectSecrets(ctx context.Context, s *store.Store, settings SecretSettings) (SecretReport, error) {
	held, err := settings.Available()
	if err != nil {
		return SecretReport{}, err
	}
	fingerprints, err := s.Fingerprints(ctx)
	if err != nil {
		return SecretReport{}, err
	}
	in, err := newSecretInspector(s, held, fingerprints)
	if err != nil {
		return SecretReport{}, err
	}
	report, err := in.inspect(ctx)
	if err != nil || len(report.Findings) == 0 {
		return report, err
	}
	again, err := in.inspect(ctx) // a secret may have been replaced during the first pass
	again.Findings = slices.DeleteFunc(again.Findings, func(f fsck.Finding) bool { return !slices.Contains(report.Findings, f) })
	for _, f := range again.Findings {
		again.Problems = append(again.Problems, f.String())
	}
	return again, err
}

// secretInspector makes a SecretReport.
type secretInspector struct {
	store  *store.Store
	sealer Sealer
	signer Signer
	wrong  []string // variables whose values are not those of the data
}

func newSecretInspector(s *store.Store, held []redis.Secret, fingerprints map[string]string) (in secretInspector, err error) {
	in.store = s
	for _, secret := range held {
		if NewRing(s, secret).current(fingerprints) < 0 {
			in.wrong = append(in.wrong, secret.Name)
			continue
		}
		switch secret.Name {
		case EncryptionKeyVariable:
			in.sealer, err = NewSealer(s, secret.Value, secret.Old)
		case SecretVariable:
			in.signer = NewSigner(s, secret.Value, secret.Old, nil)
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

func (in secretInspector) inspect(ctx context.Context) (report SecretReport, err error) {
	report.Wrong = in.wrong
	for _, name := range in.wrong {
		report.Findings = append(report.Findings, fsck.Finding{
			Key: redis.SecretsKey().Name(), Item: name,
			Problem: "is another one here than that of the data: what depends on it was not checked",
		})
	}
	fingerprints, err := in.store.Fingerprints(ctx)
	if err != nil {
		return report, err
	}
	err = eachSecretRecord(ctx, in.store, func(r storedRecord) error {
		for _, value := range r.record.sealed() {
			in.inspectSealed(&report, r, value, in.sealer.ring.current(fingerprints))
		}
		if link := r.record.link(); link != nil {
			in.inspectLink(&report, r, *link, in.signer.ring.current(fingerprints))
		}
		return nil
	})
	return report, err
}

// inspectSealed adds a sealed value to the report; current is the index of the key of the data.
func (in secretInspector) inspectSealed(report *SecretReport, r storedRecord, value sealedValue, current int) {
	report.Sealed++
	if len(in.sealer.aeads) == 0 {
		report.Unopened++
		return
	}
	_, key, err := in.sealer.open(value.text, value.purpose)
	switch {
	case err != nil:
		item := r.place
		if value.name != "" {
			item += "." + value.name
		}
		report.Findings = append(report.Findings, fsck.Finding{
			Key: r.name, Item: item, Problem: r.purpose + " cannot be opened: it was sealed with another " + r.secret + ", or is damaged",
		})
	case key != current:
		report.OldKey++
	}
}

// inspectLink adds a link to the report; current is the index of the server secret of the data.
func (in secretInspector) inspectLink(report *SecretReport, r storedRecord, link derivedLink, current int) {
	report.Links++
	if current < 0 { // the secret is not known
		if link.Second != "" {
			report.OldLinks++
		}
		return
	}
	digest := Digest(derive(in.signer.ring.values[current].secret, link.purpose, link.id))
	switch {
	case link.Has(digest) && (link.Digest != digest || link.Second != ""):
		report.OldLinks++
	case !link.Has(digest):
		report.staleLinks++
		report.Findings = append(report.Findings, fsck.Finding{
			Key: r.name, Item: r.place, Problem: fmt.Sprintf("the %s is shown with a secret that does not open it", r.purpose),
		})
	}
}

// Lines returns the report as lines, without the findings.
func (r SecretReport) Lines() (lines []string) {
	if r.Unopened > 0 {
		lines = append(lines, fmt.Sprintf("%d sealed values were not opened: set %s to check them", r.Unopened, EncryptionKeyVariable))
	}
	if r.OldKey > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d sealed values are sealed with the old %s", r.OldKey, r.Sealed, EncryptionKeyVariable))
	}
	if r.OldLinks > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d share links and invite links are also opened by their old address",
			r.OldLinks, r.Links))
	}
	return lines
}

// isIncomplete reports whether a replacement did not update all values.
func (r SecretReport) isIncomplete() bool { return r.OldKey+r.staleLinks > 0 }
