package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestClockJumpOfRedisRemovesNothing checks that nothing in the trash is removed while the clock of Redis is wrong, alone
// or with those of the nodes, and that removal goes on by itself when it is right again.
func TestClockJumpOfRedisRemovesNothing(t *testing.T) {
	t.Parallel()
	steps := func(step time.Duration, n int) (steps []time.Duration) {
		for i := range n {
			steps = append(steps, time.Duration(i+1)*step)
		}
		return steps
	}
	for name, c := range map[string]struct {
		offsets []time.Duration // of the clock of Redis, one after the other
		all     bool            // the clocks of the nodes are set, too
	}{
		"forward":               {[]time.Duration{30 * 24 * time.Hour}, false},
		"back":                  {[]time.Duration{-30 * 24 * time.Hour}, false},
		"in steps of an hour":   {steps(time.Hour, 30), false},
		"all clocks forward":    {[]time.Duration{30 * 24 * time.Hour}, true},
		"all clocks back":       {[]time.Duration{-30 * 24 * time.Hour}, true},
		"all in steps of hours": {steps(2*time.Hour, 20), true},
		"all forward and back":  {[]time.Duration{365 * 24 * time.Hour, -365 * 24 * time.Hour}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTwoNodes(t, storetest.Memory())
			p.compareClocks()
			space, collection := p.NewSpaceIn("Space", "").ID, p.NewCollection("Collection", "").ID
			other, kept := p.NewSpaceIn("Other", collection).ID, p.NewSpaceIn("Kept", "").ID
			for _, id := range []string{space, kept} {
				servertest.Do(p.World, "admin", api.DeleteSpace, api.SpaceRef{Space: id})
			}
			servertest.Do(p.World, "admin", api.DeleteCollection, api.CollectionRef{Collection: collection})
			p.Clock.Advance(6 * 24 * time.Hour)
			p.checkPurges("before the jump", 0)
			for _, offset := range c.offsets {
				p.Clock.Advance(redis.ClockInterval)
				p.setRedisOffset(offset)
				if c.all {
					p.setOffset(firstNode, offset)
					p.setOffset(secondNode, offset)
				}
				p.checkPurges("after a jump to "+offset.String(), 0)
				checkProbe(p.World, "/readyz", http.StatusOK, "warning", "persistence", "clock")
			}
			p.Clock.Advance(time.Hour)
			p.setRedisOffset(0)
			p.setOffset(firstNode, 0)
			p.setOffset(secondNode, 0)
			p.checkPurges("when the clocks are right again", 0)
			checkProbe(p.World, "/readyz", http.StatusOK, "warning", "persistence")
			servertest.Do(p.World, "admin", api.RestoreSpace, api.SpaceRef{Space: kept})
			p.Clock.Advance(24 * time.Hour)
			p.checkPurges("after seven days", 2)
			for _, id := range []string{space, other} {
				servertest.Equal(t, "a purged space", http.StatusNotFound, p.Send("admin", "GET", "/v1/spaces/"+id, nil).Status)
			}
			servertest.Do(p.World, "admin", api.GetSpace, api.GetSpaceInput{Space: kept})
		})
	}
}

