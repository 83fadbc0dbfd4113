package operations

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// bodyJSON puts the body together: --data first, then what the flags say. It is nil when nothing was given and
// the row allows that.
func (r *rowCommand) bodyJSON(args []string) ([]byte, error) {
	if r.input.Body == nil {
		return nil, nil
	}
	body, err := r.mergedBody(args)
	if err != nil || r.extra.operation == "" {
		return body, err
	}
	return r.extra.wrap(body)
}

func (r *rowCommand) mergedBody(args []string) ([]byte, error) {
	members, err := r.bodyMembers(args)
	if err != nil {
		return nil, err
	}
	if r.data == "" {
		if err := r.missing(members); err != nil {
			return nil, err
		}
		if len(members) == 0 && r.row.OptionalBody {
			return nil, nil
		}
		return json.Marshal(members)
	}
	data, err := readData(r.app, r.data)
	if err != nil || len(members) == 0 {
		return data, err
	}
	whole := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, app.Usagef("--data must be a JSON object to go with other flags: %v", err)
	}
	for name, member := range members {
		if whole[name], err = r.merged(name, whole[name], member); err != nil {
			return nil, err
		}
	}
	return json.Marshal(whole)
}

// merged is a member of the body as flags change it: of an object, what they name, and else the whole.
func (r *rowCommand) merged(name string, before, member json.RawMessage) (json.RawMessage, error) {
	var parts, changes map[string]json.RawMessage
	inside := slices.ContainsFunc(r.body, func(b *bodyField) bool { return b.within == name })
	if !inside || json.Unmarshal(before, &parts) != nil || parts == nil || json.Unmarshal(member, &changes) != nil || changes == nil {
		return member, nil
	}
	maps.Copy(parts, changes)
	return json.Marshal(parts)
}

// bodyMembers returns the members that arguments and flags give.
func (r *rowCommand) bodyMembers(args []string) (map[string]json.RawMessage, error) {
	members, objects := map[string]json.RawMessage{}, map[string]map[string]json.RawMessage{}
	for _, b := range r.body {
		if b.name == r.extra.bodyArgument && len(args) > 0 {
			if err := b.value.Set(args[len(args)-1]); err != nil {
				return nil, app.Usagef("%s: %v", strings.ToUpper(b.name), err)
			}
		}
		member, err := r.member(b)
		if err != nil {
			return nil, err
		}
		switch {
		case member == nil:
		case b.within == "":
			members[b.name] = member
		case objects[b.within] == nil:
			objects[b.within] = map[string]json.RawMessage{b.name: member}
		default:
			objects[b.within][b.name] = member
		}
	}
	var err error
	for name, object := range objects {
		if members[name], err = json.Marshal(object); err != nil {
			return nil, err
		}
	}
	if r.resolve != nil {
		members["resolutions"], err = r.resolutions()
	}
	return members, err
}

func (r *rowCommand) member(b *bodyField) (json.RawMessage, error) {
	switch {
	case b.isNil:
		return json.RawMessage("null"), nil
	case b.file != "":
		return r.fromFile(b)
	case !b.value.Given() && (!b.value.HasDefault() || r.data != ""):
		return nil, nil
	case b.wraps != "":
		return json.Marshal(map[string]string{b.wraps: b.value.String()})
	case b.points != nil:
		return app.Pointer(b.points, b.value.String())
	default:
		return b.value.JSON()
	}
}

// fromFile is a member whose value is in a file.
func (r *rowCommand) fromFile(b *bodyField) (json.RawMessage, error) {
	switch {
	case app.IsFree(b.value.Schema):
		return readJSON(r.app, b.file, b.flag())
	case b.value.Schema.Format == "base64":
		data, err := readFile(r.app, b.file)
		if err != nil {
			return nil, err
		}
		return json.Marshal(data)
	}
	text, err := readText(r.app, b.file)
	switch {
	case err != nil:
		return nil, err
	case b.wraps != "":
		return json.Marshal(map[string]string{b.wraps: text})
	default:
		return json.Marshal(text)
	}
}

// missing says what the contract requires and nobody gave.
func (r *rowCommand) missing(members map[string]json.RawMessage) error {
	var names []string
	for _, f := range r.input.Body.Fields {
		if _, given := members[f.Name]; given || !f.Required {
			continue
		}
		names = append(names, r.flagsOf(f.Name))
	}
	if len(names) == 0 {
		return nil
	}
	return app.Usagef("%s is required", strings.Join(names, " and ")).WithHint("%s --help", r.cmd.CommandPath())
}
