package rest

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
)

// knownHeaders are the request headers that the pipeline reads.
var knownHeaders = api.Headers()

// checkHeaders refuses headers that exceed the limits of the contract: their values are stored, compared and echoed.
func checkHeaders(r *http.Request) error {
	var wrong []api.FieldError
	for _, h := range knownHeaders {
		if n := len(r.Header.Get(h.Name)); n > h.Max {
			wrong = append(wrong, api.FieldError{Path: h.Name, Message: fmt.Sprintf("must have at most %d bytes, not %d", h.Max, n)})
		}
	}
	if len(wrong) > 0 {
		return api.InvalidParam(wrong...)
	}
	return nil
}

// contractLimits returns the budgets that the api package enforces.
func contractLimits(b *budgets.Budgets) api.Limits {
	return api.Limits{
		Violations: int(b.Violations), Echo: int(b.QuotedChars), QueryKeys: int(b.QueryKeys), Nesting: int(b.Nesting), Body: b.BodyBytes,
	}
}
