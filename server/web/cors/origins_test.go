package cors

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	text := " https://app.example.com,http://localhost:3000 ,https://[2001:db8::1]:8443,,https://app.example.com"
	want := Origins{"https://app.example.com", "http://localhost:3000", "https://[2001:db8::1]:8443"}
	if got, err := Parse(text); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{
		"*": "wildcard", "https://*.example.com": "wildcard", "app.example.com": "not an origin", "null": "not an origin",
		"ftp://app.example.com": "not an origin", "https://": "not an origin", "https://a b": "not an origin",
		"https://é.example":        "not an origin",
		"https://app.example.com/": "has a path", "https://app.example.com/v1": "has a path", "https://app.example.com?q": "has a path",
		"https://app.example.com#f": "has a path", "https://me@app.example.com": "has a user",
		"https://me:secret@app.example.com": "has a user",
		"https://App.example.com":           "write https://app.example.com", "HTTPS://app.example.com": "write https://app.example.com",
		"https://app.example.com:443": "write https://app.example.com", "http://app.example.com:80": "write http://app.example.com",
		"https://app.example.com:0443": "write https://app.example.com", "https://app.example.com:": "write https://app.example.com",
		"https://app.example.com:65536": "has no port",
	} {
		_, err := Parse("https://good.example.com," + text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
