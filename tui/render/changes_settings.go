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

// settingNames maps page settings to display names. Other settings are shown by their own name.
var settingNames = map[string]string{
	"title": "title", "slug": "address", "description": "description", "emoji": "emoji", "icon": "icon",
	"hidden": "hidden from the navigation", "noIndex": "kept out of the search", "noRobotsIndex": "kept out of search engines",
	"layout": "layout", "cover": "cover", "metaLinks": "canonical address and alternates", "target": "link target", "computed": "made from",
	"variables": "variables", "type": "type",
}

func settingName(name string) string {
	if known, ok := settingNames[name]; ok {
		return known
	}
	return name
}

// describeAttribute returns the old and the new value of a setting.
func describeAttribute(a api.AttributeChange) string {
	before, after := objectMembers(a.Before), objectMembers(a.After)
	if before == nil && after == nil {
		return formatSetting(a.Before) + " → " + formatSetting(a.After)
	}
	if isReference(before) || isReference(after) {
		return formatSetting(a.Before) + " → " + replacement(formatSetting(a.Before), formatSetting(a.After))
	}
	names := maps.Clone(before)
	if names == nil {
		names = map[string]json.RawMessage{}
	}
	maps.Copy(names, after)
	var parts []string
	for _, member := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(before[member], after[member]) {
			parts = append(parts, member+" "+formatSetting(before[member])+" → "+replacement(formatSetting(before[member]),
				formatSetting(after[member])))
		}
	}
	return strings.Join(parts, ", ")
}

func isReference(parts map[string]json.RawMessage) bool { return parts["kind"] != nil }

// replacement returns the display text for the new value of a replaced setting.
func replacement(was, is string) string {
	if was == is {
		return "another"
	}
	return is
}

// objectMembers returns the members of a setting that is a JSON object, of which only the changed ones are shown.
func objectMembers(value json.RawMessage) map[string]json.RawMessage {
	var parts map[string]json.RawMessage
	if json.Unmarshal(value, &parts) != nil {
		return nil
	}
	return parts
}

// formatSetting formats a value for display.
func formatSetting(value json.RawMessage) string {
	var decoded any
	if len(value) == 0 || json.Unmarshal(value, &decoded) != nil {
		return "none"
	}
	return formatPlain(decoded)
}

// formatReference returns the target of a reference: a URL as it is, other objects by kind, because ids mean nothing
// to readers.
func formatReference(kind string, ref map[string]any) string {
	if address, ok := ref["url"].(string); ok {
		return address
	}
	return "a " + strings.ReplaceAll(kind, "-", " ")
}

func formatPlain(value any) string {
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
			parts[i] = formatPlain(v[i])
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		if kind, ok := v["kind"].(string); ok {
			return formatReference(kind, v)
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+" "+formatPlain(v[name]))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(value)
}
