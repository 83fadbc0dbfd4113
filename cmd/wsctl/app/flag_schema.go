package app

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// IsFreeForm reports whether s is a value whose members the contract does not name.
func IsFreeForm(s *api.Schema) bool { return s.Kind == api.KindAny || s.Kind == api.KindMap }

// IsLong reports whether s is a text that is usually read from a file rather than typed on the command line.
func IsLong(s *api.Schema) bool {
	return s.Kind == api.KindString && slices.Contains([]string{"text", "markdown", "base64"}, s.Format)
}

// IsPlain reports whether s is a value that a single command-line argument can express.
func IsPlain(s *api.Schema) bool {
	switch s.Kind {
	case api.KindString, api.KindInteger, api.KindNumber, api.KindBoolean:
		return true
	default:
		return false
	}
}

// IsMarkdown reports whether s is {"markdown": text}, optionally with document as the alternative.
func IsMarkdown(s *api.Schema) bool {
	return s.Kind == api.KindObject && (len(s.Fields) == 1 || len(s.Fields) == 2 && s.Fields[1].Name == "document") &&
		s.Fields[0].Schema.Format == "markdown"
}
