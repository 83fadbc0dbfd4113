package server

import (
	"encoding/json"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/rest"
)

// person writes out a user as other resources show one. The text is never absent: whoever was a member once keeps
// a name.
func (s *Server) person(sh *access.Model, id string) json.RawMessage {
	var fields []byte
	if p := sh.Person(id); p != nil {
		fields = p.Written
	} else if id == systemUser {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: "wsd"})
	} else {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: "Former member"})
	}
	return s.userObject(sh.Org, id, fields)
}

// userObject writes out the public fields of a user with the address of their membership.
func (s *Server) userObject(org, id string, fields []byte) json.RawMessage {
	data, _ := rest.Extend(fields).Set("urls", api.LocationURLs{Location: s.memberURL(org, id)}).Bytes()
	return data
}

func (s *Server) memberURL(org, user string) string {
	return s.publicURL + "/v1/orgs/" + org + "/members/" + user
}

// systemUser is the author of what wsd does by itself.
const systemUser = "u_system"
