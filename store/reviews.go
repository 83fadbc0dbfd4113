package store

import (
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ReviewPrivate is what only the server reads of a review.
type ReviewPrivate struct {
	ReviewVerdict
	Target      string `json:"target"` // RequestID of the change request
	RequestedBy string `json:"requestedBy,omitzero"`
	Comment     string `json:"comment,omitzero"` // id of the comment that says why
}

// ReviewVerdict is what a user found about the changes of a request: those between Base, a revision of the space, and
// Revision, one of the request. Both are immutable, so that what was seen can be told for ever.
type ReviewVerdict struct {
	User     string           `json:"user"`
	Review   string           `json:"review"`
	Status   api.ReviewStatus `json:"status"`
	Revision string           `json:"revision"`
	Base     string           `json:"base"`
}

// ReviewDocument is the document of a review.
type ReviewDocument = Document[api.ReviewFields, ReviewPrivate]

// ReviewsKey is the index of the reviews of a change request, given by its RequestID. Its members are ids.
func ReviewsKey(org, request string) redis.Key { return IndexKey(org, IndexReviews, request) }

// Review reads a review.
func (tx *Tx) Review(org, id string) (ReviewDocument, error) {
	return ReadDocument[api.ReviewFields, ReviewPrivate](tx, ReviewKey(org, id))
}

// PutReview writes a review with its index.
func (tx *Tx) PutReview(org string, r ReviewDocument) (txn.Record, error) {
	tx.Add(ReviewsKey(org, r.Private.Target), r.Fields.ID)
	return PutDocument(tx, ReviewKey(org, r.Fields.ID), r)
}

// LastReview is the last review of a user, with the revision that they saw; ok is false for who made none.
func (p RequestPrivate) LastReview(user string) (v ReviewVerdict, ok bool) {
	at := slices.IndexFunc(p.Verdicts, func(v ReviewVerdict) bool { return v.User == user })
	if at < 0 {
		return ReviewVerdict{}, false
	}
	return p.Verdicts[at], true
}

// SetVerdict makes a verdict the last one of its user.
func (p *RequestPrivate) SetVerdict(v ReviewVerdict) {
	others := slices.DeleteFunc(slices.Clone(p.Verdicts), func(old ReviewVerdict) bool { return old.User == v.User })
	p.Verdicts = append(others, v)
}
