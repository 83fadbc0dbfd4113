package render

import (
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestASCII(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"▌ ✓ “read” › é …":     `> v "read" > é .`,
		"⏎ open     │ ● 2":     "enter open | * 2",
		"⏎ open   ⏎ go":        "enter open e.",
		"no signs, two  cells": "no signs, two  cells",
	} {
		line := Line{Plain(in)}
		got := ASCII(line, line.Width())
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Error(diff)
		}
		if got.Width() > line.Width() {
			t.Errorf("%q has %d cells, at most %d", got.String(), got.Width(), line.Width())
		}
	}
}

// TestASCIISignsKeepWidth checks that each replacement has the width of its sign.
func TestASCIISignsKeepWidth(t *testing.T) {
	t.Parallel()
	for _, sign := range "✓✗●○◌•✎▌▏│┃┆─┄━┼█…·›‹→←↑↓↳↪↵−±≈×—–▸▾“”‘’" {
		got := ASCIIText(string(sign))
		if len(got) != 1 || got[0] > unicode.MaxASCII || (Line{Plain(string(sign))}).Width() != 1 {
			t.Errorf("%c becomes %q", sign, got)
		}
	}
}
