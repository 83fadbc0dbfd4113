package tui_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"docspace.dev/wsd/tui/tuitest"
)

// TestSignsAreExplained checks that each sign of a page is explained in its help, and that there is no help where a question or
// a field is open, because ? is text there or closes it.
func TestSignsAreExplained(t *testing.T) {
	t.Parallel()
	const signs = "●◌✓✗✎↳▸▾┄┃┆"
	var checked atomic.Int32
	t.Cleanup(func() {
		if n := checked.Load(); n < 100 {
			t.Errorf("only %d pages have a help", n)
		}
	})
	for name, scene := range scenes {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				s := play(name, scene.options, size[0], size[1])
				lines := strings.Split(s.View(), "\n")
				shown := strings.Join(lines[2:len(lines)-2], "\n")
				s.Send(tuitest.WindowSize(200, 200))
				s.Keys("?")
				help := s.View()
				if !strings.Contains(help, "Keys here") {
					return
				}
				checked.Add(1)
				for _, sign := range signs {
					if strings.ContainsRune(shown, sign) && !strings.ContainsRune(help, sign) {
						t.Errorf("%c is not explained in\n%s", sign, help)
					}
				}
			})
		}
	}
}
