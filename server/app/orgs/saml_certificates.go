package orgs

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxCertificates is the maximum number of certificates of a SAML provider.
const maxCertificates = 3

// checkCertificates returns an error unless text is one or more certificates for ParseCertificates, at least one of which has not
// expired.
func checkCertificates(text string, now time.Time) error {
	certificates, err := ParseCertificates(text)
	if err != nil {
		return err
	}
	var end time.Time
	for _, c := range certificates {
		if c.NotAfter.After(end) {
			end = c.NotAfter
		}
	}
	if now.After(end) {
		return fmt.Errorf("was valid until %s only", end.UTC().Format(time.RFC3339))
	}
	return nil
}

// ParseCertificates returns the certificates of a SAML provider in the order of its setting: one to three different X.509
// certificates in PEM, or one in the plain base64 of provider metadata. Some may have expired.
func ParseCertificates(text string) ([]*x509.Certificate, error) {
	blocks, err := certificateBytes(text)
	if err != nil {
		return nil, err
	}
	var certificates []*x509.Certificate
	for _, der := range blocks {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("is not an X.509 certificate: %w", err)
		}
		if slices.ContainsFunc(certificates, certificate.Equal) {
			return nil, errors.New("must not contain the same certificate twice")
		}
		certificates = append(certificates, certificate)
	}
	return certificates, nil
}

// fingerprint returns the SHA-256 of a certificate as colon-separated hexadecimal bytes.
func fingerprint(certificate *x509.Certificate) string {
	var pairs []string
	for _, b := range sha256.Sum256(certificate.Raw) {
		pairs = append(pairs, fmt.Sprintf("%02X", b))
	}
	return strings.Join(pairs, ":")
}

// certificateBytes returns the contents of up to maxCertificates PEM blocks, or of one certificate in base64.
func certificateBytes(text string) ([][]byte, error) {
	count := strings.Count(text, "-----BEGIN")
	if count == 0 {
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nil, errors.New("must be a certificate in PEM or base64")
		}
		return [][]byte{der}, nil
	}
	if count > maxCertificates {
		return nil, fmt.Errorf("must be at most %d certificates", maxCertificates)
	}
	var blocks [][]byte
	rest := []byte(text)
	for range count {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		switch {
		case block == nil:
			return nil, errors.New("is not well-formed PEM")
		case block.Type != "CERTIFICATE":
			return nil, fmt.Errorf("must be a certificate, not a %s", strings.ToLower(block.Type))
		}
		blocks = append(blocks, block.Bytes)
	}
	if strings.TrimSpace(string(rest)) != "" {
		return nil, errors.New("must end with a certificate; more data follows it")
	}
	return blocks, nil
}
