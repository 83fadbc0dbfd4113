package saml

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/xml"
	"io"
	"net/url"
	"strings"
	"testing"

	crewjam "github.com/crewjam/saml"
)

// TestRequest checks what an identity provider gets.
func TestRequest(t *testing.T) {
	t.Parallel()
	request, err := newProvider().NewRequest(clock())
	if err != nil {
		t.Fatal(err)
	}
	address, err := request.Address("state-1")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if u.Host != "id.acme.example" || q.Get("tenant") != "7" || q.Get("RelayState") != "state-1" || q.Has("Signature") {
		t.Errorf("address is %s", address)
	}
	deflated, err := base64.StdEncoding.DecodeString(q.Get("SAMLRequest"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := io.ReadAll(flate.NewReader(bytes.NewReader(deflated)))
	if err != nil {
		t.Fatal(err)
	}
	var got crewjam.AuthnRequest
	if err := xml.Unmarshal(document, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != request.ID || len(got.ID) < 40 || !got.IssueInstant.Equal(clock()) || got.Issuer.Value != testService ||
		got.AssertionConsumerServiceURL != testACS || got.ProtocolBinding != crewjam.HTTPPostBinding ||
		*got.NameIDPolicy.Format != string(crewjam.PersistentNameIDFormat) {
		t.Errorf("request is %s", document)
	}
	if _, err := request.Address(strings.Repeat("x", MaxRelayState+1)); err == nil {
		t.Error("a relay state that is too long was accepted")
	}
	other, err := newProvider().NewRequest(clock())
	if err != nil || other.ID == request.ID {
		t.Errorf("the next request has the ID %s, error %v", other.ID, err)
	}
}

// TestRequestBySubjectAttribute checks that no format of the NameID is asked for if it does not identify people.
func TestRequestBySubjectAttribute(t *testing.T) {
	t.Parallel()
	p := newProvider()
	p.SubjectAttribute = "uid"
	request, err := p.NewRequest(clock())
	if err != nil {
		t.Fatal(err)
	}
	if format := *request.message.NameIDPolicy.Format; format != "" {
		t.Errorf("format is %q", format)
	}
}

// TestMetadata checks that the metadata describes the service, also before the identity provider is configured, and that it does not
// change with time.
func TestMetadata(t *testing.T) {
	t.Parallel()
	p := Provider{ServiceID: testService, ACSURL: testACS}
	document, err := p.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	var got crewjam.EntityDescriptor
	if err := xml.Unmarshal(document, &got); err != nil {
		t.Fatal(err)
	}
	if got.EntityID != testService || !got.ValidUntil.IsZero() || len(got.SPSSODescriptors) != 1 {
		t.Fatalf("metadata is %s", document)
	}
	service := got.SPSSODescriptors[0]
	if len(service.AssertionConsumerServices) != 1 || service.AssertionConsumerServices[0].Location != testACS ||
		service.AssertionConsumerServices[0].Binding != crewjam.HTTPPostBinding || len(service.KeyDescriptors) != 0 {
		t.Errorf("metadata is %s", document)
	}
	again, err := newProvider().Metadata()
	if err != nil || !bytes.Equal(document, again) {
		t.Errorf("metadata is now %s, error %v", again, err)
	}
}
