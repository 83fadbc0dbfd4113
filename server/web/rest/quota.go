package rest

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// countsTowardsQuota reports whether the operation is subject to the quota of its organization. Deletes are not, since they are
// the way to get below it.
func (e *Endpoint) countsTowardsQuota() bool { return e.Row.Method != http.MethodDelete }

// creates reports whether the operation creates something. Other operations may enlarge records a little when the quota
// is used up: archive, resolve, move, grant a role, disable something.
func (e *Endpoint) creates() bool { return e.Row.Status == http.StatusCreated }

// QuotaExceeded returns the error for an organization that has used up its quota, with the limit and the use.
func QuotaExceeded(e *txn.QuotaError) *api.Error {
	return Exceeded("This organization", e.Resource, e.Limit, e.Usage).
		WithHint("Purge deleted spaces, delete what is not needed, or ask who runs the server for more (wsd quota).")
}

// Exceeded returns a 403 with the limit and the use of a quota.
func Exceeded(who, what string, limit, use int64) *api.Error {
	e := api.Errorf(http.StatusForbidden, api.ReasonQuotaExceeded, "%s may have %d %s and has %d: there is no room for more.", who,
		limit, what, use)
	e.Fields = []api.FieldError{
		{Path: "limit." + what, Message: fmt.Sprint(limit)},
		{Path: "use." + what, Message: fmt.Sprint(use)},
	}
	return e
}
