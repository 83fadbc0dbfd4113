package rest

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// charged reports whether the operation is held to the quota of its organization. What takes away never is: it is
// what one does when there is no room.
func (e *Endpoint) charged() bool { return e.Row.Method != http.MethodDelete }

// makes reports whether the operation adds something, however small. Others may make a record a little larger when
// the quota is used up: archive, resolve, move, give a role, turn something off.
func (e *Endpoint) makes() bool { return e.Row.Status == http.StatusCreated }

// QuotaExceeded is the answer to what has no room: how much there may be and how much there is.
func QuotaExceeded(e *txn.Exceeded) *api.Error {
	return Exceeded("This organization", e.What, e.Limit, e.Use).
		WithHint("Purge deleted spaces, delete what is not needed, or ask who runs the server for more (wsd quota).")
}

// Exceeded is a 403 that names limit and use.
func Exceeded(who, what string, limit, use int64) *api.Error {
	e := api.Errorf(http.StatusForbidden, api.ReasonQuotaExceeded, "%s may have %d %s and has %d: there is no room for more.", who, limit, what, use)
	e.Fields = []api.FieldError{
		{Path: "limit." + what, Message: fmt.Sprint(limit)},
		{Path: "use." + what, Message: fmt.Sprint(use)},
	}
	return e
}
