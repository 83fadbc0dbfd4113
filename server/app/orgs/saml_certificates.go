package orgs

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"
)

// checkCertificate returns an error unless text is one X.509 certificate that has not expired, in PEM or in the plain
// base64 of provider metadata.
func checkCertificate(text string, now time.Time) error {
	certificate, err := parseCertificate(text)
	if err != nil {
		return err
	}
	if now.After(certificate.NotAfter) {
		return fmt.Errorf("was valid until %s only", certificate.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}

func parseCertificate(text string) (*x509.Certificate, error) {
	der, err := certificateBytes(text)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("is not an X.509 certificate: %w", err)
	}
	return certificate, nil
}

// fingerprint returns the SHA-256 of a certificate as colon-separated hexadecimal bytes.
func fingerprint(certificate *x509.Certificate) string {
	var pairs []string
	for _, b := range sha256.Sum256(certificate.Raw) {
		pairs = append(pairs, fmt.Sprintf("%02X", b))
	}
	return strings.Join(pairs, ":")
}

func certificateBytes(text string) ([]byte, error) {
	if !strings.Contains(text, "-----BEGIN") {
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nil, errors.New("must be a certificate in PEM or base64")
		}
		return der, nil
	}
	block, rest := pem.Decode([]byte(text))
	switch {
	case block == nil:
		return nil, errors.New("is not well-formed PEM")
	case block.Type != "CERTIFICATE":
		return nil, fmt.Errorf("must be a certificate, not a %s", strings.ToLower(block.Type))
	case strings.TrimSpace(string(rest)) != "":
		return nil, errors.New("must be one certificate; more data follows it")
	}
	return block.Bytes, nil
}
