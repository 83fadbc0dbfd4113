package server_test

import (
	"fmt"
	"strings"
)

const publicIntro = `# The public API, call by call

For authors of services. The public API is the API of the hosted product whose names wsd keeps. The table has its operations
that a command-line tool or a screen needs, called as the typed client of that API calls them: method, query, headers and body. A test
makes these calls, compares the answers with the table, and reads the effect. ` + "`{name}`" + ` is an id; ` + "`{.name}`" + ` one of the answer to the call.

A write that is repeated with its ` + "`Idempotency-Key`" + ` is recognized by method, path, query and the bytes of its body, after
` + "`Content-Encoding`" + ` was decoded. JSON is not compared by its meaning: a proxy that serializes it again makes another request of it, which
is refused (422, ` + "`key_reused`" + `).

`

// publicTable formats the calls as a table of operation, call, status and effect, followed by the operations that do
// not exist and the reasons.
func publicTable(calls []*publicCall) string {
	var table, missing strings.Builder
	operations, there := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		operations[c.operation] = true
		if c.unsupportedReason != "" {
			fmt.Fprintf(&missing, "| %s | %s |\n", c.operation, c.unsupportedReason)
			continue
		}
		there[c.operation] = true
		name := c.operation
		if c.variation != "" {
			name += ": " + c.variation
		}
		call := code(c.request.describe())
		for i := 0; i+1 < len(c.headers); i += 2 {
			call += " with " + code(c.headers[i]+": "+c.headers[i+1])
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", name, call, c.request.status, c.effect())
	}
	return publicIntro + fmt.Sprintf("%d of %d operations:\n\n", len(there), len(operations)) +
		"| operation | call | status | effect |\n|---|---|---|---|\n" + table.String() +
		"\nWhat there is not:\n\n| operation | why |\n|---|---|\n" + missing.String()
}

// effect describes the response and those of the following requests.
func (c *publicCall) effect() string {
	var parts []string
	if len(c.request.expected) > 0 {
		parts = append(parts, code(strings.Join(c.request.expected, ", ")))
	}
	for _, then := range c.followUps {
		part := "then " + code(then.describe()) + ": " + then.status
		if len(then.expected) > 0 {
			part += " " + code(strings.Join(then.expected, ", "))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// code formats text as code in a table cell.
func code(text string) string { return "`" + strings.ReplaceAll(text, "|", "\\|") + "`" }
