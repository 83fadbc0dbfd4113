package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// TeamDocument is the document of a team. Its members are stored in the member records.
type TeamDocument = Document[api.TeamFields, struct{}]

// TeamPrefix is the prefix of the identifiers of teams.
const TeamPrefix = "tm_"

// Team reads a team's document.
func (tx *Tx) Team(org, id string) (TeamDocument, error) {
	return ReadDocument[api.TeamFields, struct{}](tx, TeamKey(org, id))
}

// PutTeam writes a team with its access entry, which is its public half.
func (tx *Tx) PutTeam(org string, t TeamDocument) (txn.Record, error) {
	r, err := PutDocument(tx, TeamKey(org, t.Fields.ID), t)
	if err == nil {
		tx.SetAccess(t.Fields.ID, r.Public)
	}
	return r, err
}

// DeleteTeam removes a team. tx must have read it. Members may still refer to it; a team without an access entry grants
// nothing.
func (tx *Tx) DeleteTeam(org, id string) {
	tx.Delete(TeamKey(org, id))
	tx.SetAccess(id, nil)
}
