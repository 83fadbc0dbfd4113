package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxEmail is the maximum length of an e-mail address.
const maxEmail = 320

// Invitee is a person to invite, given as an e-mail address or as an object with an address and a role.
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

// Read returns the address and the role, or the violations if i is an invalid object. An absent role means the role of the
// whole request.
func (i Invitee) Read() (email string, role Optional[Role], wrong []FieldError) {
	if i.Object == nil {
		return i.Email, role, nil
	}
	var given struct {
		Email *string        `json:"email"`
		Role  Optional[Role] `json:"role"`
	}
	d := json.NewDecoder(bytes.NewReader(i.Object))
	d.DisallowUnknownFields()
	if err := d.Decode(&given); err != nil || !errors.Is(d.Decode(&struct{}{}), io.EOF) {
		return "", role, []FieldError{{Message: "must be an object of the texts email and role"}}
	}
	if given.Email == nil || *given.Email == "" || len(*given.Email) > maxEmail {
		return "", role, []FieldError{{Path: "email", Message: "must be an e-mail address"}}
	}
	if named, ok := given.Role.Get(); ok && !slices.Contains(Role("").Values(), named) {
		return "", role, []FieldError{{Path: "role", Message: "must be null or one of " + roleNames()}}
	}
	return *given.Email, given.Role, nil
}

func roleNames() string {
	var names []string
	for _, role := range Role("").Values() {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}
