package view

import (
	"encoding/json"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
)

// Person returns the JSON of a user within other resources. Former members are included with a placeholder name.
func (w *Writer) Person(model *access.Model, id string) json.RawMessage {
	var fields []byte
	if p := model.Person(id); p != nil {
		fields = p.PublicFields
	} else if id == SystemUser {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: systemName})
	} else {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: formerMember})
	}
	return w.User(model.Org, id, fields)
}

// DisplayName returns the display name of a user, or a general name for wsd itself and for users who are not members.
func (w *Writer) DisplayName(model *access.Model, id string) string {
	switch p := model.Person(id); {
	case p != nil:
		return p.User.DisplayName
	case id == SystemUser:
		return systemName
	}
	return formerMember
}

// User returns the JSON of a user's public fields and the address of the membership.
func (w *Writer) User(org, id string, fields []byte) json.RawMessage {
	data, _ := rest.ExtendObject(fields).Set("urls", api.LocationURLs{Location: w.memberURL(org, id)}).Bytes()
	return data
}

func (w *Writer) memberURL(org, user string) string {
	return w.PublicURL + "/v1/orgs/" + org + "/members/" + user
}

// SystemUser is the author of changes made by wsd itself.
const SystemUser = "u_system"

// Names of authors who are not members.
const (
	systemName   = "wsd"
	formerMember = "Former member"
)
