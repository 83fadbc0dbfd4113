package main

import "testing"

// TestProcessorsForServing checks that wsd uses more threads than processors only if neither an operator nor a quota says otherwise.
func TestProcessorsForServing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name               string
		variable           string
		present, available int
		want               int
	}{
		{"a machine of its own", "", 2, 2, 4},
		{"set before", "", 4, 2, 4},
		{"a quota", "", 2, 8, 2},
		{"an operator", "2", 2, 2, 2},
		{"an operator who wants more", "16", 16, 2, 16},
	} {
		if got := processors(c.variable, c.present, c.available); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
