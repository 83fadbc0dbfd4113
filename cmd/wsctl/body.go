package main

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/exit"
)

// bodyField is how one member of a body is given: by a flag or an argument, by --no-<flag> for null, or by text
// that is wrapped into the object that the contract wants.
type bodyField struct {
	name   string // in the body
	within string // the object of the body that holds it, "" for the body itself
	value  *value
	isNil  bool        // --no-<flag>
	file   string      // --<flag>-file
	wraps  string      // the member of the object that the text is wrapped into
	points *api.Schema // the pointer that the id is made into
}

// bodyFlags adds a flag for each member of the body, and of the objects in it, that is a plain value, a list of those,
// an object that holds nothing but Markdown, or one that names a thing. What is deeper goes through --data.
func (r *rowCommand) bodyFlags() {
	if r.input.Body == nil {
		return
	}
	flags := r.cmd.Flags()
	flags.StringVarP(&r.data, "data", "F", "", "the whole body: JSON, a `file` with JSON, or - for standard input; flags change parts of it")
	for _, f := range r.input.Body.Fields {
		b := &bodyField{name: f.Name, value: &value{name: flagName(r.row, "", f.Name), schema: f.Schema}}
		if r.addField(b, f) || f.Schema.Kind != api.KindObject || r.extra.operation != "" {
			continue
		}
		for _, inner := range f.Schema.Fields {
			name := flagName(r.row, "", inner.Name)
			if f.Name != "position" { // whose members speak for themselves
				name = flagName(r.row, "", f.Name) + "-" + name
			}
			r.addField(&bodyField{name: inner.Name, within: f.Name, value: &value{name: name, schema: inner.Schema}}, inner)
		}
	}
}

// addField adds the flags of one member, if it can be given by flags.
func (r *rowCommand) addField(b *bodyField, f api.Field) bool {
	switch {
	case isPlain(f.Schema), f.Schema.Kind == api.KindArray && isPlain(f.Schema.Items):
	case isPointer(f.Schema):
		b.points = f.Schema
		b.value.schema = &api.Schema{Kind: api.KindString, Pattern: "id", Doc: f.Schema.Doc}
	case isMarkdown(f.Schema):
		b.wraps = f.Schema.Fields[0].Name
		b.value.schema = f.Schema.Fields[0].Schema
	case isFree(f.Schema):
		r.body = append(r.body, b)
		r.fileFlag(b, "read the "+words(b.value.name)+" in JSON from this `file`, or - for standard input")
		return true
	default:
		return false
	}
	if f.Name == "secret" {
		return false // would stand in the history of the shell; --data reads a file or standard input
	}
	r.body = append(r.body, b)
	if f.Name == r.extra.bodyArgument {
		return true
	}
	if text := r.extra.defaults[f.Name]; text != "" {
		b.value.texts = []string{text}
	}
	r.addValue(b.value)
	flags := r.cmd.Flags()
	if f.Schema.Nullable && b.wraps == "" {
		flags.BoolVar(&b.isNil, "no-"+b.value.name, false, "remove the "+words(b.value.name)+": send null")
		r.cmd.MarkFlagsMutuallyExclusive(b.value.name, "no-"+b.value.name)
	}
	if b.wraps != "" || isLong(f.Schema) {
		r.fileFlag(b, "read the "+words(b.value.name)+" from this `file`, or - for standard input")
		r.cmd.MarkFlagsMutuallyExclusive(b.value.name, b.value.name+"-file")
	}
	return true
}

func (r *rowCommand) fileFlag(b *bodyField, usage string) {
	r.cmd.Flags().StringVar(&b.file, b.value.name+"-file", "", usage)
}

// words is the name of a flag as people say it.
func words(flag string) string { return strings.ReplaceAll(flag, "-", " ") }

// isFree recognises a value whose members the contract does not name.
func isFree(s *api.Schema) bool { return s.Kind == api.KindAny || s.Kind == api.KindMap }

// isLong reports whether a value is rather read from a file than written on a command line.
func isLong(s *api.Schema) bool {
	return s.Kind == api.KindString && slices.Contains([]string{"text", "markdown", "base64"}, s.Format)
}

func isPlain(s *api.Schema) bool {
	switch s.Kind {
	case api.KindString, api.KindInteger, api.KindNumber, api.KindBoolean:
		return true
	default:
		return false
	}
}

// isMarkdown recognises {"markdown": text}.
func isMarkdown(s *api.Schema) bool {
	return s.Kind == api.KindObject && len(s.Fields) == 1 && s.Fields[0].Schema.Format == "markdown"
}

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
		return nil, exit.Usagef("--data must be a JSON object to go with other flags: %v", err)
	}
	for name, member := range members {
		whole[name] = r.merged(name, whole[name], member)
	}
	return json.Marshal(whole)
}

