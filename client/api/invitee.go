package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxEmail is the maximum length of an e-mail address.
const maxEmail = 320

// maxName and maxTeams are the limits of Invitation.Name in characters and of Invitation.Teams.
const (
	maxName  = 64
	maxTeams = 50
)

// Invitee is a person to invite, given as an e-mail address or as the object of an Invitation.
type Invitee struct {
	Email  string
	Object JSONObject // nil for a string
}

// Invitees returns an Invitee for each address.
func Invitees(emails ...string) []Invitee {
	all := make([]Invitee, len(emails))
	for i, email := range emails {
		all[i].Email = email
	}
	return all
}

// MarshalJSON implements json.Marshaler.
func (i Invitee) MarshalJSON() ([]byte, error) {
	if i.Object != nil {
		return i.Object.MarshalJSON()
	}
	return json.Marshal(i.Email)
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Invitee) UnmarshalJSON(data []byte) error {
	*i = Invitee{}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return i.Object.UnmarshalJSON(data)
	}
	return json.Unmarshal(data, &i.Email)
}

// Invitation has the details of one person to invite. An absent role and nil teams mean those of the whole request.
type Invitation struct {
	Email string         `json:"email" len:"1..320"`
	Role  Optional[Role] `json:"role,omitzero" null:"true" doc:"The role of the member; absent without an invitation to the organization."`
	Name  string         `json:"name,omitzero" len:"..64"`
	Teams []string       `json:"teams,omitzero" len:"..50" doc:"Ids of the teams that they join."`
}

// Read returns the invitation, or the violations if i is an invalid object.
func (i Invitee) Read() (given Invitation, wrong []FieldError) {
	if i.Object == nil {
		return Invitation{Email: i.Email}, nil
	}
	d := json.NewDecoder(bytes.NewReader(i.Object))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil || !errors.Is(d.Decode(&struct{}{}), io.EOF) {
		return given, []FieldError{{Message: "must be an object of email, role, name and teams"}}
	}
	if given.Email == "" || len(given.Email) > maxEmail {
		wrong = append(wrong, FieldError{Path: "email", Message: "must be an e-mail address"})
	}
	if named, ok := given.Role.Get(); ok && !slices.Contains(Role("").Values(), named) {
		wrong = append(wrong, FieldError{Path: "role", Message: "must be null or one of " + roleNames()})
	}
	if utf8.RuneCountInString(given.Name) > maxName || strings.ContainsFunc(given.Name, unicode.IsControl) {
		wrong = append(wrong, FieldError{Path: "name", Message: fmt.Sprintf("must be one line of at most %d characters", maxName)})
	}
	if len(given.Teams) > maxTeams {
		message := fmt.Sprintf("must have at most %d items, not %d", maxTeams, len(given.Teams))
		wrong = append(wrong, FieldError{Path: "teams", Message: message})
	}
	return given, wrong
}

func roleNames() string {
	var names []string
	for _, role := range Role("").Values() {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}
