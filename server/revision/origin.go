package revision

import (
	"crypto/sha1" //nolint:gosec // git names its objects so; nothing is kept safe by it
	"encoding/hex"
	"strconv"

	"docspace.dev/wsd/client/api"
)

// Origin says what an import brought of a page or file: of which source it is, where it lies there, and its text as it
// came, before anybody edited it here. It stays with the page through moves, renames and edits, so that links of the
// source lead where they led there, and so that the next import of the source knows what it brought the last time.
type Origin struct {
	Source string   `json:"source"`          // id of the source
	Path   string   `json:"path"`            // within the source, without a slash at the beginning; unique there
	OID    string   `json:"oid,omitzero"`    // of the bytes as they came: see BlobID
	At     api.Time `json:"at"`              // of the import
	Text   string   `json:"text,omitzero"`   // hash of the Markdown as it came
	Blocks string   `json:"blocks,omitzero"` // hash of its block table
}

// refs are the objects that the origin keeps.
func (o *Origin) refs() []string {
	if o == nil || o.Text == "" {
		return nil
	}
	return []string{o.Text, o.Blocks}
}

// Object is the origin as answers show it; nil for what was made here.
func (o *Origin) Object() *api.GitObject {
	if o == nil {
		return nil
	}
	return &api.GitObject{OID: o.OID, Path: o.Path}
}

// SamePlace reports whether two origins name the same place of the same source.
func (o *Origin) SamePlace(other *Origin) bool {
	if o == nil || other == nil {
		return o == other
	}
	return o.Source == other.Source && o.Path == other.Path
}

// later returns the origin of the later import.
func later(a, b *Origin) *Origin {
	if a == nil || b != nil && b.At.After(a.At.Time) {
		return b
	}
	return a
}

// BlobID names bytes as git does: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects.
func BlobID(data []byte) string {
	sum := sha1.New() //nolint:gosec // see above
	sum.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil))
}
