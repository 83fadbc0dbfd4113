package redis

import "strings"

// Kind is the Redis data type of a key. It is part of the key, so that a transaction can reject a wrong operation
// before it sends anything.
type Kind uint8

// Kinds of keys.
const (
	RecordKind Kind = iota + 1 // STRING in the form of Record
	StringKind                 // any other STRING
	HashKind                   // HASH
	OrderKind                  // ZSET
	SetKind                    // SET
	StreamKind                 // STREAM
)

// RedisType returns the reply of TYPE for the kind.
func (k Kind) RedisType() string {
	switch k {
	case HashKind:
		return "hash"
	case OrderKind:
		return "zset"
	case SetKind:
		return "set"
	case StreamKind:
		return "stream"
	case RecordKind, StringKind:
	}
	return "string"
}

// Key names one Redis key (without the store's prefix) or one field of a HASH. Keys are comparable and created by the
// functions of the catalogue only.
type Key struct {
	name  string // "{tag}:rest"
	field string // of a HashKind key; empty = the whole key
	kind  Kind
}

// String returns the key's name without prefix and, separated by a space, its field.
func (k Key) String() string {
	if k.field == "" {
		return k.name
	}
	return k.name + " " + k.field
}

// Name returns the key's name without prefix and without its field.
func (k Key) Name() string { return k.name }

// FieldName returns the field of the key, or "".
func (k Key) FieldName() string { return k.field }

// Kind returns the data type of the key.
func (k Key) Kind() Kind { return k.kind }

// Field returns the key of one field of a HASH, for Tx.Prefetch and
// UpdateOptions.Prefetch.
func (k Key) Field(name string) Key {
	k.field = name
	return k
}

// Valid reports whether the key may be sent.
func (k Key) Valid() bool { return k.name != "" && (k.field == "" || k.kind == HashKind) }

// Readable reports whether the key may be in a read set.
func (k Key) Readable() bool {
	return k.kind != StreamKind && (k.kind == HashKind) == (k.field != "")
}

// WithoutField returns the key without its field.
func (k Key) WithoutField() Key {
	k.field = ""
	return k
}

// Tag returns the hash tag, which determines the slot, with its braces.
func (k Key) Tag() string {
	end := strings.IndexByte(k.name, '}')
	return k.name[:end+1]
}

// Shard is the unit of a transaction: all keys with one hash tag.
type Shard struct {
	tag string // with braces; empty = invalid identifier
}

// Tag returns the hash tag with its braces, or "".
func (s Shard) Tag() string { return s.tag }

// NewShard returns the shard whose hash tag is a prefix for the kind of resource and an identifier. If the identifier
// is invalid, the shard has no valid keys.
func NewShard(prefix, id string) Shard {
	if !ValidID(id) {
		return Shard{}
	}
	return Shard{tag: "{" + prefix + id + "}"}
}

// Key returns a key of the shard, or a key without a name if a part is invalid.
func (s Shard) Key(kind Kind, parts ...string) Key {
	for _, part := range parts {
		if !ValidID(part) {
			return Key{kind: kind}
		}
	}
	if s.tag == "" {
		return Key{kind: kind}
	}
	return Key{name: s.tag + ":" + strings.Join(parts, ":"), kind: kind}
}

// NamedKey returns the key of a name that was read from the database or derived from a hash. The name must have the form
// of the names that Shard.Key returns.
func NamedKey(kind Kind, name string) Key { return Key{name: name, kind: kind} }

// ValidID reports whether a text may be part of a key: 1 to 128 characters of [0-9A-Za-z_-]. A brace would change the
// slot, a colon would forge another key. A key of any other text is never sent: it reads as absent, and writing it
// returns an ErrMisuse.
func ValidID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
