package store

import (
	"encoding/json"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
)

// SettingsEntry is the id of the access entry with the settings of an organization that authorization needs. An organization
// without such settings has none.
const SettingsEntry = "settings"

// OrganizationSettings is the access entry with the id SettingsEntry. It is derived from the record of the organization.
type OrganizationSettings struct {
	// Moved is set so that builds which do not know the entry do not take it for a collection.
	Moved           string `json:"moved"`
	TokenMaxAgeDays int    `json:"tokenMaxAgeDays"`
}

// TokenMaxAge returns the maximum age of tokens of people in the organization; 0 = none.
func (s OrganizationSettings) TokenMaxAge() time.Duration { return TokenMaxAge(s.TokenMaxAgeDays) }

// TokenMaxAge returns a number of days as a duration.
func TokenMaxAge(days int) time.Duration { return time.Duration(days) * 24 * time.Hour }

// SetSettings writes the access entry with the settings of an organization, or removes it if it has none of these.
func (tx *Tx) SetSettings(f api.OrganizationFields) error {
	if f.TokenMaxAgeDays == 0 {
		tx.SetAccess(SettingsEntry, nil)
		return nil
	}
	entry, err := json.Marshal(OrganizationSettings{Moved: "-", TokenMaxAgeDays: f.TokenMaxAgeDays})
	if err != nil {
		return fmt.Errorf("access entry of the settings of %s: %w", f.ID, err)
	}
	tx.SetAccess(SettingsEntry, entry)
	return nil
}
