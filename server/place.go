package server

import (
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// place is where content stands: a space, or a change request of it.
type place struct {
	space   string
	request string // as in the path, "" for the space itself
}

// headID names the place's head.
func (p place) headID() string {
	if p.request == "" {
		return p.space
	}
	return rest.RequestKey(p.space, p.request)
}

// placed is a place as the request's pipeline reads it.
type placed struct {
	place
	record *txn.Future[txn.Record]
	head   *txn.Future[string]
}

// get returns the head and the version of an ETag that stands for it.
func (p placed) get() (head store.Head, version string, err error) {
	record, ok, err := p.record.Get()
	if err != nil || !ok {
		return head, "", rest.Missing(err)
	}
	if p.request != "" {
		var request store.ChangeRequestDocument
		if err := request.Decode(record); err != nil {
			return head, "", err
		}
		if !names(p.request, request) {
			return head, "", api.NotFound()
		}
	}
	text, ok, err := p.head.Get()
	if err != nil || !ok {
		return head, "", rest.Missing(err)
	}
	head, err = store.ParseHead(text)
	return head, rest.RecordVersion(record) + "." + head.Revision, err
}

func (s *Server) placed(c *rest.Call, b *txn.Batch, p place) placed {
	org := c.Org
	key := store.SpaceKey(org, p.space)
	if p.request != "" {
		key = store.ChangeRequestKey(org, p.headID())
	}
	return placed{place: p, record: b.Record(key), head: b.Field(store.HeadsKey(org), p.headID())}
}

func placeOf(ref api.ChangeRequestRef) place {
	return place{space: ref.Space, request: ref.ChangeRequest}
}

// names reports whether an id or number from a path names the change request that it led to.
func names(idOrNumber string, request store.ChangeRequestDocument) bool {
	return idOrNumber == request.Fields.ID || idOrNumber == strconv.Itoa(request.Fields.Number)
}
