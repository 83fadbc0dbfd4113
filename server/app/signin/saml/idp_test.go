package saml

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

const (
	testEntity  = "https://id.acme.example/metadata"
	testService = "https://docs.example/saml/o_1/idp_1"
	testACS     = testService + "/acs"
	testRequest = "id-3f2a"
	testSubject = "8d7c-opaque"
)

// clock returns the time of the tests.
func clock() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

type testKey struct {
	private     *rsa.PrivateKey
	certificate *x509.Certificate
}

// Keys of the tests. The first three are configured; the last of these has expired.
const (
	firstKey = iota
	secondKey
	expiredKey
	foreignKey
	keyCount
)

var testKeys = sync.OnceValue(func() []testKey {
	keys := make([]testKey, keyCount)
	for i := range keys {
		private, err := rsa.GenerateKey(rand.Reader, 1024) // small, for speed
		if err != nil {
			panic(err)
		}
		end := clock().Add(time.Hour)
		if i == expiredKey {
			end = clock().Add(-time.Second)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(int64(i + 1)), NotBefore: clock().Add(-time.Hour), NotAfter: end}
		der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
		if err != nil {
			panic(err)
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			panic(err)
		}
		keys[i] = testKey{private, certificate}
	}
	return keys
})

// newProvider returns a provider with the three configured certificates.
func newProvider() Provider {
	p := Provider{EntityID: testEntity, SSOURL: "https://id.acme.example/sso?tenant=7", ServiceID: testService, ACSURL: testACS}
	for _, k := range testKeys()[:foreignKey] {
		p.Certificates = append(p.Certificates, k.certificate)
	}
	return p
}

// signedParts are the elements of a response that are signed.
type signedParts int

const (
	signAssertion signedParts = iota
	signResponse
	signBoth
	signNothing
)

// answer is a response of the identity provider of the tests. The zero value is a good one.
type answer struct {
	before  func(*etree.Document)     // changes the response before it is signed
	after   func(*etree.Document)     // changes it after that
	edit    func(string) string       // changes the text of the document
	signs   signedParts               // what is signed
	key     int                       // that signs
	unnamed bool                      // whether the signature does not include its certificate
	method  string                    // of the signature, "" = RSA with SHA-256
	canon   func() dsig.Canonicalizer // nil = exclusive, without comments
}

const template = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="r1" Version="2.0" IssueInstant="{now}"
 Destination="{acs}" InResponseTo="{request}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">{entity}</saml:Issuer>
<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>
<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="a1" Version="2.0" IssueInstant="{now}">
<saml:Issuer>{entity}</saml:Issuer>
<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">{subject}</saml:NameID>
<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData
 InResponseTo="{request}" Recipient="{acs}" NotOnOrAfter="{end}"/></saml:SubjectConfirmation></saml:Subject>
