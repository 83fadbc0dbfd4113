package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Read marks are private to a user. They are stored separately from the change request, do not change it, and are
// removed with it or when the user leaves.

// ReadingFields identifies the change request and the user of a reading.
type ReadingFields struct {
	Request string `json:"request"` // RequestID
	User    string `json:"user"`
}

// ReadingPrivate is the set of read marks of a user in a change request.
type ReadingPrivate struct {
	Marks    []ReadMark `json:"marks,omitempty"` // oldest first
	LastLook string     `json:"lastLook,omitzero"`
}

// ReadMark marks an item as read in its state at the time.
type ReadMark struct {
	ID       string   `json:"id"`
	Seen     string   `json:"seen"` // identifies the state: see revision.DiffCache.Sights
	MarkedAt api.Time `json:"at"`
}

// ReadingDocument is the document of a reading.
type ReadingDocument = Document[ReadingFields, ReadingPrivate]

// Indexes of readings: of a change request by user, and of a user by change request.
const (
	IndexReadings = "readings"
	IndexReader   = "reader"
)

// ReadingKey returns the key of the record of a user's read marks in a change request, given by its RequestID.
func ReadingKey(org, request, user string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "read", request, user)
}

// ReadingsKey returns the key of the index of the users with read marks in a change request.
func ReadingsKey(org, request string) redis.Key { return IndexKey(org, IndexReadings, request) }

// ReaderKey returns the key of the index of the change requests with read marks of a user.
func ReaderKey(org, user string) redis.Key { return IndexKey(org, IndexReader, user) }

// Reading reads a user's read marks in a change request.
func (tx *Tx) Reading(org, request, user string) (ReadingDocument, error) {
	return ReadDocument[ReadingFields, ReadingPrivate](tx, ReadingKey(org, request, user))
}

// PutReading writes a reading with its indexes.
func (tx *Tx) PutReading(org string, d ReadingDocument) (txn.Record, error) {
	f := d.Fields
	tx.Add(ReadingsKey(org, f.Request), f.User)
	tx.Add(ReaderKey(org, f.User), f.Request)
	return putReusable(tx, ReadingKey(org, f.Request, f.User), d)
}

// SavedQueriesDocument is the document of the queries that a user has saved in an organization.
type SavedQueriesDocument = Document[api.SavedQueries, struct{}]

// SavedQueriesKey returns the key of the record of the queries that a user has saved in an organization.
func SavedQueriesKey(org, user string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "saved", user)
}

// SavedQueries reads the queries that a user has saved.
func (tx *Tx) SavedQueries(org, user string) (SavedQueriesDocument, error) {
	return ReadDocument[api.SavedQueries, struct{}](tx, SavedQueriesKey(org, user))
}

// ForgetKind is the kind of the job that removes the private data of a former member.
const ForgetKind = "forget"