// merged is a member of the body as flags change it: of an object, what they name, and else the whole.
func (r *rowCommand) merged(name string, before, member json.RawMessage) json.RawMessage {
	var parts, changes map[string]json.RawMessage
	inside := slices.ContainsFunc(r.body, func(b *bodyField) bool { return b.within == name })
	if !inside || json.Unmarshal(before, &parts) != nil || parts == nil || json.Unmarshal(member, &changes) != nil || changes == nil {
		return member
	}
	maps.Copy(parts, changes)
	return mustJSON(parts)
}

// bodyMembers returns the members that arguments and flags give.
func (r *rowCommand) bodyMembers(args []string) (map[string]json.RawMessage, error) {
	members, objects := map[string]json.RawMessage{}, map[string]map[string]json.RawMessage{}
	for _, b := range r.body {
		if b.name == r.extra.bodyArgument && len(args) > 0 {
			if err := b.value.Set(args[len(args)-1]); err != nil {
				return nil, exit.Usagef("%s: %v", strings.ToUpper(b.name), err)
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
	for name, object := range objects {
		members[name] = mustJSON(object)
	}
	if r.resolve != nil {
		var err error
		if members["resolutions"], err = r.resolutions(); err != nil {
			return nil, err
		}
	}
	return members, nil
}

func (r *rowCommand) member(b *bodyField) (json.RawMessage, error) {
	switch {
	case b.isNil:
		return json.RawMessage("null"), nil
	case b.file != "":
		return r.fromFile(b)
	case !b.value.given && (len(b.value.texts) == 0 || r.data != ""):
		return nil, nil
	case b.wraps != "":
		return mustJSON(map[string]string{b.wraps: b.value.String()}), nil
	case b.points != nil:
		return pointer(b.points, b.value.String())
	default:
		return b.value.json(), nil
	}
}

// fromFile is a member whose value is in a file.
func (r *rowCommand) fromFile(b *bodyField) (json.RawMessage, error) {
	switch {
	case isFree(b.value.schema):
		return readJSON(r.app, b.file, b.flag())
	case b.value.schema.Format == "base64":
		data, err := readFile(r.app, b.file)
		return mustJSON(data), err
	}
	text, err := readText(r.app, b.file)
	switch {
	case err != nil:
		return nil, err
	case b.wraps != "":
		return mustJSON(map[string]string{b.wraps: text}), nil
	default:
		return mustJSON(text), nil
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
	return exit.Usagef("%s is required", strings.Join(names, " and ")).WithHint("%s --help", r.cmd.CommandPath())
}

// flagsOf names the flags that give a member of the body, or --data.
func (r *rowCommand) flagsOf(member string) string {
	var names []string
	for _, b := range r.body {
		if b.name == member && b.within == "" || b.within == member {
			names = append(names, b.flag())
		}
	}
	if len(names) == 0 {
		return "--data"
	}
	return strings.Join(names, " or ")
}

// flag is the flag that gives a member.
func (b *bodyField) flag() string {
	if isFree(b.value.schema) {
		return "--" + b.value.name + "-file"
	}
	return "--" + b.value.name
}

// readData reads the argument of --data: JSON itself, a file, or standard input.
func readData(a *app.App, source string) ([]byte, error) {
	data := []byte(source)
	if !strings.HasPrefix(strings.TrimSpace(source), "{") && !strings.HasPrefix(strings.TrimSpace(source), "[") {
		var err error
		if data, err = readFile(a, source); err != nil {
			return nil, err
		}
	}
	return checkJSON(data, "--data")
}

// readJSON reads a file with JSON, for a flag.
func readJSON(a *app.App, path, flag string) ([]byte, error) {
	data, err := readFile(a, path)
	if err != nil {
		return nil, err
	}
	return checkJSON(data, flag)
}

func checkJSON(data []byte, flag string) ([]byte, error) {
	if err := json.Unmarshal(data, new(any)); err != nil {
		return nil, exit.Usagef("%s is not JSON: %v", flag, err)
	}
	return data, nil
}

// readText reads a text byte for byte. JSON carries only UTF-8, so anything else is refused and not replaced.
func readText(a *app.App, path string) (string, error) {
	data, err := readFile(a, path)
	if err != nil {
		return "", err
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return "", exit.Usagef("%s is not UTF-8 at byte %d", path, i)
		}
		i += size
	}
	return string(data), nil
}

func readFile(a *app.App, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(a.In)
	}
	data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	return data, nil
}
