package remote

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
)

// Trouble says in a few words why there is no newer value: denied, not there, offline.
func Trouble(err error) string {
	refused, ok := api.AsError(err)
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case !ok:
		return "offline"
	case refused.Code == 401:
		return "not signed in"
	case refused.Code == 403:
		return "not allowed"
	case refused.Code == 404:
		return "not found"
	case refused.Code == 429, refused.Code >= 500:
		return "server busy"
	default:
		return "refused"
	}
}

// Explain is an error with its hint and its fields.
func Explain(err error) []string {
	refused, ok := api.AsError(err)
	if !ok {
		return []string{err.Error()}
	}
	lines := []string{refused.Message}
	for _, f := range refused.Fields {
		lines = append(lines, f.Path+": "+f.Message)
	}
	if refused.Hint != "" {
		lines = append(lines, "hint: "+refused.Hint)
	}
	return lines
}
