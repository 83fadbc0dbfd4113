package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// settingNames are what people call the settings of a page; others are called as they are.
var settingNames = map[string]string{
	"title": "title", "slug": "address", "description": "description", "emoji": "emoji", "icon": "icon",
	"hidden": "hidden from the navigation", "noIndex": "kept out of the search", "noRobotsIndex": "kept out of search engines",
	"layout": "layout", "cover": "cover", "metaLinks": "canonical address and alternates", "target": "link target", "computed": "made from", "variables": "variables", "type": "type",
}

func settingName(name string) string {
	if known, ok := settingNames[name]; ok {
		return known
	}
	return name
}

// bothSettings says what a setting was and is.
func bothSettings(a api.AttributeChange) string {
	before, after := members(a.Before), members(a.After)
	if before == nil && after == nil {
		return setting(a.Before) + " → " + setting(a.After)
	}
	if isReference(before) || isReference(after) {
		return setting(a.Before) + " → " + other(setting(a.Before), setting(a.After))
	}
	names := maps.Clone(before)
	if names == nil {
		names = map[string]json.RawMessage{}
	}
	maps.Copy(names, after)
	var parts []string
	for _, member := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(before[member], after[member]) {
			parts = append(parts, member+" "+setting(before[member])+" → "+other(setting(before[member]), setting(after[member])))
		}
	}
	return strings.Join(parts, ", ")
}

func isReference(parts map[string]json.RawMessage) bool { return parts["kind"] != nil }

// other says of a thing of the same kind that it is another one.
func other(was, is string) string {
	if was == is {
		return "another"
	}
	return is
}

// members are the parts of a setting that has parts: people are told of those that changed.
func members(value json.RawMessage) map[string]json.RawMessage {
	var parts map[string]json.RawMessage
	if json.Unmarshal(value, &parts) != nil {
		return nil
	}
	return parts
}

// setting writes a value as people read it.
func setting(value json.RawMessage) string {
	var decoded any
	if len(value) == 0 || json.Unmarshal(value, &decoded) != nil {
		return "none"
	}
	return inPlainWords(decoded)
}

// referred says where a reference leads: an address as it is, other things by their kind, as an id tells people nothing.
func referred(kind string, ref map[string]any) string {
	if address, ok := ref["url"].(string); ok {
		return address
	}
	return "a " + strings.ReplaceAll(kind, "-", " ")
}

func inPlainWords(value any) string {
	switch v := value.(type) {
	case nil:
		return "none"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if v == "" {
			return "none"
		}
		return "“" + v + "”"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = inPlainWords(v[i])
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		if kind, ok := v["kind"].(string); ok {
			return referred(kind, v)
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+" "+inPlainWords(v[name]))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(value)
}
