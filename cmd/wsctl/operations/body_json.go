package operations

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// bodyJSON returns the request body: --data, overridden by flags and arguments. It is nil if nothing was given and
// the row allows a request without body.
func (r *rowCommand) bodyJSON(args []string) ([]byte, error) {
	if r.input.Body == nil {
		return nil, nil
	}
	body, err := r.mergedBody(args)
	if err == nil && r.row.Name == api.CreateToken.Name {
		return r.limitToken(body)
	}
	if err != nil || r.rowOptions.operation == "" {
		return body, err
	}
	return r.rowOptions.wrapChange(body)
}

func (r *rowCommand) mergedBody(args []string) ([]byte, error) {
	members, err := r.bodyMembers(args)
	if err != nil {
		return nil, err
	}
	if r.data == "" {
		if err := r.checkRequired(members); err != nil {
			return nil, err
		}
		if len(members) == 0 && r.row.OptionalBody {
			return nil, nil
		}
		maps.DeleteFunc(members, func(_ string, member json.RawMessage) bool { return len(member) == 0 })
		return json.Marshal(members)
	}
	data, err := readData(r.app, r.data)
	r.document = data
	if err == nil {
		data.json, err = r.convertTimes(data.json)
	}
	if err != nil || len(members) == 0 {
		return data.json, err
	}
	whole := map[string]json.RawMessage{}
	if err := json.Unmarshal(data.json, &whole); err != nil {
		return nil, app.Usagef("%s must be an object to go with other flags, not a list", data.source)
	}
	for name, member := range members {
		if len(member) == 0 { // the time never
			delete(whole, name)
			continue
		}
		if whole[name], err = r.mergeMember(name, whole[name], member); err != nil {
			return nil, err
		}
	}
	return json.Marshal(whole)
}

// mergeMember returns a member of --data as changed by flags: flags set single members of an object and replace other
// values.
func (r *rowCommand) mergeMember(name string, before, member json.RawMessage) (json.RawMessage, error) {
	var parts, changes map[string]json.RawMessage
	inside := slices.ContainsFunc(r.body, func(b *bodyField) bool { return b.parent == name })
	if !inside || json.Unmarshal(before, &parts) != nil || parts == nil || json.Unmarshal(member, &changes) != nil || changes == nil {
		return member, nil
	}
	maps.Copy(parts, changes)
	return json.Marshal(parts)
}

// convertTimes replaces the times of --data, which people write as in flags, by those of the contract.
func (r *rowCommand) convertTimes(data []byte) ([]byte, error) {
	var whole map[string]json.RawMessage
	if json.Unmarshal(data, &whole) != nil {
		return data, nil
	}
	changed := false
	for _, f := range r.input.Body.Fields {
		var text *string
		if f.Schema.Format != "date-time" || json.Unmarshal(whole[f.Name], &text) != nil || text == nil {
			continue
		}
		v := r.newValue(f.Name, f)
		if err := v.Set(*text); err != nil {
			return nil, r.document.errorf(r.document.lines[f.Name], "%s: %v", f.Name, err)
		}
		member, err := v.JSON()
		if err != nil {
			return nil, err
		}
		if whole[f.Name], changed = member, true; member == nil {
			delete(whole, f.Name)
		}
	}
	if !changed {
		return data, nil
	}
	return json.Marshal(whole)
}

// bodyMembers returns the members of the body that are set by arguments and flags.
func (r *rowCommand) bodyMembers(args []string) (map[string]json.RawMessage, error) {
	members, objects := map[string]json.RawMessage{}, map[string]map[string]json.RawMessage{}
	for _, b := range r.body {
		if b.name == r.rowOptions.bodyArgument && len(args) > 0 && r.upload == nil {
			if err := b.value.Set(args[len(args)-1]); err != nil {
				return nil, app.Usagef("%s: %v", strings.ToUpper(b.name), err)
			}
		}
		member, err := r.encodeMember(b)
		if err != nil {
			return nil, err
		}
		switch {
		case member == nil && !b.value.IsSet():
		case b.parent == "":
			members[b.name] = member
		case objects[b.parent] == nil:
			objects[b.parent] = map[string]json.RawMessage{b.name: member}
		default:
			objects[b.parent][b.name] = member
		}
	}
	if r.mergeRules != nil {
		if objects["mergeRules"] == nil {
			objects["mergeRules"] = map[string]json.RawMessage{}
		}
		if err := r.addMergeRules(objects["mergeRules"]); err != nil {
			return nil, err
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

func (r *rowCommand) encodeMember(b *bodyField) (json.RawMessage, error) {
	switch {
	case b.null:
		return json.RawMessage("null"), nil
	case b.file != "":
		return r.readMember(b)
	case !b.value.IsSet() && b.organization && r.data == "":
		id, err := r.app.Organization(r.cmd)
		if err != nil {
			return nil, err
		}
		return json.Marshal(id)
	case !b.value.IsSet() && (!b.value.HasDefault() || r.data != ""):
		return nil, nil
	case b.wrapper != "":
		return json.Marshal(map[string]string{b.wrapper: b.value.String()})
	case b.pointer != nil:
		return app.EncodePointer(b.pointer, b.value.String())
	default:
		return b.value.JSON()
	}
}

// readMember reads a member from the file given by its flag.
func (r *rowCommand) readMember(b *bodyField) (json.RawMessage, error) {
	switch {
	case app.IsFreeForm(b.value.Schema):
		data, err := readDocument(r.app, b.file)
		return data.json, err
	case b.value.Schema.Format == "base64":
		data, err := readFile(r.app, b.file)
		if err != nil {
			return nil, err
		}
		return json.Marshal(data)
	}
	text, err := readText(r.app, b.file)
	if isSecretMember(b.name) {
		text = strings.TrimSpace(text)
	}
	switch {
	case err != nil:
		return nil, err
	case b.wrapper != "":
		return json.Marshal(map[string]string{b.wrapper: text})
	default:
		return json.Marshal(text)
	}
}

// checkRequired returns a usage error that lists the required members that are not set.
func (r *rowCommand) checkRequired(members map[string]json.RawMessage) error {
	var names []string
	for _, f := range r.input.Body.Fields {
		isSent := r.upload != nil && f.Name == r.rowOptions.bodyArgument
		if _, given := members[f.Name]; given || !f.Required || isSent {
			continue
		}
		names = append(names, r.flagNames(f.Name))
	}
	if len(names) == 0 {
		return nil
	}
	return app.Usagef("%s is required", strings.Join(names, " and ")).WithHint("%s --help", r.cmd.CommandPath())
}

// locateFields adds the lines of --data to the fields that the server refuses.
func (r *rowCommand) locateFields(err error) error {
	refused, ok := api.AsError(err)
	if !ok {
		return err
	}
	for i, f := range refused.Fields {
		path := f.Path
		if r.row.Name == api.CreateToken.Name && path == "expiresAt" && refused.Hint == "" {
			refused.Hint = "--expires-at never lets the token end with the one that makes it"
		}
		if r.rowOptions.operation != "" {
			path = strings.TrimPrefix(path, "changes[0].")
		}
		if line, known := r.document.lines[path]; known {
			refused.Fields[i].Message += fmt.Sprintf(" (%s:%d)", r.document.source, line)
		}
	}
	return err
}
