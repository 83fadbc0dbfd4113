package saml

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

const intruder = "intruder"

// forged returns a copy of the assertion of a response that identifies an intruder, without its signature.
func forged(d *etree.Document) *etree.Element {
	return forge(d.FindElement("/Response/Assertion"))
}

// forge returns a copy of an element that identifies an intruder, with other IDs and without the signature of the element.
func forge(e *etree.Element) *etree.Element {
	e = e.Copy()
	e.CreateAttr("ID", "forged-"+e.SelectAttrValue("ID", ""))
	if signature := e.SelectElement("Signature"); signature != nil {
		e.RemoveChild(signature)
	}
	e.FindElement(".//NameID").SetText(intruder)
	for _, nested := range e.FindElements(".//Assertion") {
		nested.CreateAttr("ID", "forged-"+nested.SelectAttrValue("ID", ""))
	}
	return e
}

// unsigned removes the signature of an element and returns it.
func unsigned(e *etree.Element) (signature *etree.Element) {
	signature = e.SelectElement("Signature")
	e.RemoveChild(signature)
	return signature
}

// object returns an Object element of a signature that contains an element.
func object(e *etree.Element) *etree.Element {
	o := etree.NewElement("ds:Object")
	o.AddChild(e)
	return o
}

// wrap1 and wrap2 wrap a signed response; wrap3 to wrap8 a signed assertion. The numbers are those of Somorovsky et al., "On
// Breaking SAML" (2012).
func wrap1(d *etree.Document) {
	root := d.Root()
	forgery := forge(root)
	signature := unsigned(root)
	d.SetRoot(forgery)
	forgery.InsertChildAt(1, signature)
	signature.AddChild(object(root))
}

func wrap2(d *etree.Document) {
	root := d.Root()
	forgery := forge(root)
	signature := unsigned(root)
	d.SetRoot(forgery)
	forgery.InsertChildAt(1, root)
	forgery.InsertChildAt(2, signature)
}

func wrap3(d *etree.Document) {
	original := d.FindElement("/Response/Assertion")
	original.Parent().InsertChildAt(original.Index(), forged(d))
}

func wrap4(d *etree.Document) {
	original, forgery := d.FindElement("/Response/Assertion"), forged(d)
	d.Root().RemoveChild(original)
	d.Root().AddChild(forgery)
	forgery.AddChild(original)
}

func wrap5(d *etree.Document) {
	original, forgery := d.FindElement("/Response/Assertion"), forged(d)
	forgery.InsertChildAt(1, unsigned(original))
	d.Root().InsertChildAt(original.Index(), forgery)
}

func wrap6(d *etree.Document) {
	original, forgery := d.FindElement("/Response/Assertion"), forged(d)
	signature := unsigned(original)
	d.Root().RemoveChild(original)
	d.Root().AddChild(forgery)
	forgery.InsertChildAt(1, signature)
	signature.AddChild(object(original))
}

func wrap7(d *etree.Document) {
	original, forgery := d.FindElement("/Response/Assertion"), forged(d)
	extensions := etree.NewElement("samlp:Extensions")
	extensions.AddChild(forgery)
	d.Root().InsertChildAt(original.Index(), extensions)
}

func wrap8(d *etree.Document) {
	original, forgery := d.FindElement("/Response/Assertion"), forged(d)
	signature := unsigned(original)
	d.Root().RemoveChild(original)
	d.Root().AddChild(forgery)
	forgery.AddChild(signature)
	signature.InsertChildAt(0, object(original))
}

func wrappings() []answer {
	return []answer{
		{after: wrap1, signs: signResponse},
		{after: wrap2, signs: signResponse},
		{after: wrap3},
		{after: wrap4},
		{after: wrap5},
		{after: wrap6},
		{after: wrap7},
		{after: wrap8},
	}
}

// TestSignatureWrapping checks that wrapped signatures are refused by the shape of the response and that, without this check, nothing
// that is not signed is believed.
func TestSignatureWrapping(t *testing.T) {
	t.Parallel()
	for i, a := range wrappings() {
		document := a.document(t)
		if !strings.Contains(document, intruder) || !strings.Contains(document, testSubject) {
			t.Fatalf("%d: the document does not contain both subjects", i+1)
		}
		_, err := newProvider().Check(a.encode(t), testRequest, clock())
		want := "exactly one assertion; it has 2"
		if a.signs == signResponse {
			want = "contains another response"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: error is %v", i+1, err)
		}
		c := &check{provider: newProvider(), requestID: testRequest, now: clock()}
		if identity, err := c.verify([]byte(document)); err == nil && identity.Subject != testSubject {
			t.Errorf("%d: without the check of the shape, the subject is %s", i+1, identity.Subject)
		}
		a.after = nil
		wantIdentity(t, newProvider(), a, ann())
	}
}

