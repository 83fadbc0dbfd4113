package api

// UnseenReason says how something is not as a review saw it.
type UnseenReason string

// The reasons.
const (
	UnseenCreated  UnseenReason = "created"
	UnseenDeleted  UnseenReason = "deleted"
	UnseenText     UnseenReason = "text"
	UnseenPlace    UnseenReason = "place"
	UnseenSettings UnseenReason = "settings"
	UnseenIncluded UnseenReason = "included" // a reusable content or variable in it
)

// Values returns the reasons.
func (UnseenReason) Values() []UnseenReason {
	return []UnseenReason{UnseenCreated, UnseenDeleted, UnseenText, UnseenPlace, UnseenSettings, UnseenIncluded}
}
