package budgets

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDocument = flag.Bool("update", false, "write docs/budgets.md anew")

const document = "../../../docs/budgets.md"

const introduction = `# Budgets

What one request, one caller, one organization and one node may use before wsd refuses. These are the defaults;
` + "`wsd budgets`" + ` prints the numbers in force, and ` + "`--budgets name=value,...`" + ` or ` + "`WSD_BUDGETS`" + ` changes them. What a field of a request
may hold, and how large the body of each operation may be, stands in the OpenAPI document: ` + "`GET /v1/openapi.json`" + `.

| Name | Default | What it limits |
|---|---|---|
`

// The documentation's table is this one.
func TestDocument(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(introduction)
	for _, row := range Defaults().Rows() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.Name, row.Value(), row.About)
	}
	if *updateDocument {
		if err := os.WriteFile(document, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Error("docs/budgets.md is not the table; write it anew: go test ./server/core/budgets -run TestDocument -update")
	}
}