// attack is a response that must be refused.
type attack struct {
	answer answer
	want   string // part of the reason
}

func TestForgedResponses(t *testing.T) {
	t.Parallel()
	subject := func(text string) func(*etree.Document) { return set("//NameID", text) }
	checkAttacks(t, map[string]attack{
		"not signed":                {answer{signs: signNothing}, "neither the response nor its assertion is signed"},
		"other certificate":         {answer{key: foreignKey}, "certificate that is not configured"},
		"other key, not named":      {answer{key: foreignKey, unnamed: true}, "does not match its content"},
		"other key on response":     {answer{key: foreignKey, signs: signResponse}, "certificate that is not configured"},
		"expired certificate":       {answer{key: expiredKey}, "certificate of the signature has expired"},
		"SHA-1":                     {answer{method: dsig.RSASHA1SignatureMethod}, "uses SHA-1"},
		"SHA-1 on response":         {answer{method: dsig.RSASHA1SignatureMethod, signs: signResponse}, "uses SHA-1"},
		"changed subject":           {answer{after: subject(intruder)}, "signature of Assertion does not match"},
		"changed subject, response": {answer{after: subject(intruder), signs: signResponse}, "signature of Response does not match"},
		"changed subject, both":     {answer{after: subject(intruder), signs: signBoth}, "signature of Response does not match"},
		"added attribute": {answer{after: add("//AttributeStatement",
			`<saml:Attribute Name="x"><saml:AttributeValue>y</saml:AttributeValue></saml:Attribute>`)}, "does not match its content"},
		"signature of another element": {answer{after: setAttr("//Assertion", "ID", "a2")}, "does not match its content"},
		"reference to the document":    {answer{after: setAttr("//Reference", "URI", "")}, "does not match its content"},
		"signature without value":      {answer{after: set("//SignatureValue", "")}, "does not match its content"},
		"no method":                    {answer{after: dropAttr("//SignatureMethod", "Algorithm")}, "does not match its content"},
		"two signatures": {answer{after: func(d *etree.Document) {
			s := d.FindElement("//Signature")
			s.Parent().AddChild(s.Copy())
		}}, "not as SAML requires it"},
		"comment in the NameID": {answer{before: subject("admin@acme.example.evil.example"), edit: func(s string) string {
			return strings.Replace(s, ".example.evil", ".example<!-- -->.evil", 1)
		}}, "has a comment"},
		"instruction in the NameID": {answer{edit: func(s string) string {
			return strings.Replace(s, testSubject, testSubject[:4]+"<?x y?>"+testSubject[4:], 1)
		}}, "has a processing instruction"},
		"document type": {answer{edit: func(s string) string {
			return `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + strings.Replace(s, testSubject, "&x;", 1)
		}}, "document type declaration"},
		"entity without declaration": {
			answer{edit: func(s string) string { return strings.Replace(s, testSubject, "&x;", 1) }},
			"not well-formed",
		},
		"another declaration": {answer{edit: func(s string) string { return `<!ELEMENT r ANY>` + s }}, "has a declaration"},
		"attribute twice": {answer{edit: func(s string) string {
			return strings.Replace(s, ` Recipient="`, ` Recipient="https://other.example" Recipient="`, 1)
		}}, "same attribute twice"},
		"ID twice": {answer{after: setAttr("/Response", "ID", "a1")}, "same ID"},
		"too deep": {answer{after: add("//StatusCode", strings.Repeat("<a>", 40)+strings.Repeat("</a>", 40))}, "too deep"},
		"too many elements": {
			answer{after: add("//Assertion", "<saml:Advice>"+strings.Repeat("<a/>", maxElements)+"</saml:Advice>")},
			"more than 10000 elements",
		},
		"many namespaces": {answer{after: func(d *etree.Document) {
			for i := range 100 {
				d.Root().CreateAttr("xmlns:p"+strings.Repeat("x", i), "urn:x")
			}
		}}, "malformed"},
		"another document": {answer{edit: func(string) string { return "<Response/>" }}, "not a SAML response"},
		"logout response": {
			answer{edit: func(s string) string { return strings.ReplaceAll(s, "samlp:Response", "samlp:LogoutResponse") }},
			"not a SAML response",
		},
		"nothing":             {answer{edit: func(string) string { return " " }}, "not well-formed"},
		"truncated":           {answer{edit: func(s string) string { return s[:len(s)-9] }}, "not well-formed"},
		"foreign text behind": {answer{edit: func(s string) string { return s + "<a/>" }}, "not well-formed"},
	})
}

