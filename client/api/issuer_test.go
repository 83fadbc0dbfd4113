package api

import (
	"strings"
	"testing"
)

// TestIssuerReason checks which texts are refused as issuers, and why.
func TestIssuerReason(t *testing.T) {
	t.Parallel()
	for issuer, want := range map[string]string{
		"https://id.example.com":                "",
		"https://id.example.com/":               "",
		"https://id.example.com:8443/tenant/v2": "",
		"http://127.0.0.1:8080/realms/a":        "",
		"http://[::1]:8080":                     "",
		"http://LOCALHOST:8080":                 "",
		"":                                      "absolute URL",
		"id.example.com":                        "absolute URL",
		"https://":                              "absolute URL",
		"https://:443/a":                        "absolute URL",
		"https://id.example.com/%zz":            "absolute URL",
		"ftp://id.example.com":                  "https://",
		"javascript:alert(1)":                   "absolute URL",
		"http://id.example.com":                 "only",
		"http://127.0.0.2":                      "only",
		"http://localhost.example.com":          "only",
		"https://user@id.example.com":           "user",
		"https://id.example.com?a=b":            "query",
		"https://id.example.com/?":              "query",
		"https://id.example.com/#a":             "fragment",
		"https://id.example.com/#":              "fragment",
	} {
		if got := IssuerReason(issuer); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", issuer, got, want)
		}
	}
}

// TestSharedIssuerReason checks which issuers are not of one tenant.
func TestSharedIssuerReason(t *testing.T) {
	t.Parallel()
	for issuer, shared := range map[string]bool{
		"https://id.example.com":             false,
		"https://id.example.com/commonplace": false,
		"https://login.microsoftonline.com/6babcaad-604b-40ac-a9d7-9fd97c0b779f/v2.0": false,
		"https://login.microsoftonline.com/common/v2.0":                               true,
		"https://login.microsoftonline.com/Organizations/v2.0":                        true,
		"https://login.microsoftonline.com/consumers/v2.0":                            true,
		"https://login.microsoftonline.com/%63ommon/v2.0":                             true,
		"https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0": true,
		"https://accounts.google.com":                                                 true,
		"https://ACCOUNTS.google.com.:443/x":                                          true,
		"https://accounts.google.com.example":                                         false,
	} {
		if got := SharedIssuerReason(issuer); (got != "") != shared {
			t.Errorf("%s: %q, want one: %t", issuer, got, shared)
		}
	}
}
