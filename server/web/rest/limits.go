package rest

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
)

// headers are those that the adapter reads.
var headers = api.Headers()

// checkHeaders refuses headers that are longer than the contract allows: what they say is kept, compared and said
// again.
func checkHeaders(r *http.Request) error {
	var wrong []api.FieldError
	for _, h := range headers {
		if n := len(r.Header.Get(h.Name)); n > h.Max {
			wrong = append(wrong, api.FieldError{Path: h.Name, Message: fmt.Sprintf("must have at most %d bytes, not %d", h.Max, n)})
		}
	}
	if len(wrong) > 0 {
		return api.InvalidParam(wrong...)
	}
	return nil
}

// contractLimits are the budgets that the contract's own code spends.
func contractLimits(b *budgets.Budgets) api.Limits {
	return api.Limits{
		Violations: int(b.Violations), Echo: int(b.Echo), QueryKeys: int(b.QueryKeys), Nesting: int(b.Nesting), Body: b.Body,
	}
}
