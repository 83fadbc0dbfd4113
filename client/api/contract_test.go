package api

import "testing"

func TestEveryRowCompiles(t *testing.T) {
	t.Parallel()
	c := NewCompiler()
	for _, r := range Rows() {
		c.Input(r)
		c.Compile(r.Out)
	}
}
