package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Index names of sites.
const (
	IndexLinks     = "links"     // share links of a site
	IndexBasenames = "basenames" // site with a basename
)

// SiteDocument is the document of a site, including its structure, so that changes of the structure are atomic.
type SiteDocument = Document[api.SiteFields, SitePrivate]

// SitePrivate is the server-side part of a site.
type SitePrivate struct {
	Creator  string              `json:"creator"`
	Proxy    string              `json:"proxy,omitzero"`  // host and path of a reverse proxy for the site
	Teams    map[string]api.Role `json:"teams,omitempty"` // grants of teams
	Groups   []SiteGroup         `json:"groups,omitempty"`
	Sections []SiteSection       `json:"sections,omitempty"`
	Spaces   []SiteSpace         `json:"spaces,omitempty"`
	Schema   *SiteSchema         `json:"schema,omitempty"` // schema of the visitors' claims
	Auth     SiteAuth            `json:"auth,omitzero"`

	Customization *api.SiteCustomization `json:"customization,omitempty"` // title and icon are omitted if they are the site's
}

// SiteSchema describes the visitor claims of a site.
type SiteSchema struct {
	JSON      json.RawMessage `json:"json"`
	UpdatedAt api.Time        `json:"updatedAt"`
}

// SiteAuth configures the authentication of a site's visitors.
type SiteAuth struct {
	Key         string `json:"key,omitzero"` // signing key of visitor tokens; encrypted
	FallbackURL string `json:"fallbackURL,omitzero"`
}

// SiteGroup is a group of sections of a site.
type SiteGroup struct {
	Fields api.SiteSectionGroupFields `json:"fields"`
	Order  string                     `json:"order"` // among the groups and the sections outside groups
}

// SiteSection is a section of a site. One section of a site is the default.
type SiteSection struct {
	Fields api.SiteSectionFields `json:"fields"`
	Order  string                `json:"order"`         // in its group, or among the groups
	Root   bool                  `json:"root,omitzero"` // its site spaces keep their paths from before the site had sections
}

// SiteSpace is a space shown in a section of a site, or at the root of a site without sections. One space of each
// section is the default.
type SiteSpace struct {
	ID        string `json:"id"`
	Section   string `json:"section,omitzero"` // "" = at the root
	Space     string `json:"space"`
	Path      string `json:"path"`
	Condition string `json:"condition,omitzero"`
	Default   bool   `json:"default,omitzero"`
	Order     string `json:"order"` // in the section, or at the root
}

// SiteEntry is the access entry of a site: the data that authorization, visibility, counts and the published paths
// need. It is derived from the record in the same transaction.
type SiteEntry struct {
	Visibility api.SiteVisibility  `json:"visibility"`
	Published  bool                `json:"published,omitzero"`
	Agents     api.AgentsContext   `json:"agents"`
	Hostname   string              `json:"hostname,omitzero"`
	Basename   string              `json:"basename,omitzero"`
	Proxy      string              `json:"proxy,omitzero"`
	Creator    string              `json:"creator"`
	Teams      map[string]api.Role `json:"teams,omitempty"`
	Spaces     []SiteEntrySpace    `json:"spaces,omitempty"`

	Adaptive    bool            `json:"adaptive,omitzero"`   // conditions depend on claims
	Schema      json.RawMessage `json:"schema,omitempty"`    // schema of the claims
	VisitorKey  string          `json:"visitorKey,omitzero"` // signing key of visitor tokens; encrypted
	FallbackURL string          `json:"fallbackURL,omitzero"`
}

// SiteEntrySpace is a space shown by a site and its path.
type SiteEntrySpace struct {
	Space      string   `json:"space"`
	Path       string   `json:"path"`                 // below the site's address
	Conditions []string `json:"conditions,omitempty"` // of the space and its section; all must be met
}

// Entry returns the access entry of a site.
func (p *SitePrivate) Entry(f api.SiteFields) SiteEntry {
	e := SiteEntry{
		Visibility: f.Visibility, Published: f.Published, Agents: f.AgentsContext, Hostname: f.Hostname, Basename: f.Basename,
		Proxy: p.Proxy, Creator: p.Creator, Teams: p.Teams,
		Adaptive: f.AdaptiveContent.Enabled, VisitorKey: p.Auth.Key, FallbackURL: p.Auth.FallbackURL,
	}
	if p.Schema != nil {
		e.Schema = p.Schema.JSON
	}
	for _, s := range p.Spaces {
		shown := SiteEntrySpace{Space: s.Space, Path: p.PublishedPath(s)}
		shown.addCondition(s.Condition)
		if section := p.Section(s.Section); section != nil {
			shown.addCondition(section.Fields.Condition)
		}
		e.Spaces = append(e.Spaces, shown)
	}
	return e
}

// addCondition adds a condition unless it is empty.
func (s *SiteEntrySpace) addCondition(condition string) {
	if condition != "" {
		s.Conditions = append(s.Conditions, condition)
	}
}

// Site reads a site's document.
func (tx *Tx) Site(org, id string) (SiteDocument, error) {
	return ReadDocument[api.SiteFields, SitePrivate](tx, SiteKey(org, id))
}

// BasenamesKey returns the key of the index of the site with a basename; it has at most one member.
func BasenamesKey(org, basename string) redis.Key {
	sum := sha256.Sum256([]byte(basename))
	return IndexKey(org, IndexBasenames, hex.EncodeToString(sum[:]))
}

// Rename sets the basename of a site. It returns ErrExists if another site of the organization has it. The caller
// puts the site.
func (tx *Tx) Rename(org string, d *SiteDocument, basename string) error {
	taken, err := tx.Cardinality(BasenamesKey(org, basename))
	if err != nil {
		return err
	}
	if taken > 0 {
		return txn.ErrExists
	}
	if d.Fields.Basename != "" {
		tx.Remove(BasenamesKey(org, d.Fields.Basename), d.Fields.ID)
	}
	d.Fields.Basename = basename
	return nil
}

// PutSite writes a site with its access entry.
func (tx *Tx) PutSite(org string, d SiteDocument) (txn.Record, error) {
	if d.Fields.Basename != "" {
		tx.Add(BasenamesKey(org, d.Fields.Basename), d.Fields.ID)
	}
	entry, err := json.Marshal(d.Private.Entry(d.Fields))
	if err != nil {
		return txn.Record{}, fmt.Errorf("access entry of %s: %w", d.Fields.ID, err)
	}
	tx.SetAccess(d.Fields.ID, entry)
	return PutDocument(tx, SiteKey(org, d.Fields.ID), d)
}

// DeleteSite removes a site. tx must have read it. The caller removes its share links.
func (tx *Tx) DeleteSite(org string, d SiteDocument) {
	if d.Fields.Basename != "" {
		tx.Remove(BasenamesKey(org, d.Fields.Basename), d.Fields.ID)
	}
	tx.Delete(SiteKey(org, d.Fields.ID))
	tx.SetAccess(d.Fields.ID, nil)
}
