package budgets

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDocument = flag.Bool("update", false, "write docs/budgets.md")

const document = "../../../docs/budgets.md"

const introduction = `# Budgets

For operators: what one request, one caller, one organization and one node may use before wsd refuses. ` + "`wsd budgets`" + ` prints the
values in force, and ` + "`--budgets name=value,...`" + ` or ` + "`WSD_BUDGETS`" + ` changes them; a value below the least one is refused. Limits of fields, and of the body of each operation,
are in the OpenAPI document: ` + "`GET /v1/openapi.json`" + `.

| Name | Default | Least | What it limits |
|---|---|---|---|
`

// TestBudgetsPageIsCurrent compares docs/budgets.md with the table.
func TestBudgetsPageIsCurrent(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(introduction)
	for _, row := range Defaults().Rows() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, row.Value(), row.LeastValue(), row.About)
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
		t.Error("docs/budgets.md differs from the table; run: go test ./server/core/budgets -run TestBudgetsPageIsCurrent -update")
	}
}
