package server

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"
)

// checkCertificate says what is wrong with a certificate that answers shall be trusted by: it has to be one X.509
// certificate, in PEM or as plain base64 as providers show it in their metadata, that is not over.
func checkCertificate(text string, now time.Time) error {
	der, err := certificateBytes(text)
	if err != nil {
		return err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return fmt.Errorf("is not an X.509 certificate: %w", err)
	}
	if now.After(certificate.NotAfter) {
		return fmt.Errorf("was valid until %s only", certificate.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
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
		return nil, errors.New("must be one certificate; there is more behind it")
	}
	return block.Bytes, nil
}