<saml:Conditions NotBefore="{now}" NotOnOrAfter="{end}"><saml:AudienceRestriction><saml:Audience>{service}</saml:Audience>
</saml:AudienceRestriction></saml:Conditions>
<saml:AuthnStatement AuthnInstant="{now}"><saml:AuthnContext><saml:AuthnContextClassRef
>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>
<saml:AttributeStatement>
<saml:Attribute Name="uid"><saml:AttributeValue>u-77</saml:AttributeValue></saml:Attribute>
<saml:Attribute Name="mail"><saml:AttributeValue>ann@acme.example</saml:AttributeValue></saml:Attribute>
<saml:Attribute Name="displayName"><saml:AttributeValue>Ann  Example</saml:AttributeValue></saml:Attribute>
<saml:Attribute Name="groups"><saml:AttributeValue>writers</saml:AttributeValue><saml:AttributeValue>admins</saml:AttributeValue
><saml:AttributeValue>writers</saml:AttributeValue></saml:Attribute>
</saml:AttributeStatement></saml:Assertion></samlp:Response>`

// document returns the XML of a response.
func (a answer) document(t testing.TB) string {
	t.Helper()
	d := etree.NewDocument()
	text := strings.NewReplacer("{now}", stamp(0), "{end}", stamp(5*time.Minute), "{acs}", testACS, "{request}", testRequest,
		"{entity}", testEntity, "{service}", testService, "{subject}", testSubject).Replace(template)
	if err := d.ReadFromString(text); err != nil {
		t.Fatal(err)
	}
	if a.before != nil {
		a.before(d)
	}
	if assertion := d.FindElement("/Response/Assertion"); assertion != nil && (a.signs == signAssertion || a.signs == signBoth) {
		a.sign(t, assertion)
	}
	if a.signs == signResponse || a.signs == signBoth {
		a.sign(t, d.Root())
	}
	if a.after != nil {
		a.after(d)
	}
	text, err := d.WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	if a.edit != nil {
		edited := a.edit(text)
		if edited == text {
			t.Fatal("the document was not edited")
		}
		return edited
	}
	return text
}

// encode returns the form value of a response.
func (a answer) encode(t testing.TB) string {
	t.Helper()
	return base64.StdEncoding.EncodeToString([]byte(a.document(t)))
}

// sign adds a signature to an element, after its Issuer.
func (a answer) sign(t testing.TB, e *etree.Element) {
	t.Helper()
	if err := a.trySign(e); err != nil {
		t.Fatal(err)
	}
}

// trySign is like sign. It returns an error for an element that cannot be signed.
func (a answer) trySign(e *etree.Element) error {
	k := testKeys()[a.key]
	signing, err := dsig.NewSigningContext(k.private, [][]byte{k.certificate.Raw})
	if err != nil {
		return err
	}
	signing.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	if a.canon != nil {
		signing.Canonicalizer = a.canon()
	}
	if a.method != "" {
		if err := signing.SetSignatureMethod(a.method); err != nil {
			return err
		}
	}
	signature, err := signing.ConstructSignature(e, true)
	if err != nil {
		return err
	}
	if a.unnamed {
		signature.RemoveChild(signature.SelectElement("KeyInfo"))
	}
	e.InsertChildAt(1, signature)
	return nil
}

// stamp returns a time relative to that of the tests as in SAML.
func stamp(d time.Duration) string { return clock().Add(d).Format(time.RFC3339) }

// set returns a change of the text of the elements at a path.
func set(path, text string) func(*etree.Document) {
	return func(d *etree.Document) {
		for _, e := range d.FindElements(path) {
			e.SetText(text)
		}
	}
}

// setAttr returns a change of an XML attribute of the elements at a path.
func setAttr(path, name, value string) func(*etree.Document) {
	return func(d *etree.Document) {
		for _, e := range d.FindElements(path) {
			e.CreateAttr(name, value)
		}
	}
}

// dropAttr returns the removal of an XML attribute of the elements at a path.
func dropAttr(path, name string) func(*etree.Document) {
	return func(d *etree.Document) {
		for _, e := range d.FindElements(path) {
			e.RemoveAttr(name)
		}
	}
}

// drop returns the removal of the elements at a path.
func drop(path string) func(*etree.Document) {
	return func(d *etree.Document) {
		for _, e := range d.FindElements(path) {
			e.Parent().RemoveChild(e)
		}
	}
}

// add returns the addition of XML to the elements at a path, as their last child.
func add(path, text string) func(*etree.Document) {
	return func(d *etree.Document) {
		for _, e := range d.FindElements(path) {
			added := etree.NewDocument()
			if err := added.ReadFromString(text); err != nil {
				panic(err)
			}
			e.AddChild(added.Root())
		}
	}
}

// all returns several changes as one.
func all(changes ...func(*etree.Document)) func(*etree.Document) {
	return func(d *etree.Document) {
		for _, change := range changes {
			change(d)
		}
	}
}
