package store

import (
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ReviewPrivate is the server-side part of a review.
type ReviewPrivate struct {
	ReviewVerdict
	Target      string `json:"target"` // RequestID of the change request
	RequestedBy string `json:"requestedBy,omitzero"`
	Comment     string `json:"comment,omitzero"` // id of the comment with the explanation
}

// ReviewVerdict is a user's review of the changes between Base, a revision of the space, and Revision, one of the
// change request. Both are immutable, so the reviewed diff can always be reproduced.
type ReviewVerdict struct {
	User     string           `json:"user"`
	Review   string           `json:"review"`
	Status   api.ReviewStatus `json:"status"`
	Revision string           `json:"revision"`
	Base     string           `json:"base"`
	Service  bool             `json:"service,omitzero"` // given by a service account
}

// ReviewDocument is the document of a review.
type ReviewDocument = Document[api.ReviewFields, ReviewPrivate]

// ReviewsKey returns the key of the index of the reviews of a change request, given by its RequestID. Its members are ids.
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

// LastReview returns the last review of a user; ok is false if there is none.
func (p RequestPrivate) LastReview(user string) (v ReviewVerdict, ok bool) {
	i := slices.IndexFunc(p.Verdicts, func(v ReviewVerdict) bool { return v.User == user })
	if i < 0 {
		return ReviewVerdict{}, false
	}
	return p.Verdicts[i], true
}

// SetVerdict replaces the last review of its user.
func (p *RequestPrivate) SetVerdict(v ReviewVerdict) {
	others := slices.DeleteFunc(slices.Clone(p.Verdicts), func(old ReviewVerdict) bool { return old.User == v.User })
	p.Verdicts = append(others, v)
}
