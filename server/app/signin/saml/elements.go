package saml

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/beevik/etree"
	crewjam "github.com/crewjam/saml"
)

// Namespaces of elements.
const (
	protocolNamespace  = "urn:oasis:names:tc:SAML:2.0:protocol"
	assertionNamespace = "urn:oasis:names:tc:SAML:2.0:assertion"
)

// children returns the children of an element that have a name. One of that name in another namespace is an error, because other
// readers may confuse the two.
func children(parent *etree.Element, namespace, name string) ([]*etree.Element, error) {
	var found []*etree.Element
	for _, e := range parent.ChildElements() {
		if e.Tag != name {
			continue
		}
		if e.NamespaceURI() != namespace {
			return nil, refuse("an element %s is in a foreign namespace", name)
		}
		found = append(found, e)
	}
	return found, nil
}

// child returns the only child of an element that has a name, or nil. More than one is an error.
func child(parent *etree.Element, namespace, name string) (*etree.Element, error) {
	found, err := children(parent, namespace, name)
	switch {
	case err != nil || len(found) == 0:
		return nil, err
	case len(found) > 1:
		return nil, refuse("%s has more than one element %s", parent.Tag, name)
	}
	return found[0], nil
}

// attribute returns the value of an XML attribute without a prefix, or "".
func attribute(e *etree.Element, name string) string {
	for _, a := range e.Attr {
		if a.Space == "" && a.Key == name {
			return a.Value
		}
	}
	return ""
}

// instant returns the time of an XML attribute, or the zero time if there is none.
func instant(e *etree.Element, name string) (time.Time, error) {
	var at crewjam.RelaxedTime
	if err := at.UnmarshalText([]byte(attribute(e, name))); err != nil {
		return time.Time{}, refuse("%s of %s is not a time", name, e.Tag)
	}
	return time.Time(at), nil
}

// text returns all of the text of an element, without the space around it. It reports whether the element contains nothing else.
func text(e *etree.Element) (string, bool) {
	var b strings.Builder
	for _, token := range e.Child {
		data, ok := token.(*etree.CharData)
		if !ok {
			return "", false
		}
		b.WriteString(data.Data)
	}
	return strings.TrimSpace(b.String()), true
}

// isPrintable reports whether a text has 1 to most characters, all of which can be seen or are plain spaces.
func isPrintable(s string, most int) bool {
	if s == "" || !utf8.ValidString(s) || utf8.RuneCountInString(s) > most {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}
