package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// algorithms are the accepted algorithms of signatures. None of them has a key that the client and the provider share.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}

// minRSA is the minimum size of an RSA key in bits.
const minRSA = 2048

// keySet holds the public keys of a provider.
type keySet []jose.JSONWebKey

// parseKeys parses a JSON Web Key Set. Keys that cannot sign with one of algorithms are left out.
func parseKeys(data []byte) (keys keySet, err error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, refuse(ReasonAnswer, "the keys of the provider are no JSON Web Key Set")
	}
	for _, text := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) == nil && key.Use != "enc" && key.Valid() && len(keyAlgorithms(key)) > 0 {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// keyAlgorithms returns the algorithms that a public key signs with. A key of another form has none.
func keyAlgorithms(key jose.JSONWebKey) []jose.SignatureAlgorithm {
	switch k := key.Key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() >= minRSA {
			return []jose.SignatureAlgorithm{jose.RS256, jose.PS256}
		}
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return []jose.SignatureAlgorithm{jose.ES256}
		}
	case ed25519.PublicKey:
		return []jose.SignatureAlgorithm{jose.EdDSA}
	}
	return nil
}

// find returns the keys that may have signed a token: those with its key id, or all if it has none, that sign with its algorithm.
func (s keySet) find(header jose.Header) (found []jose.JSONWebKey) {
	for _, key := range s {
		isNamed := header.KeyID == "" || key.KeyID == header.KeyID
		isFor := key.Algorithm == "" || key.Algorithm == header.Algorithm
		if isNamed && isFor && slices.Contains(keyAlgorithms(key), jose.SignatureAlgorithm(header.Algorithm)) {
			found = append(found, key)
		}
	}
	return found
}

// signatureVerifier verifies the signature of one ID token with the keys of a provider, which it reads again if the key of the token
// is not among them. It implements the interface KeySet of go-oidc, which hides the error and the payload.
type signatureVerifier struct {
	client  *Client
	known   known
	payload []byte // of a token whose signature is right
	err     error
}

// VerifySignature implements the interface KeySet of go-oidc.
func (v *signatureVerifier) VerifySignature(ctx context.Context, token string) (payload []byte, err error) {
	v.payload, v.err = v.verify(ctx, token)
	return v.payload, v.err
}

func (v *signatureVerifier) verify(ctx context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, refuse(ReasonToken, "the ID token is not a signed one")
	}
	header := signed.Signatures[0].Protected
	keys := v.known.keys.find(header)
	if len(keys) == 0 {
		if v.known, err = v.client.readKeys(ctx, v.known); err != nil {
			return nil, err
		}
		keys = v.known.keys.find(header)
	}
	if len(keys) == 0 {
		return nil, refuse(ReasonKey, "the key of the ID token is not among those of the provider")
	}
	for _, key := range keys {
		if payload, err := signed.Verify(key); err == nil {
			return payload, nil
		}
	}
	return nil, refuse(ReasonSignature, "the signature of the ID token is wrong")
}

// checkAlgorithm returns an error unless the header of a token names one of algorithms.
func checkAlgorithm(token string) error {
	encoded, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	var header struct {
		Algorithm string `json:"alg"`
	}
	if err != nil || json.Unmarshal(text, &header) != nil || strings.Count(token, ".") != 2 {
		return refuse(ReasonToken, "the ID token is not a signed one")
	}
	if !slices.Contains(algorithms, jose.SignatureAlgorithm(header.Algorithm)) {
		return refuse(ReasonAlgorithm, fmt.Sprintf("the ID token is signed with %q; RS256, PS256, ES256 and EdDSA are accepted",
			printable(header.Algorithm, maxCode)))
	}
	return nil
}