func TestResponsesForOthers(t *testing.T) {
	t.Parallel()
	other := "https://other.example/saml"
	checkAttacks(t, map[string]attack{
		"wrong audience":     {answer{before: set("//Audience", other)}, "audience of the assertion is another service"},
		"prefix of audience": {answer{before: set("//Audience", testService+"/x")}, "audience of the assertion is another service"},
		"no audience":        {answer{before: drop("//AudienceRestriction")}, "names no audience"},
		"two restrictions": {answer{before: add("//Conditions",
			"<saml:AudienceRestriction><saml:Audience>"+other+"</saml:Audience></saml:AudienceRestriction>")}, "audience of the assertion"},
		"no conditions": {answer{before: drop("//Conditions")}, "has no Conditions"},
		"unknown condition": {
			answer{before: add("//Conditions", `<x:Local xmlns:x="urn:x"/>`)},
			"conditions that are not supported",
		},
		"wrong destination": {
			answer{before: setAttr("/Response", "Destination", other), signs: signResponse},
			"the Destination of the response",
		},
		"wrong destination, not signed": {
			answer{after: setAttr("/Response", "Destination", other)},
			"the Destination of the response",
		},
		"no destination, signed": {
			answer{before: dropAttr("/Response", "Destination"), signs: signResponse},
			"Destination or Recipient",
		},
		"wrong recipient": {
			answer{before: setAttr("//SubjectConfirmationData", "Recipient", other)},
			"the Recipient of the assertion",
		},
		"no recipient": {
			answer{before: dropAttr("//SubjectConfirmationData", "Recipient")},
			"the Recipient of the assertion",
		},
		"other issuer":                  {answer{before: set("//Issuer", other)}, "the Issuer of Response"},
		"other issuer of the assertion": {answer{before: set("//Assertion/Issuer", other)}, "the Issuer of Assertion"},
		"no issuer":                     {answer{before: drop("//Assertion/Issuer"), signs: signResponse}, "has no Issuer"},
		"issuer in a foreign namespace": {
			answer{before: setAttr("//Assertion/Issuer", "xmlns:saml", "urn:x")},
			"element Issuer is in a foreign namespace",
		},
		"other service": {
			answer{before: all(set("//Audience", other), setAttr("//SubjectConfirmationData", "Recipient", other))},
			"audience of the assertion is another",
		},
		"other request": {
			answer{before: setAttr("/Response", "InResponseTo", "id-0")},
			"the response answers another request",
		},
		"assertion of another request": {
			answer{before: setAttr("//SubjectConfirmationData", "InResponseTo", "id-0")},
			"the assertion answers another request",
		},
		"assertion of no request": {
			answer{before: dropAttr("//SubjectConfirmationData", "InResponseTo")},
			"the assertion answers another request",
		},
		"no request":      {answer{before: dropAttr("/Response", "InResponseTo")}, "answers no request"},
		"no confirmation": {answer{before: drop("//SubjectConfirmation")}, "no confirmation for the bearer"},
		"confirmation by key": {
			answer{before: setAttr("//SubjectConfirmation", "Method", "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key")},
			"no confirmation for the bearer",
		},
		"confirmation without data":      {answer{before: drop("//SubjectConfirmationData")}, "no SubjectConfirmationData"},
		"no authentication":              {answer{before: drop("//AuthnStatement")}, "lacks an element"},
		"other version of the assertion": {answer{before: setAttr("//Assertion", "Version", "1.1")}, "another version"},
		"two assertions": {answer{before: func(d *etree.Document) {
			second := d.FindElement("//Assertion").Copy()
			second.CreateAttr("ID", "a2")
			d.Root().AddChild(second)
		}, signs: signResponse}, "exactly one assertion; it has 2"},
		"no assertion": {answer{before: drop("//Assertion"), signs: signResponse}, "exactly one assertion; it has 0"},
		"nested assertion": {
			answer{before: add("//Assertion", `<saml:Advice><saml:Assertion ID="a3"/></saml:Advice>`)},
			"exactly one assertion; it has 2",
		},
		"encrypted assertion": {
			answer{before: add("/Response", `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>`)},
			"EncryptedAssertion: encryption is not supported",
		},
		"encrypted NameID": {
			answer{before: all(drop("//NameID"), add("//Subject", "<saml:EncryptedID/>"))},
			"EncryptedID: encryption is not supported",
		},
		"refusal": {
			answer{before: all(setAttr("//StatusCode", "Value", "urn:oasis:names:tc:SAML:2.0:status:Requester"),
				add("//StatusCode", `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:InvalidNameIDPolicy"/>`),
				drop("//Assertion"))},
			"status Requester, InvalidNameIDPolicy",
		},
		"status of another standard": {
			answer{before: setAttr("//StatusCode", "Value", "\nforged log line")},
			"status (not of the standard)",
		},
		"no status": {answer{before: drop("//Status"), signs: signResponse}, "has no status"},
	})
}

