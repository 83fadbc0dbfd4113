package budgets

import (
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	t.Parallel()
	b := Defaults()
	if err := b.Set("query-keys=300, echo=80"); err != nil {
		t.Fatal(err)
	}
	if b.QueryKeys != 300 || b.QuotedChars != 80 || b.Violations != Defaults().Violations {
		t.Errorf("after two changes: %+v", *b)
	}
}

func TestSetRejectsInvalidBudgets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"nothing=1":           `"nothing" is not a budget`,
		"echo":                `budget echo: "" is not a number`,
		"echo=0":              `"0" is not a number`,
		"echo=-1":             `"-1" is not a number`,
		"echo=1KiB":           `"1KiB" is not a number`,
		"violations=3,echo=x": `"x" is not a number`,
	} {
		b := Defaults()
		if err := b.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if *b != *Defaults() {
			t.Errorf("%s: a refused change left a trace", text)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"512": 512, "64KiB": 64 << 10, "10MiB": 10 << 20, "4GiB": 4 << 30} {
		if n, err := Bytes.parse(text); err != nil || n != want || Bytes.format(n) != text {
			t.Errorf("%s: %d, %v, written %s", text, n, err, Bytes.format(n))
		}
	}
	if _, err := Bytes.parse("9999999999GiB"); err == nil {
		t.Error("a size beyond 63 bits is taken")
	}
	if n, err := Period.parse("10s"); err != nil || Period.format(n) != "10s" {
		t.Errorf("10s: %d, %v", n, err)
	}
}

func TestBudgetTableIsComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, row := range Defaults().Rows() {
		if seen[row.Name] || row.Default < 1 || row.About == "" {
			t.Errorf("row %+v is doubled or lacks something", row)
		}
		seen[row.Name] = true
	}
}
