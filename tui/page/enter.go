package page

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
)

// EnterMsg asks the app to go into an organization.
type EnterMsg struct{ Organization api.Organization }

// FindMsg asks the app to offer places to choose from by letters of their names.
type FindMsg struct{ Entries []components.Entry }
