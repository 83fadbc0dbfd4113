package saml

import (
	"encoding/xml"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

// wantIdentity checks that a response is accepted, and whom it identifies.
func wantIdentity(t *testing.T, p Provider, a answer, want Identity) {
	t.Helper()
	got, err := p.Check(a.encode(t), testRequest, clock())
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("identity is\n%+v, want\n%+v", got, want)
	}
}

// ann returns the identity in a good response.
func ann() Identity {
	return Identity{
		Subject: testSubject, Email: "ann@acme.example", Name: "Ann Example", AssertionID: "a1", ValidUntil: clock().Add(150 * time.Second),
	}
}

func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	second := ann()
	second.Certificate = secondKey
	tests := map[string]struct {
		answer answer
		want   Identity
	}{
		"signed assertion":                  {answer{}, ann()},
		"signed response":                   {answer{signs: signResponse}, ann()},
		"both signed":                       {answer{signs: signBoth}, ann()},
		"second certificate":                {answer{key: secondKey}, second},
		"second certificate, not named":     {answer{key: secondKey, unnamed: true}, second},
		"second certificate, response":      {answer{key: secondKey, signs: signResponse}, second},
		"SHA-512":                           {answer{method: dsig.RSASHA512SignatureMethod}, ann()},
		"inclusive canonicalization":        {answer{canon: dsig.MakeC14N11Canonicalizer, signs: signResponse}, ann()},
		"no Destination, response unsigned": {answer{after: dropAttr("/Response", "Destination")}, ann()},
		"no Issuer of the response":         {answer{after: drop("/Response/Issuer")}, ann()},
		"XML declaration":                   {answer{edit: func(s string) string { return xml.Header + s }}, ann()},
		"space around the document":         {answer{edit: func(s string) string { return "\n" + s + "\n" }}, ann()},
		"names of attributes of SAML 1": {answer{before: all(
			setAttr("//Attribute[@Name='mail']", "Name", "urn:mace:dir:attribute-def:mail"),
			setAttr("//Attribute[@Name='displayName']", "Name", "urn:mace:dir:attribute-def:displayName"))}, ann()},
		"provider is 59 s ahead": {answer{before: all(setAttr("//Assertion", "IssueInstant", stamp(59*time.Second)),
			setAttr("//Conditions", "NotBefore", stamp(59*time.Second)))}, with(ann(), func(i *Identity) {
			i.ValidUntil = clock().Add(209 * time.Second)
		})},
		"provider is 59 s behind": {answer{before: all(setAttr("//Assertion", "IssueInstant", stamp(-59*time.Second)),
			setAttr("//Conditions", "NotOnOrAfter", stamp(-59*time.Second)),
			setAttr("//SubjectConfirmationData", "NotOnOrAfter", stamp(-59*time.Second)))}, with(ann(), func(i *Identity) {
			i.ValidUntil = clock().Add(91 * time.Second)
		})},
		"no end of the conditions": {answer{before: dropAttr("//Conditions", "NotOnOrAfter")}, ann()},
		"several audiences":        {answer{before: add("//AudienceRestriction", "<saml:Audience>urn:other</saml:Audience>")}, ann()},
		"qualifiers": {answer{before: all(setAttr("//NameID", "NameQualifier", testEntity),
			setAttr("//NameID", "SPNameQualifier", testService))}, ann()},
		"space around the NameID": {answer{before: set("//NameID", "\n  "+testSubject+"\n")}, ann()},
		"CDATA in the NameID": {answer{edit: func(s string) string {
			return strings.Replace(s, testSubject, "<![CDATA["+testSubject+"]]>", 1)
		}}, ann()},
		"namespace on each value": {answer{before: setAttr("//AttributeValue", "xmlns:xs", "http://www.w3.org/2001/XMLSchema")}, ann()},
		"another confirmation first": {answer{before: func(d *etree.Document) {
			e := d.FindElement("//SubjectConfirmation")
			other := e.Copy()
			other.CreateAttr("Method", "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches")
			e.Parent().InsertChildAt(e.Index(), other)
		}}, ann()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantIdentity(t, newProvider(), test.answer, test.want)
		})
	}
}

// with returns an identity with a change.
func with(i Identity, change func(*Identity)) Identity {
	change(&i)
	return i
}

