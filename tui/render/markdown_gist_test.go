package render

import "testing"

func TestPreview(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"## The battery":                                       "The battery",
		"1. **Unscrew** the *cap* on `A`":                      "1. Unscrew the cap on `A`",
		"- see [Power](/pages/p_1) and ![x](y)":                "• see Power and x",
		"Press **the small butt…":                              "Press the small butt…",
		"Open `http://gatew…":                                  "Open http://gatew…",
		"See [Power and batt…":                                 "See Power and batt…",
		"See [Power](/pages/p_0a57…":                           "See Power…",
		"| Place | Life | | --- | --- | | Open **sky** | 6 y…": "Place │ Life │ Open sky │ 6 y…",
		"plain": "plain",
		"":      "",
	} {
		if got := Preview(source).String(); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

func TestGist(t *testing.T) {
	t.Parallel()
	source := "See **[Power](/pages/p_1)**, not `[x](y)`.\n\n- and ![a light](light.png)\n"
	if got, want := Gist(source), "See Power, not `[x](y)`. • and a light"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
