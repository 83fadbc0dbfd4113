package store

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// InstalledSelection is the type of content that an installation is selected for: spaces or sites. It is the filter of the
// index.
type InstalledSelection string

// Types of content.
const (
	InstalledSpaces InstalledSelection = "spaces"
	InstalledSites  InstalledSelection = "sites"
)

// contentKind returns the type of content of an id.
func contentKind(id string) InstalledSelection {
	if strings.HasPrefix(id, txn.SitePrefix) {
		return InstalledSites
	}
	return InstalledSpaces
}

// InstalledPrivate is the server-side part of an installation on a space or site.
type InstalledPrivate struct {
	Installation string `json:"installation"`
	Content      string `json:"content"` // id of the space or site
}

// InstalledDocument is the document of an installation on a space or site for which it was selected or configured.
type InstalledDocument = Document[api.InstallationContentFields, InstalledPrivate]

// IndexInstalled is the index of the content selected for an installation.
const IndexInstalled = "installed"

// InstalledKey returns the key of the record of an installation on a space or site.
func InstalledKey(installation, content string) redis.Key {
	return Integrations().Key(redis.RecordKind, "at", installation, content)
}

// InstalledOnKey returns the key of the index of the spaces, or the sites, that an installation was selected for. It may contain
// deleted or transferred ones.
func InstalledOnKey(installation string, kind InstalledSelection) redis.Key {
	return IndexKey(IntegrationContent, IndexInstalled, installation, string(kind))
}

// Installed reads an installation on a space or site.
func (tx *Tx) Installed(installation, content string) (InstalledDocument, error) {
	return ReadDocument[api.InstallationContentFields, InstalledPrivate](tx, InstalledKey(installation, content))
}

// PutInstalled writes an installation on a space or site with its index.
func (tx *Tx) PutInstalled(d InstalledDocument) (txn.Record, error) {
	at := d.Private
	tx.Add(InstalledOnKey(at.Installation, contentKind(at.Content)), at.Content)
	return putReusable(tx, InstalledKey(at.Installation, at.Content), d)
}

// DeleteInstalled removes an installation from a space or site.
func (tx *Tx) DeleteInstalled(installation, content string) {
	tx.Delete(InstalledKey(installation, content))
	tx.Remove(InstalledOnKey(installation, contentKind(content)), content)
}

// Selection is the content selected for an installation, read before a transaction.
type Selection struct {
	installation string
	Spaces       []string
	Sites        []string
}

// QueueSelection queues the read of an installation's selection.
func QueueSelection(b *txn.Batch, installation string) func() Selection {
	spaces := b.Range(InstalledOnKey(installation, InstalledSpaces), "", api.MaxSelected, false)
	sites := b.Range(InstalledOnKey(installation, InstalledSites), "", api.MaxSelected, false)
	return func() Selection { return Selection{installation, spaces.Value(), sites.Value()} }
}

// Of returns the selected spaces or sites.
func (s Selection) Of(kind InstalledSelection) []string {
	if kind == InstalledSites {
		return s.Sites
	}
	return s.Spaces
}

// Require adds the selection to the read set, with its records. It returns ErrStale if it has changed since it was read.
func (s Selection) Require(tx *Tx) error {
	for _, kind := range [...]InstalledSelection{InstalledSpaces, InstalledSites} {
		key := func(content string) redis.Key { return InstalledKey(s.installation, content) }
		if err := tx.RequireListed(InstalledOnKey(s.installation, kind), s.Of(kind), key); err != nil {
			return err
		}
	}
	return nil
}
