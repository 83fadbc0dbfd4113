package view

import (
	"encoding/json"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
)

// Person writes out a user as other resources show one. The text is never absent: whoever was a member once keeps
// a name.
func (s *Writer) Person(model *access.Model, id string) json.RawMessage {
	var fields []byte
	if p := model.Person(id); p != nil {
		fields = p.Written
	} else if id == SystemUser {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: systemName})
	} else {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: formerMember})
	}
	return s.User(model.Org, id, fields)
}

// NameOf is what a user is called in a sentence.
func (s *Writer) NameOf(model *access.Model, id string) string {
	switch p := model.Person(id); {
	case p != nil:
		return p.User.DisplayName
	case id == SystemUser:
		return systemName
	}
	return formerMember
}

// User writes out the public fields of a user with the address of their membership.
func (s *Writer) User(org, id string, fields []byte) json.RawMessage {
	data, _ := rest.Extend(fields).Set("urls", api.LocationURLs{Location: s.memberURL(org, id)}).Bytes()
	return data
}

func (s *Writer) memberURL(org, user string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/members/" + user
}

// SystemUser is the author of what wsd does by itself.
const SystemUser = "u_system"

// What those are called who are no members.
const (
	systemName   = "wsd"
	formerMember = "Former member"
)
