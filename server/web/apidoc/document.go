package apidoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"docspace.dev/wsd/client/api"
)

var errorBodyType = reflect.TypeFor[api.ErrorBody]()

// document is an OpenAPI 3.1 document under construction: plain JSON objects, with named types as components.
type document struct {
	compiler   *api.Compiler
	components map[string]any
}

// Options are the settings of a document.
type Options struct {
	Compiler  *api.Compiler // compiler of the inputs of the operations
	PublicURL string        // base URL of the API; "" = that of the document
	Version   string        // of wsd; "" = dev
}

// Operation is an operation of a document.
type Operation struct {
	Row      api.Row
	Input    api.Input
	Need     string // callers of the operation
	AbsentTo string // callers to whom a delete reports an absent object; "" = nobody
	IsPublic bool   // no token is needed
}

// Encode encodes operations as an OpenAPI 3.1 document. Paths, parameters, bodies and limits are derived from the rows
// and the tags of their types.
func Encode(operations []Operation, o Options) ([]byte, error) {
	d := &document{compiler: o.Compiler, components: map[string]any{}}
	paths := map[string]map[string]any{}
	for _, e := range operations {
		path := strings.ReplaceAll(e.Row.Path, "...}", "}")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(e.Row.Method)] = d.operation(e)
	}
	d.reference(o.Compiler.Compile(errorBodyType))
	data, err := json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "wsd", "version": cmp.Or(o.Version, "dev"),
			"description": "Documentation workspaces: organizations, collections, spaces, change requests and comments.",
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []any{map[string]any{"url": cmp.Or(o.PublicURL, "/")}},
		"paths":   paths,
		"components": map[string]any{
			"schemas": d.components, "securitySchemes": map[string]any{bearerAuth: map[string]any{"type": "http", "scheme": "bearer"}},
		},
		"security": []any{map[string]any{bearerAuth: []any{}}},
	})
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	return api.PlainJSON(data), nil
}

// bearerAuth is the name of the security scheme, as in the public API.
const bearerAuth = "bearerAuth"

func (d *document) operation(e Operation) map[string]any {
	responses := map[string]any{"default": map[string]any{
		"description": "What went wrong.", "content": jsonContent(d.reference(d.compiler.Compile(errorBodyType))),
	}}
	success := map[string]any{"description": http.StatusText(e.Row.Status)}
	if e.Row.Out == reflect.TypeFor[api.Archive]() {
		success["content"] = map[string]any{e.Row.Text: map[string]any{"schema": map[string]any{"type": "string", "format": "binary"}}}
	}
	if e.Row.Stream {
		success["content"] = d.streamContent(e.Row)
	} else if out := d.compiler.Compile(e.Row.Out); len(out.Fields) > 0 {
		schema := d.reference(out)
		if e.Row.Or != nil {
			schema = map[string]any{"anyOf": []any{schema, d.reference(d.compiler.Compile(e.Row.Or))}}
		}
		content := jsonContent(schema)
		if e.Row.Text != "" {
			content[e.Row.Text] = map[string]any{"schema": map[string]any{"type": "string"}}
		}
		success["content"] = content
	}
	responses[fmt.Sprint(e.Row.Status)] = success
	if e.Row.Method == http.MethodDelete {
		success["headers"] = map[string]any{api.RemovedHeader: map[string]any{
			"description": "What went with it, counted: `collections=2, spaces=8`, or `nothing`.",
			"schema":      map[string]any{"type": "string"},
		}}
		responses[fmt.Sprint(http.StatusOK)] = map[string]any{
			"description": "With dryRun: what would go.",
			"content":     jsonContent(d.reference(d.compiler.Compile(reflect.TypeFor[api.Removal]()))),
		}
	}
	if e.AbsentTo != "" {
		responses[fmt.Sprint(http.StatusNoContent)] = absentResponse(e, success)
	}
	if e.Row.Method == http.MethodGet && !e.Row.IsList() && !e.Row.Stream {
		responses[fmt.Sprint(http.StatusNotModified)] = map[string]any{"description": "It still has the ETag of If-None-Match."}
	}
	operation := map[string]any{
		"operationId": e.Row.Operation, "x-wsd-name": e.Row.Name, "summary": e.Row.Summary, "tags": []string{e.Row.Resource()},
		"description": "Needs: " + e.Need + ".", "responses": responses,
	}
	if parameters := d.parameters(e); len(parameters) > 0 {
		operation["parameters"] = parameters
	}
	if body := e.Input.Body; body != nil {
		operation["requestBody"] = d.requestBody(e, body)
	}
	if e.Row.Deprecated {
		operation["deprecated"] = true
	}
	if e.IsPublic {
		operation["security"] = []any{map[string]any{}, map[string]any{bearerAuth: []any{}}}
	}
	return operation
}

