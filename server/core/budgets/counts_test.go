package budgets

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestWaitsAreCounted checks that permits that are granted at once are not counted, and that those that wait are, with their time,
// and with their refusal.
func TestWaitsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		q.request(t.Context(), "a", "first", 50)
		q.request(t.Context(), "b", "second", 50)
		if got := q.limiter.Counts(); got != (Counts{}) {
			t.Errorf("without a wait: %+v", got)
		}
		q.request(t.Context(), "c", "third", 50)
		time.Sleep(3 * time.Second)
		q.finish("first")
		if got, want := q.limiter.Counts(), (Counts{Waits: 1, Waited: 3 * time.Second}); got != want {
			t.Errorf("after a wait: %+v, want %+v", got, want)
		}
		q.request(t.Context(), "d", "fourth", 50)
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if got, want := q.limiter.Counts(), (Counts{Waits: 2, Waited: 13 * time.Second, Refusals: 1}); got != want {
			t.Errorf("after a refusal: %+v, want %+v", got, want)
		}
	})
}
