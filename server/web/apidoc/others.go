package apidoc

import (
	"net/http"
	"strconv"
	"strings"
)

// otherRoute is a route of the server that is no operation. It takes no token.
type otherRoute struct {
	path, id, description string
	status                int
	media                 string         // of the answer; "" = none
	schema                map[string]any // of the answer
	parameters            []any
	failures              map[int]string // descriptions of other statuses
}

// otherRoutes returns the routes that programs call and that are no operations.
func otherRoutes() []otherRoute {
	return []otherRoute{
		{
			path: "/healthz", id: "getHealth", description: "Says that the process lives. It asks nothing of Redis.",
			status: http.StatusOK, media: jsonMedia, schema: map[string]any{
				"type": "object", "required": []string{"status"},
				"properties": map[string]any{"status": map[string]any{"type": "string", "description": "Always ok."}},
			},
		},
		{
			path: "/readyz", id: "getReadiness", description: "Says whether requests can be answered now, for load balancers. " +
				"A warning is ready, too.",
			status: http.StatusOK, media: jsonMedia, schema: componentReference("schemas", "Readiness"), parameters: []any{map[string]any{
				"name": "for", "in": "query", "description": "What the node has to be ready for. The default is write.",
				"schema": componentReference("schemas", "ReadinessUse"),
			}},
			failures: map[int]string{http.StatusServiceUnavailable: "The node is not ready. The body says why, as that of 200."},
		},
		{
			path: "/raw/{signed}", id: "getRawFile", description: "Downloads a file by a signed address, such as downloadURL of a file. " +
				"The address is valid for an hour, unless the reason for it ends earlier.",
			status: http.StatusOK, media: "application/octet-stream", schema: map[string]any{"type": "string", "format": "binary"},
			parameters: []any{pathText("signed", "The signed name of the file.")},
		},
		{
			path: "/openapi/{organization}/{slug}", id: "getPublicSpecification",
			description: "Redirects to the newest version of a public OpenAPI specification.", status: http.StatusFound,
			parameters: []any{
				pathText("organization", "Id of the organization."), pathText("slug", "Slug of the specification."),
			},
		},
		{
			path: "/v1/openapi.json", id: "getOpenAPIDocument", description: "Returns this document.", status: http.StatusOK,
			media: jsonMedia, schema: map[string]any{"type": "object"},
		},
		{
			path: "/v1/openapi.yaml", id: "getOpenAPIDocumentAsYAML", description: "Returns this document as YAML.", status: http.StatusOK,
			media: "application/yaml", schema: map[string]any{"type": "string"},
		},
	}
}

// otherSchemas returns the components of other routes by name.
func otherSchemas() map[string]any {
	return map[string]any{
		"ReadinessUse": map[string]any{
			"type": "string", "enum": []string{"read", "write"}, "description": "What a node has to be ready for.",
		},
		"ReadinessStatus": map[string]any{
			"type": "string", "x-extensible-enum": []string{"ready", "warning", "unavailable"},
			"description": "ReadinessStatus is the verdict on a node. A node with a warning is ready.",
		},
		"PendingUpgrade": map[string]any{
			"type": "object", "description": "PendingUpgrade is an upgrade of the stored data that is not finished.",
			"properties": map[string]any{
				"form":  map[string]any{"type": "integer", "description": "The form that the data gets."},
				"since": map[string]any{"type": "string", "format": "date-time", "description": "When all nodes knew the form."},
				"left":  map[string]any{"type": "string", "description": "Time until it is finished, such as 23h10m0s."},
			},
		},
		"Readiness": map[string]any{
			"type": "object", "description": "Readiness says whether a node can answer requests.", "required": []string{"status"},
			"properties": map[string]any{
				"status": componentReference("schemas", "ReadinessStatus"),
				"reasons": map[string]any{
					"type": "array", "items": map[string]any{"type": "string"}, "description": "Why it is not ready, or the warnings.",
				},
				"upgrade": componentReference("schemas", "PendingUpgrade"),
			},
		},
	}
}

// pathText returns a path parameter without a pattern.
func pathText(name, description string) map[string]any {
	return map[string]any{
		"name": name, "in": "path", "required": true, "description": description, "schema": map[string]any{"type": "string"},
	}
}

// summary returns the first sentence of the description.
func (o otherRoute) summary() string {
	first, _, _ := strings.Cut(o.description, ". ")
	return strings.TrimSuffix(first, ".") + "."
}

// operation returns the operation of a route. Its errors have the schema of all errors.
func (o otherRoute) operation() map[string]any {
	success := map[string]any{"description": http.StatusText(o.status)}
	if o.media != "" {
		success["content"] = map[string]any{o.media: map[string]any{"schema": o.schema}}
	}
	responses := map[string]any{strconv.Itoa(o.status): success, "default": componentReference("responses", otherError)}
	for status, description := range o.failures {
		failure := map[string]any{"description": description, "content": success["content"]}
		responses[strconv.Itoa(status)] = failure
	}
	operation := map[string]any{
		"operationId": o.id, "summary": o.summary(), "description": o.description, "tags": []string{"server"},
		"security": []any{map[string]any{}}, "responses": responses,
	}
	if len(o.parameters) > 0 {
		operation["parameters"] = o.parameters
	}
	return operation
}
