package orgs_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
)

// TestUserQuotaLimitsRecords checks the limits per user: expired tokens and replayed responses do not count, and
// what the operator creates is not refused.
func TestUserQuotaLimitsRecords(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		numbers := budgets.Defaults()
		numbers.UserTokens, numbers.UserOrganizations = 3, 2
		w.Serve(func(o *server.Options) { o.Budgets = numbers })
		token := func(expires api.Optional[api.Time]) servertest.Response {
			return servertest.Try(w, "editor", api.CreateToken, api.CreateTokenInput{
				Body: api.TokenCreate{Name: "one more", ExpiresAt: expires},
			})
		}
		soon := api.Some(api.At(w.Clock.Now().Add(time.Hour)))
		servertest.Equal(t, "second", http.StatusCreated, token(soon).Status)
		servertest.Equal(t, "third", http.StatusCreated, token(api.Optional[api.Time]{}).Status)
		last := token(soon)
		servertest.Equal(t, "fourth", http.StatusForbidden, last.Status)
		servertest.Equal(t, "reason", api.ReasonQuotaExceeded, last.Error().Reason)
		w.Clock.Advance(2 * time.Hour)
		servertest.Equal(t, "once one has expired", http.StatusCreated, token(api.Optional[api.Time]{}).Status)
		servertest.Equal(t, "and then", http.StatusForbidden, token(api.Optional[api.Time]{}).Status)
		w.CreateToken("editor") // a token created by the operator is not refused

		organization := func(title, key string) servertest.Response {
			return w.Send("editor", http.MethodPost, "/v1/orgs", api.OrganizationCreate{Title: title}, "Idempotency-Key", key)
		}
		for range 2 {
			servertest.Equal(t, "first", http.StatusCreated, organization("One", "one").Status)
		}
		servertest.Equal(t, "second", http.StatusCreated, organization("Two", "two").Status)
		servertest.Equal(t, "third", http.StatusForbidden, organization("Three", "three").Status)
		servertest.Equal(t, "a repeat", http.StatusCreated, organization("Two", "two").Status)
		servertest.SetOrganizationLimit(w, "editor", 3)
		servertest.Equal(t, "with a higher limit", http.StatusCreated, organization("Three", "three").Status)
	})
}
