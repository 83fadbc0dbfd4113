package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Hash returns the SHA-256 of a list of texts, in hexadecimal. The boundaries of the texts are part of the input.
func Hash(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
