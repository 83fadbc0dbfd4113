package apidoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"docspace.dev/wsd/client/api"
)

// Options are the settings of a document.
type Options struct {
	Compiler  *api.Compiler // compiler of the inputs of the operations
	PublicURL string        // base URL of the API; "" = that of the document
	Version   string        // of wsd; "" = dev
}

// Operation is an operation of a document.
type Operation struct {
	Row         api.Row
	Input       api.Input
	Permissions string // who may call it, in sentences
	AbsentTo    string // callers to whom a delete reports an absent object; "" = nobody
	IsPublic    bool   // no token is needed
}

// document is an OpenAPI 3.1 document under construction: plain JSON objects, with named types as components.
type document struct {
	compiler   *api.Compiler
	schemas    map[string]any
	parameters map[string]any
	uses       map[string]directions // by name of a schema
	examples   examples
}

// bearerAuth is the name of the security scheme, as in the public API.
const bearerAuth = "bearerAuth"

const jsonMedia = "application/json"

var errorBodyType = reflect.TypeFor[api.ErrorBody]()

// Encode encodes operations as an OpenAPI 3.1 document. Paths, parameters, bodies and limits are derived from the rows
// and the tags of their types.
func Encode(operations []Operation, o Options) ([]byte, error) {
	recorded, err := readExamples()
	if err != nil {
		return nil, err
	}
	d := &document{compiler: o.Compiler, schemas: map[string]any{}, uses: map[string]directions{}, examples: recorded}
	for _, e := range operations {
		d.recordUses(e)
	}
	d.parameters = d.sharedParameters(operations)
	paths := map[string]map[string]any{}
	for _, e := range operations {
		path := strings.ReplaceAll(e.Row.Path, "...}", "}")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(e.Row.Method)] = d.operation(e)
	}
	maps.Copy(d.schemas, otherSchemas())
	for _, o := range otherRoutes() {
		paths[o.path] = map[string]any{"get": o.operation()}
	}
	data, err := json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "wsd", "version": cmp.Or(o.Version, "dev"), "description": introduction,
			"license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []any{map[string]any{"url": cmp.Or(o.PublicURL, "/")}},
		"tags":    tags(operations),
		"paths":   paths,
		"components": map[string]any{
			"schemas": d.schemas, "parameters": d.parameters, "headers": headers(), "responses": d.errorResponses(operations),
			"securitySchemes": map[string]any{bearerAuth: map[string]any{
				"type": "http", "scheme": "bearer", "description": "An API token: wsd_...",
			}},
		},
		"security": []any{map[string]any{bearerAuth: []any{}}},
	})
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	return api.PlainJSON(data), nil
}

// introduction is the description of the document.
const introduction = `Documentation workspaces: organizations, collections, spaces, change requests and comments.

What later versions may change: answers may have further members, and their enumerations further values, unless the schema of the
enumeration says that its list is closed. Enumerations that may grow have x-extensible-enum, which lists the values of this version.
Requests may have further optional members and parameters. Nothing else changes without an entry in the changelog.`

func (d *document) operation(e Operation) map[string]any {
	operation := map[string]any{
		"operationId": e.Row.Operation, "x-wsd-name": e.Row.Name, "summary": e.Row.Summary, "tags": []string{e.Row.Resource()},
		"description": e.Row.Summary + " " + e.Permissions, "responses": d.responses(e), "x-wsd-errors": failuresByStatus(e),
	}
	if list := d.operationParameters(e); len(list) > 0 {
		operation["parameters"] = list
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
	content := jsonContent(d.reference(schema, inRequests), d.examples.operations[e.Row.Name].Request)
	limits := fmt.Sprintf("At most %d bytes.", e.Input.BodyLimit)
	if e.Row.Upload != nil {
		limits = fmt.Sprintf("At most %d bytes of %s", e.Input.BodyLimit, jsonMedia)
		for _, media := range e.Row.Upload.Media {
			content[media.Type] = binaryContent()
			limits += fmt.Sprintf(", %d of %s", media.Limit, media.Type)
		}
		limits += "."
	}
	return map[string]any{"required": !e.Row.OptionalBody, "content": content, "description": limits}
}

// jsonContent returns content of JSON. The example may be nil.
func jsonContent(schema any, example json.RawMessage) map[string]any {
	media := map[string]any{"schema": schema}
	if len(example) > 0 {
		media["example"] = example
	}
	return map[string]any{jsonMedia: media}
}

func binaryContent() map[string]any {
	return map[string]any{"schema": map[string]any{"type": "string", "format": "binary"}}
}

func componentReference(kind, name string) map[string]any {
	return map[string]any{"$ref": "#/components/" + kind + "/" + name}
}
