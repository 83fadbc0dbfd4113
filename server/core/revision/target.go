package revision

import (
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Target is where content stands: a space, or a change request of it.
type Target struct {
	Space         string
	ChangeRequest string // as in the path, "" for the space itself
}

// HeadID names the target's head.
func (p Target) HeadID() string {
	if p.ChangeRequest == "" {
		return p.Space
	}
	return rest.RequestKey(p.Space, p.ChangeRequest)
}

// Located is a target as the request's pipeline reads it.
type Located struct {
	Target
	Record *txn.Future[txn.Record]
	head   *txn.Reply[string]
}

// Get returns the head and the version of an ETag that stands for it.
func (p Located) Get() (head store.Head, version string, err error) {
	record, ok, err := p.Record.Get()
	if err != nil || !ok {
		return head, "", rest.Missing(err)
	}
	if p.ChangeRequest != "" {
		var request store.ChangeRequestDocument
		if err := request.Decode(record); err != nil {
			return head, "", err
		}
		if !Matches(p.ChangeRequest, request) {
			return head, "", api.NotFound()
		}
	}
	text, ok := p.head.Get()
	if !ok {
		return head, "", api.NotFound()
	}
	head, err = store.ParseHead(text)
	return head, rest.RecordVersion(record) + "." + head.Revision, err
}

// Placed queues the head and the record of a target.
func (s *Revisions) Placed(c *rest.Call, b *txn.Batch, p Target) Located {
	org := c.Org
	key := store.SpaceKey(org, p.Space)
	if p.ChangeRequest != "" {
		key = store.ChangeRequestKey(org, p.HeadID())
	}
	return Located{Target: p, Record: b.Record(key), head: b.Field(store.HeadsKey(org), p.HeadID())}
}

// TargetOf is the change request that a path names.
func TargetOf(ref api.ChangeRequestRef) Target {
	return Target{Space: ref.Space, ChangeRequest: ref.ChangeRequest}
}

// Matches reports whether an id or number from a path names the change request that it led to.
func Matches(idOrNumber string, request store.ChangeRequestDocument) bool {
	return idOrNumber == request.Fields.ID || idOrNumber == strconv.Itoa(request.Fields.Number)
}
