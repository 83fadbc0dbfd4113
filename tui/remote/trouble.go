package remote

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
)

// Trouble is why there is no newer value.
type Trouble struct {
	Label    string // in the last line: "offline", "not allowed"
	Sentence string // what stands in place of the content
}

// TroubleOf says what kind of trouble an error is.
func TroubleOf(err error) Trouble {
	refused, ok := api.AsError(err)
	switch {
	case errors.Is(err, context.Canceled):
		return Trouble{"cancelled", "This was not loaded."}
	case !ok:
		return Trouble{"offline", "The server does not answer."}
	case refused.Code == 401:
		return Trouble{"not signed in", "The server does not know this token any more."}
	case refused.Code == 403:
		return Trouble{"not allowed", "You may not see this."}
	case refused.Code == 404:
		return Trouble{"not found", "This is not there, or you may not see it."}
	case refused.Code == 429, refused.Code >= 500:
		return Trouble{"server busy", "The server is away or busy."}
	default:
		return Trouble{"refused", "The server refuses this."}
	}
}

// Explain is an error with its hint and its fields.
func Explain(err error) []string {
	refused, ok := api.AsError(err)
	if !ok {
		return []string{err.Error()}
	}
	lines := []string{refused.Message}
	if refused.Code == 401 {
		lines = []string{"wsctl auth login signs in again; drafts are kept, and p resumes them."}
	}
	for _, f := range refused.Fields {
		lines = append(lines, f.Path+": "+f.Message)
	}
	if refused.Hint != "" && refused.Code != 401 {
		lines = append(lines, "hint: "+refused.Hint)
	}
	return lines
}