func TestCheckReadsAttributes(t *testing.T) {
	t.Parallel()
	email := "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
	value := func(name, value string) string {
		return `<saml:Attribute Name="` + name + `"><saml:AttributeValue>` + value + `</saml:AttributeValue></saml:Attribute>`
	}
	tests := map[string]struct {
		configure func(*Provider)
		before    func(*etree.Document)
		want      func(*Identity)
	}{
		"teams": {func(p *Provider) { p.TeamAttribute = "groups" }, nil, func(i *Identity) { i.Teams = []string{"writers", "admins"} }},
		"subject attribute": {
			func(p *Provider) { p.SubjectAttribute = "uid" }, setAttr("//NameID", "Format", email),
			func(i *Identity) { i.Subject = "u-77" },
		},
		"address as NameID": {
			func(p *Provider) { p.SubjectAttribute = "uid" },
			all(setAttr("//NameID", "Format", email), set("//NameID", "bob@acme.example"), drop("//Attribute[@Name='mail']")),
			func(i *Identity) { i.Subject, i.Email = "u-77", "bob@acme.example" },
		},
		"no address": {nil, drop("//Attribute[@Name='mail']"), func(i *Identity) { i.Email = "" }},
		"usual address, long name": {
			nil, all(drop("//Attribute[@Name='mail']"),
				add("//AttributeStatement", value("urn:oid:0.9.2342.19200300.100.1.3", "oid@acme.example"))),
			func(i *Identity) { i.Email = "oid@acme.example" },
		},
		"first choice of address": {
			nil, add("//AttributeStatement", value("email", "first@acme.example")),
			func(i *Identity) { i.Email = "first@acme.example" },
		},
		"configured address and name": {
			func(p *Provider) { p.EmailAttribute, p.NameAttribute = "uid", "mail" }, nil,
			func(i *Identity) { i.Email, i.Name = "u-77", "ann@acme.example" },
		},
		"configured address is missing": {func(p *Provider) { p.EmailAttribute = "other" }, nil, func(i *Identity) { i.Email = "" }},
		"FriendlyName does not count": {
			nil, all(drop("//Attribute[@Name='mail']"),
				setAttr("//Attribute[@Name='uid']", "FriendlyName", "mail")),
			func(i *Identity) { i.Email = "" },
		},
		"name that is not printable": {
			nil, set("//Attribute[@Name='displayName']/AttributeValue", "\u202egnp.exe"),
			func(i *Identity) { i.Name = "" },
		},
		"address with elements": {nil, add("//Attribute[@Name='mail']/AttributeValue", "<b/>"), func(i *Identity) { i.Email = "" }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider()
			if test.configure != nil {
				test.configure(&p)
			}
			wantIdentity(t, p, answer{before: test.before}, with(ann(), test.want))
		})
	}
}

// TestRotation checks that a response stays acceptable while certificates are replaced, and that one without its certificate is not.
func TestRotation(t *testing.T) {
	t.Parallel()
	keys := testKeys()
	for name, test := range map[string]struct {
		configured []int
		index      int // of the certificate, -1 = refused
	}{
		"before": {[]int{firstKey}, -1}, "during": {[]int{firstKey, secondKey}, 1}, "other order": {[]int{secondKey, firstKey}, 0},
		"after": {[]int{secondKey}, 0}, "beside an expired one": {[]int{expiredKey, foreignKey, secondKey}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, unnamed := range []bool{false, true} {
				p := newProvider()
				p.Certificates = nil
				for _, i := range test.configured {
					p.Certificates = append(p.Certificates, keys[i].certificate)
				}
				got, err := p.Check(answer{key: secondKey, unnamed: unnamed}.encode(t), testRequest, clock())
				if (err != nil) != (test.index < 0) || (err == nil && got.Certificate != test.index) {
					t.Errorf("certificate %d, error %v, want certificate %d", got.Certificate, err, test.index)
				}
			}
		})
	}
}

// TestIncompleteProvider checks that nobody signs in by a provider that is not configured.
func TestIncompleteProvider(t *testing.T) {
	t.Parallel()
	for want, remove := range map[string]func(*Provider){
		"no entity id":   func(p *Provider) { p.EntityID = "" },
		"no certificate": func(p *Provider) { p.Certificates = nil },
		"SSO URL":        func(p *Provider) { p.SSOURL = "javascript:alert(1)" },
		"this service":   func(p *Provider) { p.ServiceID = "" },
	} {
		p := newProvider()
		remove(&p)
		_, err := p.Check(answer{}.encode(t), testRequest, clock())
		_, failed := p.NewRequest(clock())
		if err == nil || failed == nil || !strings.Contains(err.Error(), want) || err.Error() != failed.Error() {
			t.Errorf("errors are %v and %v, want %q", err, failed, want)
		}
	}
}

func TestUnsolicitedResponse(t *testing.T) {
	t.Parallel()
	drops := all(dropAttr("/Response", "InResponseTo"), dropAttr("//SubjectConfirmationData", "InResponseTo"))
	for _, requestID := range []string{testRequest, ""} {
		for _, signs := range []signedParts{signAssertion, signResponse} {
			_, err := newProvider().Check(answer{before: drops, signs: signs}.encode(t), requestID, clock())
			if !errors.Is(err, ErrUnsolicited) {
				t.Errorf("error is %v, want ErrUnsolicited", err)
			}
		}
	}
}

// TestResponseWithoutRequest checks that a response is refused if the browser has sent no request.
func TestResponseWithoutRequest(t *testing.T) {
	t.Parallel()
	_, err := newProvider().Check(answer{}.encode(t), "", clock())
	if err == nil || !strings.Contains(err.Error(), "answers another request") {
		t.Errorf("error is %v", err)
	}
}