func TestResponsesAtOtherTimes(t *testing.T) {
	t.Parallel()
	at := func(path, name string, d time.Duration) answer { return answer{before: setAttr(path, name, stamp(d))} }
	checkAttacks(t, map[string]attack{
		"expired":       {at("//Conditions", "NotOnOrAfter", -time.Minute), "has expired (NotOnOrAfter of Conditions)"},
		"not yet valid": {at("//Conditions", "NotBefore", 61*time.Second), "not valid yet (NotBefore of Conditions)"},
		"confirmation expired": {
			at("//SubjectConfirmationData", "NotOnOrAfter", -time.Minute),
			"has expired (NotOnOrAfter of SubjectConfirmationData)",
		},
		"confirmation not yet": {
			at("//SubjectConfirmationData", "NotBefore", 61*time.Second),
			"not valid yet (NotBefore of SubjectConfirmationData)",
		},
		"confirmation without end": {answer{before: dropAttr("//SubjectConfirmationData", "NotOnOrAfter")}, "no end (NotOnOrAfter)"},
		"issued in the future":     {at("//Assertion", "IssueInstant", 61*time.Second), "issued in the future"},
		"issued long ago":          {at("//Assertion", "IssueInstant", -91*time.Second), "issued too long ago"},
		"response of long ago":     {at("/Response", "IssueInstant", -91*time.Second), "has expired"},
		"response of the future":   {at("/Response", "IssueInstant", 10*time.Minute), "not valid yet"},
		"no time of issue":         {answer{before: dropAttr("//Assertion", "IssueInstant")}, "no IssueInstant"},
		"not a time":               {answer{before: setAttr("//Conditions", "NotOnOrAfter", "never")}, "malformed"},
	})
}

func TestUnusableSubjects(t *testing.T) {
	t.Parallel()
	format := func(format string) answer {
		return answer{before: setAttr("//NameID", "Format", "urn:oasis:names:tc:SAML:"+format)}
	}
	checkAttacks(t, map[string]attack{
		"transient":      {format("2.0:nameid-format:transient"), "the NameID is transient"},
		"address":        {format("1.1:nameid-format:emailAddress"), "the NameID is an e-mail address"},
		"unspecified":    {format("1.1:nameid-format:unspecified"), "the NameID is of an unspecified format"},
		"no format":      {answer{before: dropAttr("//NameID", "Format")}, "configure a persistent NameID at the identity provider"},
		"other format":   {format("2.0:nameid-format:entity"), "(subjectAttribute)"},
		"other provider": {answer{before: setAttr("//NameID", "NameQualifier", "urn:other")}, "of another identity provider"},
		"other service":  {answer{before: setAttr("//NameID", "SPNameQualifier", "urn:other")}, "for another service"},
		"no NameID":      {answer{before: drop("//NameID")}, "has no NameID"},
		"no Subject":     {answer{before: drop("//Subject")}, "has no Subject"},
		"empty":          {answer{before: set("//NameID", " \n")}, "the NameID is empty"},
		"too long":       {answer{before: set("//NameID", strings.Repeat("é", MaxSubject+1))}, "longer than 1024 characters"},
		"not printable":  {answer{before: set("//NameID", "a\u202eb")}, "not printable"},
		"element inside": {answer{before: add("//NameID", "<saml:b/>")}, "contains more than text"},
		"two of them":    {answer{before: add("//Subject", "<saml:NameID>"+intruder+"</saml:NameID>")}, "more than one element NameID"},
		"no usable ID": {
			answer{before: setAttr("//Assertion", "ID", strings.Repeat("a", 257))},
			"has no ID, or one that is not usable",
		},
		"foreign namespace": {answer{before: func(d *etree.Document) {
			e := d.FindElement("//NameID")
			e.CreateAttr("xmlns:x", "urn:x")
			e.Space = "x"
		}}, "element NameID is in a foreign namespace"},
		"also one of a foreign namespace": {
			answer{before: add("//Subject", `<x:NameID xmlns:x="urn:x">`+intruder+`</x:NameID>`)},
			"element NameID is in a foreign namespace",
		},
	})
}

