package saml

import (
	"slices"
	"strings"
	"time"

	"github.com/beevik/etree"
	crewjam "github.com/crewjam/saml"
)

// Identity is whom a response identifies.
type Identity struct {
	Subject     string    // identifies the person among those of the provider: 1 to MaxSubject printable characters
	Email       string    // as the provider states it, at most 320 printable characters; "" = unknown
	Name        string    // at most 256 printable characters; "" = unknown
	Teams       []string  // values of the team attribute of at most 256 printable characters, without repeats
	AssertionID string    // at most 256 printable characters
	ValidUntil  time.Time // Check refuses the assertion from then on, on any server whose clock differs by at most 60 seconds
	Certificate int       // index of the certificate that verified the assertion
}

// Limits of what an assertion says, in characters.
const (
	MaxSubject     = 1024
	maxEmail       = 320
	maxName        = 256
	maxTeam        = 256
	maxAssertionID = 256
)

// maxAge is how long an assertion is accepted after it was issued. The library has the same limit.
const maxAge = 90 * time.Second

// clockDifference is the largest accepted difference between the clocks of the provider and of this service.
const clockDifference = time.Minute

const confirmationMethod = "urn:oasis:names:tc:SAML:2.0:cm:bearer"

// usualEmails returns the usual names of the attribute of addresses, the first choice first.
func usualEmails() []string {
	return []string{
		"email", "mail", "urn:oid:0.9.2342.19200300.100.1.3", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
		"urn:mace:dir:attribute-def:mail",
	}
}

// usualNames returns the usual names of the attribute of people's names, the first choice first.
func usualNames() []string {
	return []string{
		"displayName", "name", "urn:oid:2.16.840.1.113730.3.1.241", "http://schemas.microsoft.com/identity/claims/displayname",
		"http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name", "urn:mace:dir:attribute-def:displayName", "cn", "urn:oid:2.5.4.3",
	}
}

// identity checks a verified assertion and returns whom it identifies.
func (c *check) identity(assertion *etree.Element) (Identity, error) {
	issuer, err := child(assertion, assertionNamespace, "Issuer")
	if err != nil {
		return Identity{}, err
	}
	if issuer == nil {
		return Identity{}, refuse("the assertion has no Issuer")
	}
	if err := c.checkIssuer(issuer); err != nil {
		return Identity{}, err
	}
	issued, err := c.checkTimes(assertion)
	if err != nil {
		return Identity{}, err
	}
	subject, err := child(assertion, assertionNamespace, "Subject")
	if err != nil {
		return Identity{}, err
	}
	if subject == nil {
		return Identity{}, refuse("the assertion has no Subject")
	}
	if err := c.checkConfirmations(subject); err != nil {
		return Identity{}, err
	}
	identity := Identity{
		AssertionID: attribute(assertion, "ID"),
		ValidUntil:  issued.Add(maxAge + clockDifference),
	}
	if !isPrintable(identity.AssertionID, maxAssertionID) {
		return Identity{}, refuse("the assertion has no ID, or one that is not usable")
	}
	if err := c.readPerson(assertion, subject, &identity); err != nil {
		return Identity{}, err
	}
	return identity, nil
}

// checkIssuer returns an error unless an Issuer element names the provider.
func (c *check) checkIssuer(issuer *etree.Element) error {
	if name, ok := text(issuer); !ok || name != c.provider.EntityID {
		return refuse("the Issuer of %s is not the entity id of the identity provider, %q", issuer.Parent().Tag, c.provider.EntityID)
	}
	return nil
}

// checkTimes checks the time at which an assertion was issued, which it returns, and its conditions.
func (c *check) checkTimes(assertion *etree.Element) (issued time.Time, err error) {
	issued, err = instant(assertion, "IssueInstant")
	switch {
	case err != nil:
		return issued, err
	case issued.IsZero():
		return issued, refuse("the assertion has no IssueInstant")
	case issued.After(c.now.Add(clockDifference)):
		return issued, refuse("the assertion is not valid yet: it was issued in the future (IssueInstant)")
	case c.now.After(issued.Add(maxAge)):
		return issued, refuse("the assertion has expired: it was issued too long ago (IssueInstant)")
	}
	conditions, err := child(assertion, assertionNamespace, "Conditions")
	if err != nil {
		return issued, err
	}
	if conditions == nil {
		return issued, refuse("the assertion has no Conditions")
	}
	if err := c.checkPeriod(conditions); err != nil {
		return issued, err
	}
	return issued, c.checkAudience(conditions)
}

