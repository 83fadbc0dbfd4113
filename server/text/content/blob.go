package content

import (
	"crypto/sha1" //nolint:gosec // git names its objects so; nothing is kept safe by it
	"encoding/hex"
	"strconv"
)

// BlobID returns the id that git gives to a blob: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects. Imports
// compare it to detect whether a page or file of the source has changed.
func BlobID(data []byte) string {
	sum := sha1.New() //nolint:gosec // the algorithm of git
	sum.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil))
}
