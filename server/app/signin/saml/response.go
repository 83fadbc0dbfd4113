package saml

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/beevik/etree"
	crewjam "github.com/crewjam/saml"
)

const (
	// MaxResponse is the maximum size of the form value of a response, in bytes.
	MaxResponse = 256 << 10
	// maxDepth is the maximum depth of the elements of a response. Real ones have about a dozen.
	maxDepth = 32
	// maxElements is the maximum number of elements of a response. It bounds the time of verification.
	maxElements = 10000
)

// decode returns the document in a form value.
func decode(response string) ([]byte, error) {
	if len(response) > MaxResponse {
		return nil, refuse("the response is larger than %d bytes", MaxResponse)
	}
	document, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(response), ""))
	if err != nil {
		return nil, refuse("the response is not base64")
	}
	if bytes.Contains(bytes.ToUpper(document), []byte("<!DOCTYPE")) {
		return nil, refuse("the response has a document type declaration")
	}
	return bytes.TrimSpace(document), nil // the XML library refuses space after the root
}

// parse returns the root of a document. It refuses all that has no place in a response and that readers of XML treat differently.
func parse(document []byte) (*etree.Element, error) {
	d := etree.NewDocument()
	d.ReadSettings = etree.ReadSettings{ValidateInput: true, PreserveDuplicateAttrs: true, MaxDepth: maxDepth}
	if err := d.ReadFromBytes(document); err != nil {
		return nil, refuse("the response is not well-formed XML, or too deep")
	}
	root := d.Root()
	if root == nil || root.Tag != "Response" || root.NamespaceURI() != protocolNamespace {
		return nil, refuse("the document is not a SAML response")
	}
	if err := checkTokens(&d.Element, map[string]bool{}); err != nil {
		return nil, err
	}
	return root, nil
}

// checkTokens refuses comments, instructions, declarations, attributes that are given twice, and IDs that two elements have. ids is
// the set of IDs so far.
func checkTokens(parent *etree.Element, ids map[string]bool) error {
	for _, token := range parent.Child {
		switch t := token.(type) {
		case *etree.CharData:
		case *etree.Element:
			if err := checkAttributes(t, ids); err != nil {
				return err
			}
			if err := checkTokens(t, ids); err != nil {
				return err
			}
		case *etree.ProcInst:
			if t.Target != "xml" || parent.Parent() != nil || parent.Tag != "" {
				return refuse("the response has a processing instruction")
			}
		case *etree.Comment:
			return refuse("the response has a comment")
		default:
			return refuse("the response has a declaration")
		}
	}
	return nil
}

func checkAttributes(e *etree.Element, ids map[string]bool) error {
	names := make(map[string]bool, len(e.Attr))
	for _, a := range e.Attr {
		name := a.FullKey()
		if names[name] {
			return refuse("an element of the response has the same attribute twice")
		}
		names[name] = true
		if name == "ID" {
			if ids[a.Value] {
				return refuse("two elements of the response have the same ID")
			}
			ids[a.Value] = true
		}
	}
	return nil
}

// checkShape returns an error unless the response contains exactly one assertion, as its child, and nothing encrypted. This refuses
// signature wrapping, which needs a second element beside the one that is signed.
func checkShape(root *etree.Element) error {
	count := map[string]int{}
	if countElements(root, count) > maxElements {
		return refuse("the response has more than %d elements", maxElements)
	}
	for _, name := range []string{"EncryptedAssertion", "EncryptedID", "EncryptedAttribute"} {
		if count[name] > 0 {
			return refuse("the response has an %s: encryption is not supported, switch it off at the identity provider", name)
		}
	}
	if count["Response"] > 1 {
		return refuse("the response contains another response")
	}
	direct, err := children(root, assertionNamespace, "Assertion")
	if err != nil {
		return err
	}
	if count["Assertion"] != 1 || len(direct) != 1 {
		return refuse("the response must contain exactly one assertion; it has %d", count["Assertion"])
	}
	return nil
}

// countElements adds the number of elements of each name to count, and returns the number of all.
func countElements(e *etree.Element, count map[string]int) int {
	count[e.Tag]++
	total := 1
	for _, c := range e.ChildElements() {
		total += countElements(c, count)
	}
	return total
}

// checkResponse checks what the response element says. The library checks the same again on the verified element.
func (c *check) checkResponse(root *etree.Element) error {
	if attribute(root, "InResponseTo") == "" {
		return ErrUnsolicited
	}
	if c.requestID == "" || attribute(root, "InResponseTo") != c.requestID {
		return refuse("the response answers another request (InResponseTo)")
	}
	if err := checkStatus(root); err != nil {
		return err
	}
	if destination := attribute(root, "Destination"); destination != "" && destination != c.provider.ACSURL {
		return refuse("the Destination of the response is not %s", c.provider.ACSURL)
	}
	issuer, err := child(root, assertionNamespace, "Issuer")
	if err != nil || issuer == nil {
		return err
	}
	return c.checkIssuer(issuer)
}

// checkStatus returns an error with the status codes unless the response reports success.
func checkStatus(root *etree.Element) error {
	status, err := child(root, protocolNamespace, "Status")
	if err != nil {
		return err
	}
	var codes []string
	for e := status; e != nil; {
		if e, err = child(e, protocolNamespace, "StatusCode"); err != nil {
			return err
		}
		if e != nil {
			codes = append(codes, attribute(e, "Value"))
		}
	}
	switch {
	case len(codes) == 0:
		return refuse("the response has no status")
	case codes[0] == crewjam.StatusSuccess:
		return nil
	}
	for i, code := range codes {
		codes[i] = statusName(code)
	}
	return refuse("the identity provider did not sign the person in: status %s", strings.Join(codes, ", "))
}

// statusName returns the last word of a status code of the standard. Others are not repeated.
func statusName(code string) string {
	name, ok := strings.CutPrefix(code, "urn:oasis:names:tc:SAML:2.0:status:")
	isLetter := func(r rune) bool { return (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') }
	if !ok || !isPrintable(name, 40) || strings.ContainsFunc(name, func(r rune) bool { return !isLetter(r) }) {
		return "(not of the standard)"
	}
	return name
}