// checkPeriod checks the NotBefore and NotOnOrAfter of an element, if it has them.
func (c *check) checkPeriod(e *etree.Element) error {
	start, err := instant(e, "NotBefore")
	if err != nil {
		return err
	}
	end, err := instant(e, "NotOnOrAfter")
	switch {
	case err != nil:
		return err
	case start.After(c.now.Add(clockDifference)):
		return refuse("the assertion is not valid yet (NotBefore of %s)", e.Tag)
	case !end.IsZero() && !end.Add(clockDifference).After(c.now):
		return refuse("the assertion has expired (NotOnOrAfter of %s)", e.Tag)
	}
	return nil
}

// checkAudience returns an error unless there is a restriction of the audience, and each one includes this service.
func (c *check) checkAudience(conditions *etree.Element) error {
	restrictions, err := children(conditions, assertionNamespace, "AudienceRestriction")
	if err != nil {
		return err
	}
	if len(restrictions) == 0 {
		return refuse("the assertion names no audience: it must be restricted to %q", c.provider.ServiceID)
	}
	for _, restriction := range restrictions {
		audiences, err := children(restriction, assertionNamespace, "Audience")
		if err != nil {
			return err
		}
		isThis := func(e *etree.Element) bool {
			audience, ok := text(e)
			return ok && audience == c.provider.ServiceID
		}
		if !slices.ContainsFunc(audiences, isThis) {
			return refuse("the audience of the assertion is another service, not %q", c.provider.ServiceID)
		}
	}
	return nil
}

// checkConfirmations returns an error unless one of the confirmations of a subject lets the browser sign in here and now.
func (c *check) checkConfirmations(subject *etree.Element) error {
	confirmations, err := children(subject, assertionNamespace, "SubjectConfirmation")
	if err != nil {
		return err
	}
	first := refuse("the assertion has no confirmation for the bearer (SubjectConfirmation)")
	for i, confirmation := range confirmations {
		err := c.checkConfirmation(confirmation)
		if err == nil {
			return nil
		}
		if i == 0 {
			first = err
		}
	}
	return first
}

func (c *check) checkConfirmation(confirmation *etree.Element) error {
	if attribute(confirmation, "Method") != confirmationMethod {
		return refuse("the assertion has no confirmation for the bearer (SubjectConfirmation)")
	}
	data, err := child(confirmation, assertionNamespace, "SubjectConfirmationData")
	switch {
	case err != nil:
		return err
	case data == nil:
		return refuse("the confirmation of the assertion has no SubjectConfirmationData")
	case attribute(data, "InResponseTo") != c.requestID:
		return refuse("the assertion answers another request (InResponseTo of SubjectConfirmationData)")
	case attribute(data, "Recipient") != c.provider.ACSURL:
		return refuse("the Recipient of the assertion is not %s", c.provider.ACSURL)
	case attribute(data, "NotOnOrAfter") == "":
		return refuse("the confirmation of the assertion has no end (NotOnOrAfter)")
	}
	return c.checkPeriod(data)
}

