package page

import "docspace.dev/wsd/client/api"

// EnterMsg asks the app to go into an organization.
type EnterMsg struct{ Organization api.Organization }
