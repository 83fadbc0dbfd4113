package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// SettingsEntry is the id of the access entry with the settings of an organization that authorization needs. An organization
// without such settings has none.
const SettingsEntry = "settings"

// OrganizationSettings is the access entry with the id SettingsEntry. It is derived from the record of the organization.
type OrganizationSettings struct {
	// Moved is set so that builds which do not know the entry do not take it for a collection.
	Moved           string `json:"moved"`
	TokenMaxAgeDays int    `json:"tokenMaxAgeDays"`
	SSO             bool   `json:"sso,omitzero"` // see OrganizationPrivate.EnforcesSSO
}

// TokenMaxAge returns the maximum age of tokens of people in the organization; 0 = none.
func (s OrganizationSettings) TokenMaxAge() time.Duration { return TokenMaxAge(s.TokenMaxAgeDays) }

// TokenMaxAge returns a number of days as a duration.
func TokenMaxAge(days int) time.Duration { return time.Duration(days) * 24 * time.Hour }

// SetSettings writes the access entry with the settings of an organization, or removes it if it has none of these.
func (tx *Tx) SetSettings(o OrganizationDocument) error {
	settings := OrganizationSettings{Moved: "-", TokenMaxAgeDays: o.Fields.TokenMaxAgeDays, SSO: o.Private.EnforcesSSO}
	if !settings.areSet() {
		tx.SetAccess(SettingsEntry, nil)
		return nil
	}
	entry, err := json.Marshal(settings)
	if err != nil {
		return fmt.Errorf("access entry of the settings of %s: %w", o.Fields.ID, err)
	}
	tx.SetAccess(SettingsEntry, entry)
	return nil
}

// areSet reports whether a setting differs from its default.
func (s OrganizationSettings) areSet() bool { return s.TokenMaxAgeDays != 0 || s.SSO }