// requestBody returns the body of an operation: JSON, or content for rows with api.Upload.
func (d *document) requestBody(e Operation, schema *api.Schema) map[string]any {
	content, limits := jsonContent(d.reference(schema)), fmt.Sprintf("At most %d bytes.", e.Input.BodyLimit)
	if e.Row.Upload != nil {
		limits = fmt.Sprintf("At most %d bytes of %s", e.Input.BodyLimit, jsonMedia)
		for _, media := range e.Row.Upload.Media {
			content[media.Type] = map[string]any{"schema": map[string]any{"type": "string", "format": "binary"}}
			limits += fmt.Sprintf(", %d of %s", media.Limit, media.Type)
		}
		limits += "."
	}
	return map[string]any{"required": !e.Row.OptionalBody, "content": content, "description": limits}
}

// absentResponse returns the 204 response of a delete that may find nothing, merged with success where that is a 204.
func absentResponse(e Operation, success map[string]any) map[string]any {
	header := map[string]any{"description": "true: there was nothing to delete.", "schema": map[string]any{"type": "string"}}
	if e.Row.Status == http.StatusNoContent {
		success["headers"].(map[string]any)[api.AbsentHeader] = header
		return success
	}
	return map[string]any{
		"description": "There was nothing to delete. Said to " + e.AbsentTo + " alone.",
		"headers":     map[string]any{api.AbsentHeader: header},
	}
}

// streamContent returns the content of a stream of server-sent events. OpenAPI has no schema for its messages.
func (d *document) streamContent(row api.Row) map[string]any {
	message := d.reference(d.compiler.Compile(row.Out))
	return map[string]any{api.MediaEventStream: map[string]any{
		"schema": map[string]any{"type": "string"}, "x-wsd-message": message,
	}}
}

const jsonMedia = "application/json"

func jsonContent(schema any) map[string]any {
	return map[string]any{jsonMedia: map[string]any{"schema": schema}}
}

// parameters returns the parameters of the input and those common to all writes.
func (d *document) parameters(e Operation) []any {
	var list []any
	for _, p := range e.Input.Params {
		list = append(list, d.parameter(p, p.Schema.Doc))
	}
	if e.Row.Upload != nil {
		for _, p := range e.Input.Upload.Params {
			if p.In == api.InQuery {
				list = append(list, d.parameter(p, "With a body of "+e.Row.Upload.String()+" only. "+p.Schema.Doc))
			}
		}
	}
	if e.Row.Writes() {
		list = append(list, map[string]any{
			"name": "dryRun", "in": "query", "schema": map[string]any{"type": "boolean"}, "description": "Run everything and write " +
				"nothing.",
		})
	}
	for _, h := range api.Headers() {
		if h.AppliesTo(e.Row) {
			list = append(list, map[string]any{
				"name": h.Name, "in": "header", "schema": map[string]any{"type": "string", "maxLength": h.Max}, "description": h.Doc,
			})
		}
	}
	return list
}

// parameter returns a parameter with a description, which may be empty.
func (d *document) parameter(p api.Param, description string) map[string]any {
	parameter := map[string]any{"name": p.Name, "in": string(p.In), "required": p.Required, "schema": d.reference(p.Schema)}
	if description != "" {
		parameter["description"] = description
	}
	return parameter
}

