package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/redis"
)

// TestPendingUpgradeIsAnswered checks that a write that needs a newer form of the data is answered with 503, names the command
// for the operator, and is not to be repeated before.
func TestPendingUpgradeIsAnswered(t *testing.T) {
	t.Parallel()
	got := rest.PublicError(fmt.Errorf("o_1: %w", redis.ErrUpgradePending))
	if got.Code != http.StatusServiceUnavailable || got.Reason != api.ReasonUpgradePending || got.RetryAfter != 0 ||
		!strings.Contains(got.Hint, "wsd upgrade --finish") {
		t.Errorf("%+v", got)
	}
}
