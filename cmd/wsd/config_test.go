package main

import (
	"strings"
	"testing"
)

// A variable that wsd once read is refused with what to do instead; compose files that pass it empty go on working. One
// that it never read is refused as ever.
func TestRetiredVariables(t *testing.T) {
	t.Parallel()
	if _, err := fromEnvironment([]string{"WSD_VISITOR_CLAIMS_KEY="}); err != nil {
		t.Errorf("empty: %v", err)
	}
	_, err := fromEnvironment([]string{"WSD_VISITOR_CLAIMS_KEY=" + strings.Repeat("k", 52)})
	if err == nil || !strings.Contains(err.Error(), "WSD_VISITOR_CLAIMS_KEY is not read any more") || !strings.Contains(err.Error(), "wsctl sites regenerate-auth") {
		t.Errorf("set: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "kkkk") {
		t.Errorf("the key is shown: %v", err)
	}
	if _, err := fromEnvironment([]string{"WSD_VISITOR_CLAIM_KEY="}); err == nil {
		t.Error("a misspelt variable is taken")
	}
}
