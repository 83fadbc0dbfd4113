package txn

import (
	"bytes"
	"strconv"

	"docspace.dev/wsd/store/redis"
)

// Record is a mutable document, stored as `<version> <schema> <private>\n<public>`. Version grows by one with each write
// (0 = absent). It begins at 1, or at a random number if the key may be used again after the record was deleted. Schema is
// the version of the two JSON documents (see Store.Decode). Public may be sent to clients unchanged; Private is read by the
// server only.
type Record struct {
	Version int64
	Schema  int
	Private []byte
	Public  []byte
}

// EncodeRecord returns the stored form of a record. It returns an ErrMisuse if the version is not positive, the
// schema is negative, or a document contains a line feed (encoding/json writes none).
func EncodeRecord(r Record) ([]byte, error) {
	switch {
	case r.Version < 1 || r.Schema < 0:
		return nil, redis.Misuse("record version %d, schema %d", r.Version, r.Schema)
	case bytes.IndexByte(r.Private, '\n') >= 0 || bytes.IndexByte(r.Public, '\n') >= 0:
		return nil, redis.Misuse("record with a line feed")
	}
	out := make([]byte, 0, len(r.Private)+len(r.Public)+32)
	out = strconv.AppendInt(out, r.Version, 10)
	out = append(out, ' ')
	out = strconv.AppendInt(out, int64(r.Schema), 10)
	out = append(out, ' ')
	out = append(out, r.Private...)
	out = append(out, '\n')
	return append(out, r.Public...), nil
}

// DecodeRecord parses the stored form; the documents are slices of data. It returns an ErrCorrupt for anything that
// EncodeRecord cannot have written.
func DecodeRecord(data []byte) (Record, error) {
	head, public, found := bytes.Cut(data, []byte{'\n'})
	if !found {
		return Record{}, redis.Corrupt("record without a public part")
	}
	versionText, rest, _ := bytes.Cut(head, []byte{' '})
	schemaText, private, found := bytes.Cut(rest, []byte{' '})
	if !found {
		return Record{}, redis.Corrupt("record without version and schema")
	}
	version, ok := parseDecimal(versionText)
	if !ok || version < 1 {
		return Record{}, redis.Corrupt("record version %q", versionText)
	}
	schema, ok := parseDecimal(schemaText)
	if !ok || schema > 1<<30 {
		return Record{}, redis.Corrupt("record schema %q", schemaText)
	}
	if bytes.IndexByte(public, '\n') >= 0 {
		return Record{}, redis.Corrupt("record with a line feed in its public part")
	}
	return Record{Version: version, Schema: int(schema), Private: private, Public: public}, nil
}

// Decode parses the stored form of a record. It returns a redis.ErrNewerFormat if the schema is newer than this
// program supports. Documents with an older schema are upgraded by their readers.
func (s *Store) Decode(data []byte) (Record, error) {
	r, err := DecodeRecord(data)
	if err == nil {
		err = s.CheckFormat(r.Schema)
	}
	return r, err
}

// parseDecimal parses a number in the form of strconv.AppendInt: no sign, no leading zero. The commit script compares
// versions as text, so the form must be unique.
func parseDecimal(text []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil && n >= 0 && strconv.FormatInt(n, 10) == string(text)
}
