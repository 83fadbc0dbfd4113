package budgets

import (
	"strings"
	"testing"
)

// TestBudgetsBelowLeastValue checks that each budget is accepted at its least value and rejected below it, with its name and
// the least value.
func TestBudgetsBelowLeastValue(t *testing.T) {
	t.Parallel()
	for _, row := range Defaults().Rows() {
		b := Defaults()
		set := func(n int64) error {
			for _, own := range b.rows() {
				if own.Name == row.Name {
					*own.value = n
				}
			}
			return b.Check()
		}
		if row.Least() > row.Default {
			t.Errorf("%s: the default %s is less than the least value %s", row.Name, row.Value(), row.LeastValue())
		}
		if err := set(row.Least()); err != nil {
			t.Errorf("%s at its least value: %v", row.Name, err)
		}
		if err := set(row.Least() - 1); err == nil || !strings.Contains(err.Error(), "budget "+row.Name+": ") ||
			!strings.Contains(err.Error(), row.LeastValue()) {
			t.Errorf("%s below its least value: %v", row.Name, err)
		}
	}
}

// TestLeastValuesAreOfBudgets checks that the table of least values names no budget that does not exist.
func TestLeastValuesAreOfBudgets(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, row := range Defaults().Rows() {
		known[row.Name] = true
	}
	for name := range leastValues {
		if !known[name] {
			t.Errorf("%s is not a budget", name)
		}
	}
}
