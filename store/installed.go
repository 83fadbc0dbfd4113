package store

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Installed is what an installation may be for: spaces or sites. It is the filter of their index.
type Installed string

// The two.
const (
	InstalledSpaces Installed = "spaces"
	InstalledSites  Installed = "sites"
)

// installedAs is what an id is among the things that an installation may be for.
func installedAs(id string) Installed {
	if strings.HasPrefix(id, txn.SitePrefix) {
		return InstalledSites
	}
	return InstalledSpaces
}

// InstalledPrivate is what only the server reads of an installation on a space or site.
type InstalledPrivate struct {
	Installation string `json:"installation"`
	Content      string `json:"content"` // id of the space or site
}

// InstalledDocument is the document of an installation on a space or site: it was installed there by name, or configured
// for it.
type InstalledDocument = Document[api.InstallationContentFields, InstalledPrivate]

// IndexInstalled is the name of the indexes of what an installation was selected for.
const IndexInstalled = "installed"

// InstalledKey is the record of an installation on a space or site.
func InstalledKey(installation, content string) redis.Key {
	return Integrations().Key(redis.RecordKind, "at", installation, content)
}

// InstalledOnKey is the index of the spaces, or the sites, that an installation was selected for. Those that are gone
// since, or elsewhere, may be among them.
func InstalledOnKey(installation string, what Installed) redis.Key {
	return IndexKey(IntegrationContent, IndexInstalled, installation, string(what))
}

// Installed reads an installation on a space or site.
func (tx *Tx) Installed(installation, content string) (InstalledDocument, error) {
	return ReadDocument[api.InstallationContentFields, InstalledPrivate](tx, InstalledKey(installation, content))
}

// PutInstalled writes an installation on a space or site with its index.
func (tx *Tx) PutInstalled(d InstalledDocument) (txn.Record, error) {
	at := d.Private
	tx.Add(InstalledOnKey(at.Installation, installedAs(at.Content)), at.Content)
	return PutDocument(tx, InstalledKey(at.Installation, at.Content), d)
}

// DeleteInstalled removes an installation from a space or site.
func (tx *Tx) DeleteInstalled(installation, content string) {
	tx.Delete(InstalledKey(installation, content))
	tx.Remove(InstalledOnKey(installation, installedAs(content)), content)
}

// Selection is what an installation was selected for, as it was read before a transaction.
type Selection struct {
	installation string
	Spaces       []string
	Sites        []string
}

// QueueSelection reads the selection of an installation with a batch.
func QueueSelection(b *txn.Batch, installation string) func() Selection {
	spaces := b.Range(InstalledOnKey(installation, InstalledSpaces), "", api.MaxSelected, false)
	sites := b.Range(InstalledOnKey(installation, InstalledSites), "", api.MaxSelected, false)
	return func() Selection { return Selection{installation, spaces.Value(), sites.Value()} }
}

// Of are the spaces, or the sites.
func (s Selection) Of(what Installed) []string {
	if what == InstalledSites {
		return s.Sites
	}
	return s.Spaces
}

// Hold makes sure that a selection still is what was read; it is ErrStale otherwise. Whatever joins or leaves it after
// that makes the commit fail.
func (s Selection) Hold(tx *Tx) error {
	for what, ids := range map[Installed][]string{InstalledSpaces: s.Spaces, InstalledSites: s.Sites} {
		size, err := tx.Card(InstalledOnKey(s.installation, what))
		if err != nil {
			return err
		}
		if size != int64(len(ids)) {
			return redis.ErrStale
		}
	}
	return nil
}
