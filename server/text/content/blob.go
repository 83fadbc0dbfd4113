package content

import (
	"crypto/sha1" //nolint:gosec // git names its objects so; nothing is kept safe by it
	"encoding/hex"
	"strconv"
)

// BlobID names bytes as git does: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects. Imports tell by it whether a
// source has a page or file as it was.
func BlobID(data []byte) string {
	sum := sha1.New() //nolint:gosec // see above
	sum.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil))
}
