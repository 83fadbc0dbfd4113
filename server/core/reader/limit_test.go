package reader

import (
	"testing"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// TestEveryOccurrenceOfExpressionIsCounted checks that each occurrence of an expression adds its text, so that a text cannot
// multiply a reusable content without reaching the limit.
func TestEveryOccurrenceOfExpressionIsCounted(t *testing.T) {
	t.Parallel()
	view := &View{Revision: revision.Revision{Variables: map[string]string{"name": "12345"}}}
	costs := costs{view: view, reusables: map[string]int{"r_x": 1000}}
	page := &revision.Page{Variables: map[string]string{"name": "123"}}
	for name, c := range map[string]struct {
		scope string
		use   string
		page  *revision.Page
		want  int
	}{
		"reusable content":         {content.ScopeReusable, "r_x", page, 3000},
		"variable of the page":     {content.ScopePage, "name", page, 9},
		"variable without a page":  {content.ScopePage, "name", nil, 0},
		"variable of the space":    {content.ScopeSpace, "name", page, 15},
		"variable without a value": {content.ScopeSpace, "other", page, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for repeats, want := range []int{c.want / 3, c.want / 3 * 2, c.want} {
				got, err := costs.total(t.Context(), c.page, []revision.NameUse{{Scope: c.scope, Name: c.use, Repeats: repeats}})
				if err != nil || got != want {
					t.Errorf("%d bytes for %d repeats, want %d, %v", got, repeats, want, err)
				}
			}
		})
	}
}
