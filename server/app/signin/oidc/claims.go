package oidc

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"time"
	"unicode"
	"unicode/utf8"
)

// Identity is a person who has signed in at a provider. Issuer and Subject identify the person; the other values may change.
type Identity struct {
	Issuer, Subject  string
	Email            string // "" = not known
	IsEmailVerified  bool   // the provider says that the e-mail address is that of the person
	Name             string // "" = not known
	Teams            []string
	HasTeams         bool // the provider has sent the claim with the groups
	HasEmailVerified bool // the provider says whether the e-mail address is verified
}

// Limits of claims.
const (
	maxSubject = 255 // bytes
	maxEmail   = 254 // bytes
	maxName    = 255 // characters
	maxTeams   = 200
	maxTeam    = 256 // characters
)

// claims are the claims of an ID token or of the user info, by their exact names.
type claims map[string]json.RawMessage

// parseClaims parses a JSON object.
func parseClaims(data []byte) (claims, error) {
	var found claims
	if err := json.Unmarshal(data, &found); err != nil || found == nil {
		return nil, refuse(ReasonClaims, "the claims are no JSON object")
	}
	return found, nil
}

// has reports whether there is a claim that is not null.
func (c claims) has(name string) bool {
	value, ok := c[name]
	return ok && string(value) != "null"
}

// text returns a claim that is a text. ok is false if there is none.
func (c claims) text(name string) (text string, ok bool) {
	if !c.has(name) || json.Unmarshal(c[name], &text) != nil {
		return "", false
	}
	return text, true
}

// texts returns a claim that is a text or a list of texts. ok is false if there is none.
func (c claims) texts(name string) (texts []string, ok bool) {
	if text, ok := c.text(name); ok {
		return []string{text}, true
	}
	if !c.has(name) || json.Unmarshal(c[name], &texts) != nil {
		return nil, false
	}
	return texts, true
}

// time returns a claim that is a number of seconds since 1970. ok is false if there is none.
func (c claims) time(name string) (at time.Time, ok bool) {
	var seconds float64
	if !c.has(name) || json.Unmarshal(c[name], &seconds) != nil || math.Abs(seconds) > 1<<40 {
		return at, false
	}
	return time.Unix(int64(seconds), 0), true
}

// with returns c with the claims of the user info about e-mail address, name and groups that it lacks. The e-mail address and whether
// it is verified come from one place.
func (c claims) with(info claims, teams string) claims {
	all := maps.Clone(c)
	add := func(name string) {
		if value, ok := info[name]; ok && !c.has(name) {
			all[name] = value
		}
	}
	if !c.has("email") {
		delete(all, "email_verified")
		for _, name := range []string{"email", "email_verified"} {
			if value, ok := info[name]; ok {
				all[name] = value
			}
		}
	}
	add("name")
	if teams != "" {
		add(teams)
	}
	return all
}

// identity returns the person that verified claims are about.
func (c claims) identity(p Provider) (Identity, error) {
	subject, ok := c.text("sub")
	if !ok || subject == "" || len(subject) > maxSubject || !isPrintable(subject) {
		return Identity{}, refuse(ReasonClaims, fmt.Sprintf("the claim sub must be a printable text of 1 to %d bytes", maxSubject))
	}
	teams, err := c.teams(p.TeamClaim)
	if err != nil {
		return Identity{}, err
	}
	i := Identity{
		Issuer: p.Issuer, Subject: subject, Teams: teams, HasTeams: p.TeamClaim != "" && c.has(p.TeamClaim),
		HasEmailVerified: c.has("email_verified"),
	}
	if email, ok := c.text("email"); ok && len(email) <= maxEmail && isPrintable(email) {
		i.Email = email
	}
	i.IsEmailVerified = i.Email != "" && c.isTrue("email_verified")
	if name, ok := c.text("name"); ok && utf8.RuneCountInString(name) <= maxName && isPrintable(name) {
		i.Name = name
	}
	return i, nil
}

// isTrue reports whether a claim is true, or the text "true", as some providers send it.
func (c claims) isTrue(name string) bool {
	value := string(c[name])
	return value == "true" || value == `"true"`
}

// teams returns the values of the claim with groups. Too many or too long values are an error: without some of them, a person would
// lose teams.
func (c claims) teams(name string) ([]string, error) {
	if name == "" || !c.has(name) {
		return nil, nil
	}
	values, ok := c.texts(name)
	name = printable(name, maxTeam)
	switch {
	case !ok:
		return nil, refuse(ReasonClaims, "the claim "+name+" must be a text or a list of texts")
	case len(values) > maxTeams:
		return nil, refuse(ReasonClaims, fmt.Sprintf("the claim %s must have at most %d values, not %d: configure at the provider "+
			"which groups it sends", name, maxTeams, len(values)))
	}
	for _, value := range values {
		if n := utf8.RuneCountInString(value); n > maxTeam {
			return nil, refuse(ReasonClaims, fmt.Sprintf("the values of the claim %s must have at most %d characters, not %d",
				name, maxTeam, n))
		}
	}
	return values, nil
}

// isPrintable reports whether a text is valid UTF-8 of printable characters and spaces.
func isPrintable(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, char := range text {
		if !unicode.IsPrint(char) {
			return false
		}
	}
	return true
}
