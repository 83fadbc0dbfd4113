package store

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// SubmissionPrivate is the server-side part of a submitted draft review.
type SubmissionPrivate struct {
	Request string `json:"request"` // RequestID of the change request
	User    string `json:"user"`
	Content string `json:"content"` // hash of the submitted content
}

// SubmissionDocument is the document of a submitted draft review. Its fields are the immutable response.
type SubmissionDocument = Document[api.Submission, SubmissionPrivate]

// IndexSubmissions is the index of the submissions to a change request. Its members are parsed by SplitSubmission.
const IndexSubmissions = "submissions"

// SubmissionKey returns the key of the record of a submission, whose id was chosen by its user.
func SubmissionKey(org, request, user, submission string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "sub", request, user, submission)
}

// SubmissionsKey returns the key of the index of the submissions to a change request.
func SubmissionsKey(org, request string) redis.Key { return IndexKey(org, IndexSubmissions, request) }

const submissionSeparator = "~"

// SplitSubmission parses a member of the index of submissions.
func SplitSubmission(member string) (user, submission string) {
	user, submission, _ = strings.Cut(member, submissionSeparator)
	return user, submission
}

// Submission reads a submission.
func (tx *Tx) Submission(org, request, user, submission string) (SubmissionDocument, error) {
	return ReadDocument[api.Submission, SubmissionPrivate](tx, SubmissionKey(org, request, user, submission))
}

// PutSubmission writes a submission with its index.
func (tx *Tx) PutSubmission(org string, d SubmissionDocument) (txn.Record, error) {
	p := d.Private
	tx.Add(SubmissionsKey(org, p.Request), p.User+submissionSeparator+d.Fields.ID)
	return putReusable(tx, SubmissionKey(org, p.Request, p.User, d.Fields.ID), d)
}
