package store

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// IntegrationPrivate is the server-side part of an integration.
type IntegrationPrivate struct {
	Organization string `json:"organization"` // owner; the owner of a name never changes
	Unpublished  bool   `json:"unpublished,omitzero"`
	Withdrawn    int    `json:"withdrawn,omitzero"` // number of times it was unpublished, which ends the tokens of its installations

	Icon          string            `json:"icon,omitzero"` // manifest of an image, like those of PreviewImages
	PreviewImages []string          `json:"previewImages,omitzero"`
	Script        string            `json:"script,omitzero"`  // manifest
	Latest        string            `json:"latest"`           // object of the latest version, which refers to its predecessor
	Digest        string            `json:"digest"`           // digest of the last publication
	Secrets       map[string]string `json:"secrets,omitzero"` // encrypted

	PublishedBy string `json:"publishedBy,omitzero"` // user who published the latest version; "" if stored by an older build
}

// IntegrationDocument is the document of an integration.
type IntegrationDocument = Document[api.IntegrationFields, IntegrationPrivate]

// InstallationPrivate is the server-side part of an installation.
type InstallationPrivate struct {
	Integration string `json:"integration"` // name
	// CreatedBy is the user who installed it; "" if stored by an older build.
	CreatedBy string `json:"maker,omitzero"`
}

// InstallationDocument is the document of an installation.
type InstallationDocument = Document[api.InstallationFields, InstallationPrivate]

// InstallationPrefix is the prefix of the identifiers of installations.
const InstallationPrefix = "in_"

// IntegrationContent is the name under which the objects of integrations are stored, in the slot of their records.
const IntegrationContent = "i"

// Index names of integrations.
const (
	IndexIntegrations  = "integrations"
	IndexInstallations = "installations"
)

// IntegrationKey returns the key of the record of an integration. The name is encoded because it may contain characters invalid in
// keys.
func IntegrationKey(name string) redis.Key {
	return Integrations().Key(redis.RecordKind, "int", objects.Hash([]byte(name)))
}

// InstallationKey returns the key of the record of an installation.
func InstallationKey(id string) redis.Key { return Integrations().Key(redis.RecordKind, "inst", id) }

// IntegrationsKey returns the key of the index of published integrations by name. Its members, made by OwnedMember, contain the
// owner, so that a list reads integrations and owners in one trip.
func IntegrationsKey() redis.Key { return IndexKey(IntegrationContent, IndexIntegrations, "all") }

// UnpublishedIntegrationsKey returns the key of the index of integrations that are no longer published. Their installations remain.
func UnpublishedIntegrationsKey() redis.Key {
	return IndexKey(IntegrationContent, IndexIntegrations, "unpublished")
}

// IsNewIndex reports whether an index was introduced after records that belong in it were written, so that entries may be
// missing. fsck does not report them and adds them in a repair.
func IsNewIndex(index string) bool { return index == UnpublishedIntegrationsKey().Name() }

// OwnedMember returns a member of IntegrationsKey or InstallationsKey: a name without '!' and its owner.
func OwnedMember(name, organization string) string { return name + "!" + organization }

// SplitOwnedMember returns the parts of a member that OwnedMember returned.
func SplitOwnedMember(member string) (name, organization string) {
	name, organization, _ = strings.Cut(member, "!")
	return name, organization
}

// InstallationsKey returns the key of the index of an integration's installations by age: all, or those of an organization.
func InstallationsKey(integration string, organization ...string) redis.Key {
	return IndexKey(IntegrationContent, IndexInstallations, objects.Hash([]byte(integration)), organization...)
}

// UnpublishIntegration writes an integration as unpublished. tx must have read it.
func (tx *Tx) UnpublishIntegration(i IntegrationDocument) error {
	i.Private.Unpublished = true
	i.Private.Withdrawn++
	_, err := tx.PutIntegration(i)
	return err
}

// Integration reads an integration.
func (tx *Tx) Integration(name string) (IntegrationDocument, error) {
	return ReadDocument[api.IntegrationFields, IntegrationPrivate](tx, IntegrationKey(name))
}

// PutIntegration writes an integration with its index of published or unpublished ones.
func (tx *Tx) PutIntegration(i IntegrationDocument) (txn.Record, error) {
	member := OwnedMember(i.Fields.Name, i.Private.Organization)
	in, out := IntegrationsKey(), UnpublishedIntegrationsKey()
	if i.Private.Unpublished {
		in, out = out, in
	}
	tx.Remove(out, member)
	tx.Add(in, member)
	return putReusable(tx, IntegrationKey(i.Fields.Name), i)
}

// Installation reads an installation.
func (tx *Tx) Installation(id string) (InstallationDocument, error) {
	return ReadDocument[api.InstallationFields, InstallationPrivate](tx, InstallationKey(id))
}

// PutInstallation writes an installation with its indexes.
func (tx *Tx) PutInstallation(i InstallationDocument) (txn.Record, error) {
	member := OwnedMember(i.Fields.ID, i.Fields.Target.Organization)
	tx.Add(InstallationsKey(i.Private.Integration), member)
	tx.Add(InstallationsKey(i.Private.Integration, i.Fields.Target.Organization), member)
	return PutDocument(tx, InstallationKey(i.Fields.ID), i)
}

// DeleteInstallation removes an installation with its selection. tx must have read the installation.
func (tx *Tx) DeleteInstallation(i InstallationDocument, selected Selection) error {
	if err := selected.Require(tx); err != nil {
		return err
	}
	for _, content := range slices.Concat(selected.Spaces, selected.Sites) {
		tx.DeleteInstalled(i.Fields.ID, content)
	}
	tx.Delete(InstallationKey(i.Fields.ID))
	member := OwnedMember(i.Fields.ID, i.Fields.Target.Organization)
	tx.Remove(InstallationsKey(i.Private.Integration), member)
	tx.Remove(InstallationsKey(i.Private.Integration, i.Fields.Target.Organization), member)
	return nil
}