// readPerson reads who a person is from a subject and the attributes of its assertion.
func (c *check) readPerson(assertion, subject *etree.Element, identity *Identity) error {
	nameID, err := child(subject, assertionNamespace, "NameID")
	if err != nil {
		return err
	}
	if nameID == nil {
		return refuse("the assertion has no NameID")
	}
	name, ok := text(nameID)
	if !ok {
		return refuse("the NameID contains more than text")
	}
	values, err := attributeValues(assertion)
	if err != nil {
		return err
	}
	if identity.Subject, err = c.subject(nameID, name, values); err != nil {
		return err
	}
	identity.Name = firstValue(values, c.provider.NameAttribute, usualNames(), maxName)
	identity.Email = firstValue(values, c.provider.EmailAttribute, usualEmails(), maxEmail)
	isAddress := attribute(nameID, "Format") == string(crewjam.EmailAddressNameIDFormat) && isPrintable(name, maxEmail)
	if isAddress && identity.Email == "" && c.provider.EmailAttribute == "" {
		identity.Email = name
	}
	if c.provider.TeamAttribute != "" {
		for _, team := range values[c.provider.TeamAttribute] {
			if isPrintable(team, maxTeam) && !slices.Contains(identity.Teams, team) {
				identity.Teams = append(identity.Teams, team)
			}
		}
	}
	return nil
}

// subject returns what identifies a person at the provider: the attribute that is configured for it, or else the persistent NameID.
func (c *check) subject(nameID *etree.Element, name string, values map[string][]string) (string, error) {
	subject, source := name, "the NameID"
	if wanted := c.provider.SubjectAttribute; wanted != "" {
		found := values[wanted]
		switch {
		case len(found) == 0:
			return "", refuse("the assertion has no value of the attribute that identifies people, %q", wanted)
		case len(found) > 1:
			return "", refuse("the assertion has several values of the attribute that identifies people, %q", wanted)
		}
		subject, source = found[0], "the attribute that identifies people"
	} else if reason := c.nameIDReason(nameID); reason != "" {
		return "", refusal(reason)
	}
	if !isPrintable(subject, MaxSubject) {
		return "", refuse("%s is empty, longer than %d characters or not printable", source, MaxSubject)
	}
	return subject, nil
}

// nameIDReason returns why a NameID does not identify a person for good, or "".
func (c *check) nameIDReason(nameID *etree.Element) string {
	if format := attribute(nameID, "Format"); format != string(crewjam.PersistentNameIDFormat) {
		return "the NameID is " + formatName(format) + ", which does not identify a person for good: configure a persistent NameID " +
			"at the identity provider, or name the attribute that identifies people (subjectAttribute)"
	}
	if q := attribute(nameID, "NameQualifier"); q != "" && q != c.provider.EntityID {
		return "the NameID is of another identity provider (NameQualifier)"
	}
	if q := attribute(nameID, "SPNameQualifier"); q != "" && q != c.provider.ServiceID {
		return "the NameID is for another service (SPNameQualifier)"
	}
	return ""
}

// formatName returns a format of a NameID in words.
func formatName(format string) string {
	switch format {
	case string(crewjam.EmailAddressNameIDFormat):
		return "an e-mail address (emailAddress)"
	case string(crewjam.TransientNameIDFormat):
		return "transient"
	case string(crewjam.UnspecifiedNameIDFormat), "":
		return "of an unspecified format"
	}
	return "of a format other than persistent"
}

// attributeValues returns the values of the attributes of an assertion by Name. Empty ones and those with elements are left out.
func attributeValues(assertion *etree.Element) (map[string][]string, error) {
	values := map[string][]string{}
	statements, err := children(assertion, assertionNamespace, "AttributeStatement")
	if err != nil {
		return nil, err
	}
	for _, statement := range statements {
		attributes, err := children(statement, assertionNamespace, "Attribute")
		if err != nil {
			return nil, err
		}
		for _, a := range attributes {
			elements, err := children(a, assertionNamespace, "AttributeValue")
			if err != nil {
				return nil, err
			}
			name := attribute(a, "Name")
			for _, e := range elements {
				if value, ok := text(e); ok && value != "" {
					values[name] = append(values[name], value)
				}
			}
		}
	}
	return values, nil
}

// firstValue returns the first printable value of an attribute or, if its name is "", of the first of the usual ones that has one. It
// returns "" if there is none.
func firstValue(values map[string][]string, name string, usual []string, most int) string {
	if name != "" {
		usual = []string{name}
	}
	for _, name := range usual {
		for _, value := range values[name] {
			if value = strings.Join(strings.Fields(value), " "); isPrintable(value, most) {
				return value
			}
		}
	}
	return ""
}
