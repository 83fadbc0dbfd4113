package signin_test

import (
	"compress/flate"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"html"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// identityProvider is a SAML identity provider of an organization.
type identityProvider struct {
	w        *servertest.World
	provider api.SAMLProvider
	entityID string
	key      *ecdsa.PrivateKey
	der      []byte // of its certificate
	answers  int
}

// person is somebody whom an identity provider knows.
type person struct {
	subject, email, name string
	groups               []string
}

// newIdentityProvider registers an identity provider with the organization of the world.
func newIdentityProvider(w *servertest.World, settings api.SAMLProviderSettings) *identityProvider {
	w.T.Helper()
	p := &identityProvider{w: w, entityID: "https://id.acme.example/metadata"}
	p.newKey()
	settings.EntityID, settings.SSOURL = api.Some(p.entityID), api.Some("https://id.acme.example/sso")
	settings.Certificate = api.Some(p.certificate())
	p.provider = servertest.NewSAMLProvider(w, settings)
	return p
}

// newKey gives the identity provider another key.
func (p *identityProvider) newKey() {
	p.w.T.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.w.T.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: p.w.Clock.Now().Add(-time.Hour), NotAfter: p.w.Clock.Now().Add(24 * time.Hour),
	}
	p.key = key
	if p.der, err = x509.CreateCertificate(rand.Reader, template, template, key.Public(), key); err != nil {
		p.w.T.Fatal(err)
	}
}

// certificate returns the certificate of the present key.
func (p *identityProvider) certificate() api.Text {
	return api.Text(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.der}))
}

// ref returns the reference of the provider.
func (p *identityProvider) ref() api.SAMLProviderRef {
	return api.SAMLProviderRef{Organization: p.w.Org, SAMLProvider: p.provider.ID}
}

// update changes the settings of the provider.
func (p *identityProvider) update(settings api.SAMLProviderSettings) api.SAMLProvider {
	p.w.T.Helper()
	return servertest.Do(p.w, "admin", api.UpdateSAMLProvider, api.UpdateSAMLProviderInput{
		SAMLProviderRef: p.ref(), Body: api.SAMLProviderPatch{SAMLProviderSettings: settings},
	})
}

// path returns the part of an address of this server after its origin.
func path(address string) string { return strings.TrimPrefix(address, servertest.PublicURL) }

// start begins a sign-in in a browser and returns the id of the request.
func (p *identityProvider) start(b *browser, query string) (request string) {
	b.t.Helper()
	answer := b.get(path(p.provider.Service.StartURL) + query)
	location, err := url.Parse(answer.header.Get("Location"))
	if err != nil || answer.status != http.StatusSeeOther || location.Host != "id.acme.example" {
		b.t.Fatalf("start: status %d to %q\n%s", answer.status, answer.header.Get("Location"), answer.body)
	}
	deflated, err := base64.StdEncoding.DecodeString(location.Query().Get("SAMLRequest"))
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(strings.NewReader(string(deflated))), 1<<16))
	if err != nil {
		b.t.Fatal(err)
	}
	d := etree.NewDocument()
	if err := d.ReadFromBytes(text); err != nil {
		b.t.Fatal(err)
	}
	return d.Root().SelectAttrValue("ID", "")
}

const responseTemplate = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="r%[1]d" Version="2.0" IssueInstant="%[2]s"
 Destination="%[3]s/acs" InResponseTo="%[4]s"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">%[5]s</saml:Issuer>
<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>
<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="a%[1]d" Version="2.0" IssueInstant="%[2]s">
<saml:Issuer>%[5]s</saml:Issuer>
<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">%[6]s</saml:NameID>
<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData
 InResponseTo="%[4]s" Recipient="%[3]s/acs" NotOnOrAfter="%[7]s"/></saml:SubjectConfirmation></saml:Subject>
<saml:Conditions NotOnOrAfter="%[7]s"><saml:AudienceRestriction><saml:Audience>%[3]s</saml:Audience></saml:AudienceRestriction>
</saml:Conditions><saml:AuthnStatement AuthnInstant="%[2]s"><saml:AuthnContext><saml:AuthnContextClassRef
>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>
<saml:AttributeStatement>
<saml:Attribute Name="mail"><saml:AttributeValue>%[8]s</saml:AttributeValue></saml:Attribute>
<saml:Attribute Name="displayName"><saml:AttributeValue>%[9]s</saml:AttributeValue></saml:Attribute>
<saml:Attribute Name="groups">%[10]s</saml:Attribute>
</saml:AttributeStatement></saml:Assertion></samlp:Response>`

// response returns the answer of the identity provider to a request, as the browser sends it.
func (p *identityProvider) response(who person, request string) url.Values {
	p.w.T.Helper()
	p.answers++
	var groups strings.Builder
	for _, group := range who.groups {
		fmt.Fprintf(&groups, "<saml:AttributeValue>%s</saml:AttributeValue>", html.EscapeString(group))
	}
	now := p.w.Clock.Now().UTC()
	text := fmt.Sprintf(responseTemplate, p.answers, now.Format(time.RFC3339), p.provider.Service.EntityID, request, p.entityID,
		who.subject, now.Add(time.Minute).Format(time.RFC3339), who.email, who.name, groups.String())
	d := etree.NewDocument()
	if err := d.ReadFromString(text); err != nil {
		p.w.T.Fatal(err)
	}
	signing, err := dsig.NewSigningContext(p.key, [][]byte{p.der})
	if err != nil {
		p.w.T.Fatal(err)
	}
	signing.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	assertion := d.FindElement("/Response/Assertion")
	signature, err := signing.ConstructSignature(assertion, true)
	if err != nil {
		p.w.T.Fatal(err)
	}
	assertion.InsertChildAt(1, signature)
	data, err := d.WriteToBytes()
	if err != nil {
		p.w.T.Fatal(err)
	}
	return url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString(data)}}
}

// crossSite are the headers of a form that another site sends.
var crossSite = http.Header{"Origin": {"https://id.acme.example"}, "Sec-Fetch-Site": {"cross-site"}}

// answer sends an answer of the identity provider to this server.
func (p *identityProvider) answer(b *browser, form url.Values) page {
	b.t.Helper()
	return b.send(http.MethodPost, path(p.provider.Service.ACSURL), form, crossSite)
}

// signIn signs somebody in with a browser, and returns the page to which the browser comes.
func (p *identityProvider) signIn(b *browser, who person, query string) page {
	b.t.Helper()
	p.answer(b, p.response(who, p.start(b, query))).wantRedirect(b.t, "/account/identified")
	return b.get("/account/identified")
}

// activate signs the admin of the world in, who links the identity with the account.
func (p *identityProvider) activate() *browser {
	p.w.T.Helper()
	b := newBrowser(p.w)
	b.signIn(p.w.Tokens["admin"])
	confirm := p.signIn(b, p.admin(), "")
	confirm.want(p.w.T, http.StatusOK, "Is that you?")
	b.submit(confirm, "/account/confirm", "decision", "link").wantRedirect(p.w.T, "/account")
	return b
}

// admin is the admin of the world as the identity provider knows them.
func (*identityProvider) admin() person {
	return person{subject: "s-admin", email: "boss@acme.example", name: "Boss"}
}