// reference returns a schema, or a reference to its component if it has a name.
func (d *document) reference(s *api.Schema) map[string]any {
	if s.Kind != api.KindObject || s.Name == "" {
		return d.inline(s)
	}
	if _, known := d.components[s.Name]; !known {
		d.components[s.Name] = nil // ends the recursion of recursive types
		d.components[s.Name] = d.object(s)
	}
	pointer := map[string]any{"$ref": "#/components/schemas/" + s.Name}
	if s.Nullable {
		pointer = map[string]any{"anyOf": []any{pointer, map[string]any{"type": "null"}}}
	}
	if s.Doc != "" {
		pointer["description"] = s.Doc
	}
	return pointer
}

func (d *document) object(s *api.Schema) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range s.Fields {
		properties[f.Name] = d.reference(f.Schema)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	object := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		object["required"] = required
	}
	return object
}

// inline returns a schema without a name.
func (d *document) inline(s *api.Schema) map[string]any {
	v := map[string]any{}
	switch s.Kind {
	case api.KindAny:
		if s.Max != nil {
			v["description"] = strings.TrimSpace(fmt.Sprintf("%s At most %d bytes of JSON.", s.Doc, *s.Max))
		}
		return v
	case api.KindArray:
		v["type"], v["items"] = "array", d.reference(s.Items)
		if s.Words != nil {
			return d.arrayOrKeyword(v, s)
		}
	case api.KindMap:
		v["type"], v["additionalProperties"] = "object", d.reference(s.Items)
	case api.KindObject:
		v = d.object(s)
	case api.KindString, api.KindInteger, api.KindNumber, api.KindBoolean:
		v["type"] = string(s.Kind)
	}
	d.addLimits(v, s)
	types := []any{v["type"]}
	if s.OrObject {
		types = append(types, "object")
	}
	if s.Nullable {
		types = append(types, "null")
	}
	if len(types) > 1 {
		v["type"] = types
	}
	if s.Object != nil {
		v = map[string]any{"anyOf": []any{v, d.reference(s.Object)}}
	}
	if s.Doc != "" {
		v["description"] = s.Doc
	}
	if strings.HasPrefix(s.Doc, "Deprecated") {
		v["deprecated"] = true
	}
	return v
}

// arrayOrKeyword returns the schema of an array that may be replaced by a keyword.
func (d *document) arrayOrKeyword(array map[string]any, s *api.Schema) map[string]any {
	d.addLimits(array, s)
	word := d.inline(&api.Schema{Kind: api.KindString, Enum: s.Words})
	return map[string]any{"anyOf": []any{array, word}, "description": s.Doc}
}

// addLimits adds the constraints of a schema.
func (d *document) addLimits(v map[string]any, s *api.Schema) {
	low, high := boundNames(s.Kind)
	if s.Min != nil && low != "" {
		v[low] = *s.Min
	}
	if s.Max != nil && high != "" {
		v[high] = *s.Max
	}
	if s.Unique {
		v["uniqueItems"] = true
	}
	if s.Keys != nil {
		v["propertyNames"] = d.inline(s.Keys)
	}
	if s.Enum != nil {
		values := make([]any, 0, len(s.Enum)+1)
		for _, e := range s.Enum {
			values = append(values, e)
		}
		if s.Nullable {
			values = append(values, nil)
		}
		v["enum"] = values
	}
	if s.Pattern != "" {
		v["pattern"] = api.Patterns[s.Pattern].String()
	}
	if s.Format != "" {
		v["format"] = s.Format
	}
	if s.Format == "uri" && s.Pattern == "" {
		v["pattern"] = "^[Hh][Tt][Tt][Pp][Ss]?://"
	}
	if s.Default != "" {
		v["default"] = defaultValue(s)
	}
}

// boundNames returns the keywords for the lower and upper bound of a kind.
func boundNames(k api.Kind) (low, high string) {
	switch k {
	case api.KindString:
		return "minLength", "maxLength"
	case api.KindArray:
		return "minItems", "maxItems"
	case api.KindMap:
		return "minProperties", "maxProperties"
	case api.KindInteger, api.KindNumber:
		return "minimum", "maximum"
	case api.KindObject, api.KindBoolean, api.KindAny:
	}
	return "", ""
}

// defaultValue returns the default as a JSON value of the schema's type.
func defaultValue(s *api.Schema) any {
	if s.Kind == api.KindString {
		return s.Default
	}
	return json.RawMessage(s.Default)
}
