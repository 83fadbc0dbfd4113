// Package saml is the service provider of SAML 2.0 (web browser single sign-on): requests by HTTP-Redirect, responses by HTTP-POST.
// Signatures are verified by the SAML library. What a response says is then read from the verified element only, by rules that are
// stricter than those of the library. The package stores nothing and has no clock; callers refuse a response that is used twice.
package saml

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"time"

	crewjam "github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"
)

// MaxRelayState is the maximum length of a relay state, in bytes. The standard sets it.
const MaxRelayState = crewjam.MaxRelayStateLength

// Provider is an identity provider, and this service as that provider knows it.
type Provider struct {
	EntityID     string              // of the identity provider
	SSOURL       string              // where the provider receives requests by HTTP-Redirect
	Certificates []*x509.Certificate // a valid signature of any of them is accepted while that certificate is valid
	ServiceID    string              // entity id of this service
	ACSURL       string              // where this service receives responses by HTTP-POST

	// Attributes are found by their Name, not by their FriendlyName.
	SubjectAttribute string // identifies people; "" = the NameID, which must be persistent then
	EmailAttribute   string // "" = the first of the usual ones, or a NameID that is an address
	NameAttribute    string // "" = the first of the usual ones
	TeamAttribute    string // "" = none
}

// Request is a request to an identity provider to sign somebody in. Its answer must name its ID.
type Request struct {
	ID      string
	service *crewjam.ServiceProvider
	message *crewjam.AuthnRequest
}

// NewRequest returns a request with a random ID. It is not signed.
func (p Provider) NewRequest(now time.Time) (Request, error) {
	if reason := p.unusableReason(); reason != "" {
		return Request{}, errors.New(reason)
	}
	service, err := p.service(now)
	if err != nil {
		return Request{}, err
	}
	message, err := service.MakeAuthenticationRequest(p.SSOURL, crewjam.HTTPRedirectBinding, crewjam.HTTPPostBinding)
	if err != nil {
		return Request{}, err
	}
	return Request{ID: message.ID, service: service, message: message}, nil
}

// Address returns the URL at the identity provider that carries the request. The response comes with the relay state, which has
// at most MaxRelayState bytes; "" is none.
func (r Request) Address(relayState string) (string, error) {
	address, err := r.message.Redirect(relayState, r.service)
	if err != nil {
		return "", err
	}
	return address.String(), nil
}

// Metadata returns the XML document that describes this service to an identity provider. It depends on the fields ServiceID,
// ACSURL and SubjectAttribute only, and is the same at any time.
func (p Provider) Metadata() ([]byte, error) {
	service, err := p.service(time.Unix(0, 0))
	if err != nil {
		return nil, err
	}
	document, err := xml.MarshalIndent(service.Metadata(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("metadata of the service: %w", err)
	}
	return append([]byte(xml.Header), append(document, '\n')...), nil
}

// unusableReason returns why people cannot sign in by the provider, or "".
func (p Provider) unusableReason() string {
	address, err := url.Parse(p.SSOURL)
	switch {
	case p.EntityID == "":
		return "the identity provider has no entity id"
	case len(p.Certificates) == 0:
		return "the identity provider has no certificate"
	case err != nil || address.Host == "" || (address.Scheme != "https" && address.Scheme != "http"):
		return "the SSO URL of the identity provider is not an HTTP address"
	case p.ServiceID == "" || p.ACSURL == "":
		return "this service has no entity id or no address for responses"
	}
	return ""
}

// service returns the provider in the types of the library, at a time.
func (p Provider) service(now time.Time) (*crewjam.ServiceProvider, error) {
	acs, err := url.Parse(p.ACSURL)
	if err != nil {
		return nil, fmt.Errorf("address for responses: %w", err)
	}
	format := crewjam.PersistentNameIDFormat
	if p.SubjectAttribute != "" {
		format = crewjam.UnspecifiedNameIDFormat
	}
	return &crewjam.ServiceProvider{
		EntityID: p.ServiceID, AcsURL: *acs, IDPMetadata: p.description(), AuthnNameIDFormat: format,
		AssertionConsumerServiceBindings: []string{crewjam.HTTPPostBinding},
		MetadataOmitValidUntil:           true,
		RejectUnknownConditions:          true,
		RejectSHA1Signatures:             true,
		LimitRelayStateLength:            true,
		Clock:                            dsig.NewFakeClockAt(now), // stands still
	}, nil
}

// description returns the metadata of the identity provider.
func (p Provider) description() *crewjam.EntityDescriptor {
	var keys []crewjam.KeyDescriptor
	for _, certificate := range p.Certificates {
		data := crewjam.X509Certificate{Data: base64.StdEncoding.EncodeToString(certificate.Raw)}
		keys = append(keys, crewjam.KeyDescriptor{
			Use: "signing", KeyInfo: crewjam.KeyInfo{X509Data: crewjam.X509Data{X509Certificates: []crewjam.X509Certificate{data}}},
		})
	}
	role := crewjam.IDPSSODescriptor{SingleSignOnServices: []crewjam.Endpoint{{Binding: crewjam.HTTPRedirectBinding, Location: p.SSOURL}}}
	role.KeyDescriptors = keys
	return &crewjam.EntityDescriptor{EntityID: p.EntityID, IDPSSODescriptors: []crewjam.IDPSSODescriptor{role}}
}
