package revision

import (
	"cmp"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Target identifies content with a head: a space or one of its change requests.
type Target struct {
	Space         string
	ChangeRequest string // id or number as in the path, "" for the space itself
}

// HeadID returns the id of the head of the target.
func (t Target) HeadID() string {
	if t.ChangeRequest == "" {
		return t.Space
	}
	return store.RequestIDOf(t.Space, t.ChangeRequest)
}

// TargetRead is the pending read of the head and the record of a target.
type TargetRead struct {
	Target
	Record *txn.Future[txn.Record]
	head   *txn.Reply[string]
}

// Get returns the head and the version for its ETag, after the batch was sent. It returns a not_found error if the
// target does not exist.
func (l TargetRead) Get() (head store.Head, version string, err error) {
	record, ok, err := l.Record.Get()
	if err != nil || !ok {
		return head, "", cmp.Or(err, error(api.NotFound()))
	}
	if l.ChangeRequest != "" {
		var request store.ChangeRequestDocument
		if err := request.Decode(record); err != nil {
			return head, "", err
		}
		if !MatchesRequest(l.ChangeRequest, request) {
			return head, "", api.NotFound()
		}
	}
	text, ok := l.head.Get()
	if !ok {
		return head, "", api.NotFound()
	}
	head, err = store.ParseHead(text)
	return head, strconv.FormatInt(record.Version, 10) + "." + head.Revision, err
}

// ReadTarget adds the reads of the head and the record of a target to b.
func (rs *Revisions) ReadTarget(org string, b *txn.Batch, p Target) TargetRead {
	key := store.SpaceKey(org, p.Space)
	if p.ChangeRequest != "" {
		key = store.ChangeRequestKey(org, p.HeadID())
	}
	return TargetRead{Target: p, Record: b.Record(key), head: b.Field(store.HeadsKey(org), p.HeadID())}
}

// RequestTarget returns the target of a change request.
func RequestTarget(ref api.ChangeRequestRef) Target {
	return Target{Space: ref.Space, ChangeRequest: ref.ChangeRequest}
}

// MatchesRequest reports whether an id or number from a path is that of the change request.
func MatchesRequest(idOrNumber string, request store.ChangeRequestDocument) bool {
	return idOrNumber == request.Fields.ID || idOrNumber == strconv.Itoa(request.Fields.Number)
}
