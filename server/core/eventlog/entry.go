package eventlog

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names of the fields of an entry. Ids of other objects have the name of the object, as in space or changeRequest.
const (
	Type           = "type"      // name of the operation, job or command
	At             = "at"        // time of the commit in milliseconds since 1970
	ID             = "id"        // id of the object
	Actor          = "actor"     // id of the user; absent for jobs
	Token          = "usedToken" // id of the actor's token
	Request        = "request"   // id of the HTTP request
	Installation   = "installation"
	Version        = "version"  // version of the object after the commit
	Changed        = "changed"  // names of the changed members, separated by spaces
	Before         = "was"      // JSON object of the changed members that are no text, before the commit
	After          = "now"      // and after it
	Revision       = "revision" // head after the commit
	RevisionBefore = "base"
	Pages          = "pages" // number of changed pages
	Page           = "page"  // id of the changed page, if it is one
	PageIDs        = "pageIds"
	Users          = "users"
	Teams          = "teams"
	Audited        = "audit" // JSON of Audit
	Command        = "command"
	Operator       = "operator"
	User           = "user"         // id of the user that it is about
	Count          = "count"        // how often it happened since the event before
	Organization   = "organization" // that of an installation, or the only one that a token opens: in the logs of integrations and users
	EndedIn        = "endedIn"      // in the logs of users: organizations for which the token was ended
	Status         = "status"       // status of an installation after the commit
	StatusBefore   = "statusBefore" // and before it
)

// Limits of an entry. Members that are longer than MaxMember are only named in the field Changed.
const (
	MaxBytes   = 2 << 10
	MaxFields  = 32
	MaxMember  = 200
	MaxPageIDs = 20
	maxLabel   = 100 // bytes of a name, title, address or user agent
)

// Audit holds the members of an entry that only admins of the organization may see. It contains no names of people, because the name
// of an account that is ended can be removed everywhere else, and entries are never changed.
type Audit struct {
	Target    string            `json:"target,omitempty"` // title of the object after the commit
	Before    map[string]string `json:"was,omitempty"`    // changed titles, before the commit
	After     map[string]string `json:"now,omitempty"`
	Address   string            `json:"address,omitempty"` // address of the client
	UserAgent string            `json:"agent,omitempty"`
}

// Set adds a to the fields of an entry. Long texts are cut.
func (a Audit) Set(fields map[string]string) {
	for _, text := range []*string{&a.Target, &a.Address, &a.UserAgent} {
		*text = cut(*text)
	}
	for _, texts := range []map[string]string{a.Before, a.After} {
		for name, text := range texts {
			texts[name] = cut(text)
		}
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a); err == nil && !reflect.ValueOf(a).IsZero() { // strings can be encoded
		fields[Audited] = strings.TrimSpace(data.String())
	}
}

// AuditOf returns the Audit of an entry. That of entries of earlier versions is empty.
func AuditOf(fields map[string]string) (a Audit, err error) {
	if text := fields[Audited]; text != "" {
		err = json.Unmarshal([]byte(text), &a)
	}
	return a, err
}

// cut returns the longest prefix of a text, without control characters and invalid bytes, that has at most maxLabel bytes.
func cut(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if len(text) <= maxLabel {
		return text
	}
	end := maxLabel
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// maxIDs are the numbers of ids that entries which are too long keep of each list, in the order of the attempts.
var maxIDs = []int{20, 5}

// Fit shortens an entry that exceeds MaxBytes or MaxFields. Lists of ids are shortened first. Other fields are only removed if that
// is not enough, which the limits of their values exclude.
func Fit(fields map[string]string) {
	fits := func() bool { return Size(fields) <= MaxBytes && len(fields) <= MaxFields }
	for _, most := range maxIDs {
		for _, name := range []string{PageIDs, Users, Teams} {
			if ids := strings.Fields(fields[name]); !fits() && len(ids) > most {
				fields[name] = strings.Join(ids[:most], " ")
			}
		}
	}
	for _, name := range []string{PageIDs, Users, Teams, Before, After, Audited} {
		if fits() {
			return
		}
		delete(fields, name)
	}
}

// Size returns the number of bytes of the names and values of an entry.
func Size(fields map[string]string) (n int) {
	for name, value := range fields {
		n += len(name) + len(value)
	}
	return n
}
