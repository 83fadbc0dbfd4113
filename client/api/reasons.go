package api

import "net/http"

// reasons lists the reasons of responses with their meaning. ReasonGaveUp is missing, because its caller gets no response.
var reasons = []struct {
	reason  Reason
	status  int // the usual one
	meaning string
}{
	{
		ReasonMalformed, http.StatusBadRequest,
		"The request cannot be read: it is not JSON, has a key twice, or has data after its end.",
	},
	{ReasonInvalidParam, http.StatusBadRequest, "A path, query or header parameter is wrong. The fields name each violation."},
	{ReasonInvalidCursor, http.StatusBadRequest, "The cursor in `page` is not one of this list with these filters."},
	{ReasonUnauthenticated, http.StatusUnauthorized, "The token is missing, unknown, expired or revoked."},
	{ReasonForbidden, http.StatusForbidden, "The caller may see the resource and may not do this."},
	{ReasonTokenEndedHere, http.StatusForbidden, "An admin of the organization has ended the token for it."},
	{ReasonTokenTooOld, http.StatusForbidden, "The token is older than the organization allows."},
	{ReasonSSORequired, http.StatusForbidden, "Members of the organization sign in by its identity provider."},
	{
		ReasonQuotaExceeded, http.StatusForbidden,
		"A limit of the organization or the user is reached. The fields name the limit and its use.",
	},
	{ReasonNotFound, http.StatusNotFound, "The resource does not exist, or is hidden from the caller."},
	{ReasonTooSlow, http.StatusRequestTimeout, "The request did not arrive in time."},
	{ReasonConflict, http.StatusConflict, "The request contradicts something that exists, such as a name that is taken."},
	{ReasonNoChange, http.StatusConflict, "The move changes nothing."},
	{ReasonState, http.StatusConflict, "The request is not possible in the current state of the resource."},
	{ReasonMergeRules, http.StatusConflict, "The merge rules are not met. The fields name them."},
	{ReasonSpaceLocked, http.StatusConflict, "The content of the space is changed by change requests only."},
	{ReasonInUse, http.StatusConflict, "The resource is in use. The fields list where."},
	{ReasonAnswerSecret, http.StatusConflict, "The request was made before; its response had a secret and was not kept."},
	{ReasonContentLost, http.StatusGone, "The content of the revision was lost, and its loss was accepted in a repair."},
	{ReasonPrecondition, http.StatusPreconditionFailed, "The resource has changed: If-Match names another version."},
	{ReasonTooLarge, http.StatusRequestEntityTooLarge, "The body, or what it contains, is too large."},
	{ReasonMediaType, http.StatusUnsupportedMediaType, "The media type, charset or encoding of the body is not supported."},
	{ReasonInvalid, http.StatusUnprocessableEntity, "The body violates its schema or a rule. The fields name each violation."},
	{ReasonKeyReused, http.StatusUnprocessableEntity, "The Idempotency-Key was used for another request."},
	{ReasonRateLimited, http.StatusTooManyRequests, "The caller has made too many requests. Retry-After says when to go on."},
	{ReasonHeaders, http.StatusRequestHeaderFieldsTooLarge, "The headers are too large."},
	{ReasonInternal, http.StatusInternalServerError, "An error of the server, which its log explains."},
	{
		ReasonContentUnreadable, http.StatusInternalServerError,
		"A part of the content is missing or damaged and must be repaired by the operator.",
	},
	{ReasonNotRun, http.StatusNotImplemented, "The server stores integrations and does not run their code."},
	{ReasonUnavailable, http.StatusServiceUnavailable, "The data store cannot be reached. Nothing was written."},
	{ReasonStoreFull, http.StatusServiceUnavailable, "The data store is full. Nothing was written; the operator must free memory."},
	{ReasonBusy, http.StatusServiceUnavailable, "The server is busy with other slow work. Nothing was written."},
	{
		ReasonOutcomeUnknown, http.StatusServiceUnavailable,
		"The write may have been applied, completely or in part. With an Idempotency-Key it can be repeated.",
	},
	{
		ReasonReplicasBehind, http.StatusServiceUnavailable,
		"Replicas have not received the data that the change refers to. Nothing was written.",
	},
	{ReasonSecret, http.StatusServiceUnavailable, "This node does not have the secrets of the data. Nothing was written."},
	{
		ReasonNewerForm, http.StatusServiceUnavailable,
		"The data was written by a newer version of the server, which this node cannot read.",
	},
	{
		ReasonUpgradePending, http.StatusServiceUnavailable,
		"The change needs a newer form of the data, which the operator has not enabled yet. Nothing was written.",
	},
	{ReasonMethod, http.StatusMethodNotAllowed, "The method is not possible at this path."},
}

// Values returns the reasons of responses.
func (Reason) Values() []Reason {
	all := make([]Reason, len(reasons))
	for i, r := range reasons {
		all[i] = r.reason
	}
	return all
}

// Meaning returns a sentence about the reason for users, or "" for an unknown one.
func (r Reason) Meaning() string {
	for _, known := range reasons {
		if known.reason == r {
			return known.meaning
		}
	}
	return ""
}

// Status returns the usual HTTP status of errors with the reason, or 0 for an unknown one.
func (r Reason) Status() int {
	for _, known := range reasons {
		if known.reason == r {
			return known.status
		}
	}
	return 0
}
