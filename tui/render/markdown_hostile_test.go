package render

import (
	"testing"

	"docspace.dev/wsd/client/api/markdown/hostile"
	"docspace.dev/wsd/store/storetest"
)

// TestHostileTextsStayInBudgetCampaign renders untrusted texts that are expensive to parse. It is not parallel because it
// measures allocations.
//
//wsd:serial
func TestHostileTextsStayInBudgetCampaign(t *testing.T) { //nolint:paralleltest // counts
	size, _ := storetest.Campaign(t, "hostile", 16<<10, 1<<20)
	hostile.CheckGrowth(t, size, hostile.Allowance{Factor: 8000, Growth: 2.3}, func(text []byte) { Render(string(text), 100) })
}
