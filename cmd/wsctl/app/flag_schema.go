package app

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// IsFree recognises a value whose members the contract does not name.
func IsFree(s *api.Schema) bool { return s.Kind == api.KindAny || s.Kind == api.KindMap }

// IsLong reports whether a value is rather read from a file than written on a command line.
func IsLong(s *api.Schema) bool {
	return s.Kind == api.KindString && slices.Contains([]string{"text", "markdown", "base64"}, s.Format)
}

// IsPlain recognises a value that one text on the command line gives.
func IsPlain(s *api.Schema) bool {
	switch s.Kind {
	case api.KindString, api.KindInteger, api.KindNumber, api.KindBoolean:
		return true
	default:
		return false
	}
}

// IsMarkdown recognises {"markdown": text}, in which a document may stand instead.
func IsMarkdown(s *api.Schema) bool {
	return s.Kind == api.KindObject && (len(s.Fields) == 1 || len(s.Fields) == 2 && s.Fields[1].Name == "document") && s.Fields[0].Schema.Format == "markdown"
}