// TestClockJumpIsAcceptedAfterADay checks that removal goes on with the new time after a day, and that the doctor names
// the jump until then.
func TestClockJumpIsAcceptedAfterADay(t *testing.T) {
	t.Parallel()
	p := newTwoNodes(t, storetest.Memory())
	p.compareClocks()
	space := p.NewSpaceIn("Space", "").ID
	servertest.Do(p.World, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
	for _, set := range []func(time.Duration){
		p.setRedisOffset, func(d time.Duration) { p.setOffset(firstNode, d) }, func(d time.Duration) { p.setOffset(secondNode, d) },
	} {
		set(30 * 24 * time.Hour)
	}
	p.checkPurges("after the jump", 0)
	found, err := server.Diagnose(t.Context(), p.Store, auth.SecretSettings{External: true}, 0)
	p.Must(err)
	i := slices.IndexFunc(found.Checks, func(c redis.Check) bool { return c.Name == "clock" })
	if i < 0 || found.Checks[i].Verdict != redis.VerdictWarn ||
		!strings.Contains(found.Checks[i].Message, "the clock of Redis jumped 720h0m0s forward, until it is back or 24h0m0s have passed") {
		t.Errorf("the doctor finds %+v", found.Checks)
	}
	p.Clock.Advance(24*time.Hour - time.Second)
	p.checkPurges("within the day", 0)
	p.Clock.Advance(time.Second)
	p.compareClocks()
	p.checkPurges("after the day", 1)
	found, err = server.Diagnose(t.Context(), p.Store, auth.SecretSettings{External: true}, 0)
	if err != nil || slices.Contains(found.Checks.Reasons(), "clock") {
		t.Errorf("the doctor finds %+v, %v", found.Checks, err)
	}
}

// TestClockJumpKeepsOrganization checks that an organization in the trash is not removed while the clock of Redis is wrong.
func TestClockJumpKeepsOrganization(t *testing.T) {
	t.Parallel()
	p := newTwoNodes(t, storetest.Memory())
	p.compareClocks()
	title := servertest.Do(p.World, "admin", api.GetOrganization, api.OrganizationRef{Organization: p.Org}).Title
	servertest.Do(p.World, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
		OrganizationRef: api.OrganizationRef{Organization: p.Org}, Title: title,
	})
	p.setRedisOffset(30 * 24 * time.Hour)
	p.checkPurges("after the jump", 0)
	p.setRedisOffset(0)
	p.compareClocks()
	servertest.Do(p.World, "admin", api.RestoreOrganization, api.OrganizationRef{Organization: p.Org})
}

// TestClockJumpKeepsTokens checks that expired tokens of a full family are not revoked to make room while a clock is wrong: those
// that have expired stay refused, and those that have not are accepted again when the clocks are right.
func TestClockJumpKeepsTokens(t *testing.T) {
	t.Parallel()
	const full = 400
	p := newTwoNodes(t, storetest.Memory())
	p.Serve(func(o *server.Options) {
		o.Clock = func() time.Time {
			return p.Clock.Now().Add(time.Duration(p.nodes[firstNode].offset.Load()) * time.Millisecond)
		}
		o.Budgets = budgets.Defaults()
		o.Budgets.UserTokens = 2 * full
	})
	w := p.World
	p.compareClocks()
	servertest.NewToken(w, "admin", "keeper", api.TokenCreate{})
	for _, name := range []string{"expired", "valid"} {
		life := map[string]time.Duration{"expired": time.Minute, "valid": 24 * time.Hour}[name]
		servertest.NewToken(w, "keeper", name, api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, life)})
	}
	for servertest.Succeeded(servertest.Try(w, "keeper", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "filler"}})) {
	}
	p.Clock.Advance(time.Minute)
	more := api.CreateTokenInput{Body: api.TokenCreate{Name: "more"}}
	works := func(when string, want map[string]bool) {
		t.Helper()
		for name, should := range want {
			servertest.Equal(t, name+" works "+when, should, servertest.TokenWorks(w, name))
		}
	}
	for _, all := range []bool{false, true} {
		set := func(ahead time.Duration) {
			p.setRedisOffset(ahead)
			if all {
				p.setOffset(firstNode, ahead)
				p.setOffset(secondNode, ahead)
			}
		}
		set(30 * 24 * time.Hour)
		servertest.Refused(w, "keeper", api.CreateToken, more, http.StatusConflict, api.ReasonState)
		p.compareClocks()
		servertest.Refused(w, "keeper", api.CreateToken, more, http.StatusConflict, api.ReasonState)
		works("while clocks are wrong", map[string]bool{"expired": false, "valid": !all})
		set(0)
		p.compareClocks()
		works("when they are right again", map[string]bool{"expired": false, "valid": true})
	}
	servertest.Do(w, "keeper", api.CreateToken, more)
	servertest.Refused(w, "keeper", api.CreateToken, more, http.StatusConflict, api.ReasonState)
	works("after there was room for another", map[string]bool{"expired": false, "valid": true})
}
