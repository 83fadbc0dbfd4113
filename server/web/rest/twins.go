package rest

import (
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
)

// Twins returns the endpoints of two rows that do the same to a space and to a change request. Both have the handler, the
// record and the options of request. In calls of the row of the space, the input has no change request.
func Twins(space api.Row, need auth.Need, request Endpoint) []Endpoint {
	twin := request
	twin.Row, twin.Need, twin.handlerRow = space, need, request.Row
	return []Endpoint{twin, request}
}

// remapInput returns the input of a row with the indexes of the same fields in the input of another row, whose handler serves
// it. It panics unless the other input has all the fields and the rows have the same output.
func remapInput(input api.Input, row, handled api.Row, c *api.Compiler) api.Input {
	other := c.Input(handled)
	same := func(a, b []int) bool { return row.In.FieldByIndex(a).Type == handled.In.FieldByIndex(b).Type }
	for i, p := range input.Params {
		at := slices.IndexFunc(other.Params, func(q api.Param) bool { return q.In == p.In && q.Name == p.Name && same(p.Index, q.Index) })
		if at < 0 {
			panic(fmt.Sprintf("rest: %s: the input of %s has no parameter %s", row.Name, handled.Name, p.Name))
		}
		input.Params[i].Index = other.Params[at].Index
	}
	hasBody := input.Body != nil
	if row.Out != handled.Out || hasBody != (other.Body != nil) || hasBody && !same(input.BodyIndex, other.BodyIndex) {
		panic(fmt.Sprintf("rest: %s: its body or output is not that of %s", row.Name, handled.Name))
	}
	input.BodyIndex = other.BodyIndex
	return input
}