// checkAttacks checks that all attacks are refused with their reasons, and that the good response is accepted.
func checkAttacks(t *testing.T, attacks map[string]attack) {
	t.Helper()
	wantIdentity(t, newProvider(), answer{}, ann())
	for name, test := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			identity, err := newProvider().Check(test.answer.encode(t), testRequest, clock())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
			if identity.Subject != "" {
				t.Errorf("the subject is %s", identity.Subject)
			}
			if err != nil && (strings.Contains(err.Error(), testSubject) || strings.ContainsAny(err.Error(), "\n\r")) {
				t.Errorf("the reason repeats the response: %v", err)
			}
		})
	}
}

// TestSubjectAttributeMustBeSingle checks that an attribute identifies people only if it has one value.
func TestSubjectAttributeMustBeSingle(t *testing.T) {
	t.Parallel()
	for attribute, want := range map[string]string{"groups": "has several values", "other": "has no value", "": "persistent NameID"} {
		p := newProvider()
		p.SubjectAttribute = attribute
		a := answer{before: setAttr("//NameID", "Format", "urn:oasis:names:tc:SAML:2.0:nameid-format:transient")}
		if _, err := p.Check(a.encode(t), testRequest, clock()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
}

// TestFormValue checks values that contain no document.
func TestFormValue(t *testing.T) {
	t.Parallel()
	good := answer{}.encode(t)
	for name, test := range map[string]struct{ value, want string }{
		"line breaks":         {good[:76] + "\r\n" + good[76:], ""},
		"not base64":          {"<samlp:Response/>", "not base64"},
		"empty":               {"", "not well-formed"},
		"binary":              {base64.StdEncoding.EncodeToString([]byte{0, 1, 2}), "not well-formed"},
		"oversized":           {good + strings.Repeat(" ", MaxResponse+1-len(good)), "larger than 262144 bytes"},
		"as large as allowed": {good + strings.Repeat(" ", MaxResponse-len(good)), ""},
	} {
		_, err := newProvider().Check(test.value, testRequest, clock())
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error is %v, want %q", name, err, test.want)
		}
	}
}

// FuzzCheck checks that no document makes the library panic, that none is believed without a signature, and that one which is signed
// is either refused or read completely.
func FuzzCheck(f *testing.F) {
	f.Add(answer{signs: signNothing}.document(f))
	for _, a := range wrappings() {
		f.Add(a.document(f))
	}
	f.Add(`<samlp:Response xmlns:samlp="` + protocolNamespace + `" InResponseTo="` + testRequest + `"/>`)
	f.Add("<")
	f.Fuzz(func(t *testing.T, document string) {
		if identity, err := fuzzedCheck(t, document); err == nil && identity.Subject != testSubject {
			t.Errorf("the subject is %q", identity.Subject)
		}
		d := etree.NewDocument()
		if err := d.ReadFromString(document); err != nil {
			return
		}
		assertion := d.FindElement("/Response/Assertion")
		if assertion == nil || len(assertion.Child) == 0 || (answer{}).trySign(assertion) != nil {
			return
		}
		signed, err := d.WriteToString()
		if err != nil {
			return
		}
		identity, err := fuzzedCheck(t, signed)
		if err == nil && (!isPrintable(identity.Subject, MaxSubject) || identity.AssertionID == "") {
			t.Errorf("the identity is %+v", identity)
		}
	})
}

func fuzzedCheck(t *testing.T, document string) (Identity, error) {
	t.Helper()
	identity, err := newProvider().Check(base64.StdEncoding.EncodeToString([]byte(document)), testRequest, clock())
	if err != nil && err.Error() == "the response cannot be read by the SAML library" {
		t.Error("the library panicked")
	}
	return identity, err
}
