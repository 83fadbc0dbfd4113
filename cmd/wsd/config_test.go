package main

import (
	"strings"
	"testing"
)

// TestRetiredVariableIsRefused checks that a retired variable is rejected with advice, unless it is empty, because compose
// files may still pass it. Unknown variables are rejected even if they are empty.
func TestRetiredVariableIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := configFromEnviron([]string{"WSD_VISITOR_CLAIMS_KEY="}); err != nil {
		t.Errorf("empty: %v", err)
	}
	_, err := configFromEnviron([]string{"WSD_VISITOR_CLAIMS_KEY=" + strings.Repeat("k", 52)})
	if err == nil || !strings.Contains(err.Error(), "WSD_VISITOR_CLAIMS_KEY is not read any more") ||
		!strings.Contains(err.Error(), "wsctl sites regenerate-auth") {
		t.Errorf("set: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "kkkk") {
		t.Errorf("the key is shown: %v", err)
	}
	if _, err := configFromEnviron([]string{"WSD_VISITOR_CLAIM_KEY="}); err == nil {
		t.Error("a misspelt variable is taken")
	}
}
