package openapi

import (
	"encoding/json"
	"testing"

	"docspace.dev/wsd/client/api/markdown/hostile"
	"docspace.dev/wsd/store/storetest"
)

// TestHostileTextsStayInBudgetCampaign generates pages from documents whose texts are expensive to process. It is not parallel
// because it counts allocations.
//
//wsd:serial
func TestHostileTextsStayInBudgetCampaign(t *testing.T) { //nolint:paralleltest // counts
	size, _ := storetest.Campaign(t, "hostile", 16<<10, 1<<20)
	hostile.CheckGrowth(t, size, hostile.Allowance{Factor: 1500, Growth: 2.3}, func(text []byte) {
		bundle, err := json.Marshal(map[string]any{
			"openapi": "3.0.0", "info": map[string]any{
				"title": "a", "version": "1", "description": string(text[:len(text)/2]), "summary": string(text[len(text)/2:]),
			},
			"paths": map[string]any{},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := MakePages(bundle); err != nil {
			t.Error(err)
		}
	})
}
