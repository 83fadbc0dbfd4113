package term

import "testing"

func TestIsDark(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"": true, "15;0": true, "0;15": false, "0;default;7": false, "12;8": true, "x": true, "0;99": true,
	} {
		if got := IsDark(value); got != want {
			t.Errorf("Dark(%q) = %v", value, got)
		}
	}
}
