package saml

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/beevik/etree"
	crewjam "github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"
)

// ErrUnsolicited is returned for a response that answers no request: somebody started at the identity provider. Such a response could
// sign a person in as another one, so it is refused; the caller can start a sign-in of its own instead.
var ErrUnsolicited = errors.New("the response answers no request (InResponseTo is missing): a sign-in must start at this service")

// refusal is the reason why a response is refused. It is for logs and contains nothing from the response.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// check is one call of Provider.Check.
type check struct {
	provider  Provider
	requestID string
	now       time.Time
	signed    []signedElement // that were verified
}

// signedElement is the content of an element that a signature covers.
type signedElement struct {
	element     *etree.Element
	certificate int
}

// Check verifies a response and returns whom it identifies. The response is the base64 text of the form value SAMLResponse, and
// requestID the ID of the request that this browser sent.
//
// The response or its assertion must be signed with SHA-256 or better by a certificate that is valid now. A signed response vouches
// for an assertion that is not signed; a signature that is present must be valid in any case. An assertion is accepted for 90 seconds
// after it was issued, and a clock may differ by 60 seconds from its other times.
//
// The text of an error is the reason for a log: plain English without anything that the response says about a person. Check does not
// notice a response that is used twice: the caller keeps Identity.AssertionID until Identity.ValidUntil, or the request until it is
// answered.
func (p Provider) Check(response, requestID string, now time.Time) (identity Identity, err error) {
	defer func() {
		if recover() != nil { // in a library
			identity, err = Identity{}, errors.New("the response cannot be read by the SAML library")
		}
	}()
	if reason := p.unusableReason(); reason != "" {
		return Identity{}, errors.New(reason)
	}
	document, err := decode(response)
	if err != nil {
		return Identity{}, err
	}
	root, err := parse(document)
	if err != nil {
		return Identity{}, err
	}
	c := &check{provider: p, requestID: requestID, now: now}
	if err := c.checkResponse(root); err != nil {
		return Identity{}, err
	}
	if err := checkShape(root); err != nil {
		return Identity{}, err
	}
	return c.verify(document)
}

// verify returns the identity in a response if both the library and this package accept it. The reasons of this package are the more
// precise ones.
func (c *check) verify(document []byte) (Identity, error) {
	service, err := c.provider.service(c.now)
	if err != nil {
		return Identity{}, err
	}
	service.SignatureVerifier = c
	_, failed := service.ParseXMLResponse(document, []string{c.requestID}, service.AcsURL)
	assertion, certificate, err := c.signedAssertion()
	if err != nil {
		return Identity{}, err
	}
	if assertion == nil {
		if failed == nil {
			return Identity{}, refuse("neither the response nor its assertion is signed")
		}
		return Identity{}, libraryReason(failed)
	}
	identity, err := c.identity(assertion)
	if err != nil {
		return Identity{}, err
	}
	if failed != nil {
		return Identity{}, libraryReason(failed)
	}
	identity.Certificate = certificate
	return identity, nil
}

// signedAssertion returns the assertion that was verified, by its own signature or by that of the response, and the index of the
// certificate. It returns nil if no signature was verified.
func (c *check) signedAssertion() (*etree.Element, int, error) {
	for _, s := range slices.Backward(c.signed) {
		if s.element.Tag == "Assertion" && s.element.NamespaceURI() == assertionNamespace {
			return s.element, s.certificate, nil
		}
	}
	for _, s := range c.signed {
		if s.element.Tag != "Response" || s.element.NamespaceURI() != protocolNamespace {
			continue
		}
		assertion, err := child(s.element, assertionNamespace, "Assertion")
		return assertion, s.certificate, err
	}
	return nil, 0, nil
}

// VerifySignature is part of an interface of the library, which calls VerifySignedElement instead.
func (c *check) VerifySignature(of *dsig.ValidationContext, e *etree.Element) error {
	_, err := c.VerifySignedElement(of, e)
	return err
}

// VerifySignedElement returns what the signature of an element covers. It tries one certificate after the other, to learn which one
// has signed.
func (c *check) VerifySignedElement(of *dsig.ValidationContext, e *etree.Element) (*etree.Element, error) {
	for i, certificate := range c.provider.Certificates {
		one := dsig.NewDefaultValidationContext(&dsig.MemoryX509CertificateStore{Roots: []*x509.Certificate{certificate}})
		one.IdAttribute, one.Clock = of.IdAttribute, of.Clock
		signed, err := one.Validate(e)
		if err == nil && signed != nil {
			c.signed = append(c.signed, signedElement{element: signed, certificate: i})
			return signed, nil
		}
	}
	return nil, refuse("%s", c.signatureReason(e))
}

// signatureReason returns why no certificate verifies the signature of an element.
func (c *check) signatureReason(e *etree.Element) string {
	candidates := c.provider.Certificates
	if named := e.FindElement("./Signature/KeyInfo/X509Data/X509Certificate"); named != nil {
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(named.Text()), ""))
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(c *x509.Certificate) bool {
			return err != nil || !bytes.Equal(c.Raw, der)
		})
	}
	if len(candidates) == 0 {
		return "the signature is by a certificate that is not configured for the identity provider"
	}
	isValid := func(k *x509.Certificate) bool { return !c.now.Before(k.NotBefore) && !c.now.After(k.NotAfter) }
	if !slices.ContainsFunc(candidates, isValid) {
		return "the certificate of the signature has expired, or is not valid yet"
	}
	return "the signature of " + e.Tag + " does not match its content or the certificate"
}

// libraryReason returns the reason for an error of the library. The texts of the library may repeat the response.
func libraryReason(err error) error {
	if own, ok := errors.AsType[refusal](err); ok {
		return own
	}
	var invalid *crewjam.InvalidResponseError
	if errors.As(err, &invalid) && invalid.PrivateErr != nil && invalid.PrivateErr.Error() == "signature element not present" {
		return refuse("neither the response nor its assertion is signed")
	}
	signature := errors.Is(err, crewjam.ErrInvalidSignature)
	reasons := []struct {
		is     bool
		reason string
	}{
		{signature && errors.Is(err, crewjam.ErrUnsupported), "the signature uses SHA-1: choose SHA-256 at the identity provider"},
		{signature, "the signature is not as SAML requires it"},
		{errors.Is(err, crewjam.ErrRequestIDMismatch), "the response answers another request (InResponseTo)"},
		{errors.Is(err, crewjam.ErrDestinationMismatch), "the response is for another address (Destination or Recipient)"},
		{errors.Is(err, crewjam.ErrIssuerMismatch), "the Issuer is not the entity id of the identity provider"},
		{errors.Is(err, crewjam.ErrAudienceMismatch), "the assertion is for another service (AudienceRestriction)"},
		{errors.Is(err, crewjam.ErrExpired), "the response or its assertion has expired"},
		{errors.Is(err, crewjam.ErrNotYetValid), "the response or its assertion is not valid yet"},
		{errors.Is(err, crewjam.ErrMissingElement), "the assertion lacks an element that SAML requires"},
		{errors.Is(err, crewjam.ErrUnsupported), "the assertion has another version, or conditions that are not supported"},
	}
	for _, r := range reasons {
		if r.is {
			return refusal(r.reason)
		}
	}
	return refuse("the response is malformed")
}
