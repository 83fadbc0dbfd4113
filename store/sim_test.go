package store_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"docspace.dev/wsd/store/storetest"
)

// The simulation runs several nodes with several workers each, the emulation of Redis and the clock in one bubble,
// and makes nodes fail before a command, or between a command and its reply. Random choices come from the seed, but
// the jitter of the store's retries does not, so a seed may need several runs.
const (
	simGroups  = 5
	simNodes   = 3
	simWorkers = 2 // per node
	simOps     = 12
	simSweeps  = 6

	// simSeeds is the number of seeds within which a fault must be found. The rarest shows in one seed of twelve, so
	// that one run in 400,000 would miss it.
	simSeeds = 150
)

// TestSimulatedHistoriesLoseNoWriteCampaign expects no problem for any seed. A history is the run of one seed.
//
//nolint:tparallel // the group ends before it is added up
func TestSimulatedHistoriesLoseNoWriteCampaign(t *testing.T) {
	t.Parallel()
	histories, begin := storetest.Campaign(t, "histories", 20, 10_000)
	var total eventCounts
	t.Run("seeds", func(t *testing.T) {
		for group := range simGroups {
			first, past := group*histories/simGroups, (group+1)*histories/simGroups
			t.Run(fmt.Sprintf("%d to %d", begin+uint64(first), begin+uint64(past)-1), func(t *testing.T) {
				t.Parallel()
				for seed := begin + uint64(first); seed < begin+uint64(past); seed++ {
					for _, problem := range simulate(t, seed, fault{}, &total) {
						t.Errorf("seed %d: %s", seed, problem)
					}
				}
			})
		}
	})
	t.Logf("%d histories: %s", histories, &total)
	if n := int64(histories); total.crashes.Load() < n || total.acknowledged.Load() < n*simNodes {
		t.Error("that is too little to mean anything")
	}
}

// eventCounts counts the events of simulations.
type eventCounts struct{ acknowledged, refused, unknown, faultsFound, crashes, swept, lost atomic.Int64 }

func (n *eventCounts) String() string {
	return fmt.Sprintf("%d writes acknowledged, %d refused, %d cut off of which %d are there; %d crashes, %d objects swept, %d lost with "+
		"their master",
		n.acknowledged.Load(), n.refused.Load(), n.unknown.Load(), n.faultsFound.Load(), n.crashes.Load(), n.swept.Load(), n.lost.Load())
}

// fault is a deliberate defect of the code.
type fault struct {
	old, new    string // replaced text of the commit script
	lateObjects bool   // objects are stored after the commit that refers to them
	blindClaims bool   // existing claims are ignored
}

// edit applies the defect to the script.
func (f fault) edit(t *testing.T) func(source string) string {
	return func(source string) string {
		if f.old == "" {
			return source
		}
		if strings.Count(source, f.old) != 1 {
			t.Errorf("the script has %q not once: bring the fault up to date", f.old)
		}
		return strings.Replace(source, f.old, f.new, 1)
	}
}

func faults() map[string]fault {
	return map[string]fault{
		"a retried commit is not recognised": {old: "if redis.call('GET', KEYS[1]) then", new: "if false then"},
		"versions are not checked":           {old: "return version(key) == want", new: "return true"},
		"fields are not checked":             {old: "return redis.call('HGET', key, field) == want", new: "return true"},
		"neighbours are not checked":         {old: "return adjacent(key, left, right, self)", new: "return true"},
		"counts are not written":             {old: "redis.call('HSET', key, field, table.concat(cards, ' '))", new: ""},
		"news of the shape get lost": {
			old: "redis.call('XADD', key, 'MAXLEN', '~', kept, '*', unpack(entry))",
			new: "if kept ~= '1000' or redis.call('XLEN', key) == 0 then redis.call('XADD', key, 'MAXLEN', '~', kept, '*', " +
				"unpack(entry)) end",
		},
		"objects are not added to the outbox": {
			old: "redis.call('HSET', key, field, value)\n    redis.call('HINCRBY', key, 'bytes', more)", new: "",
		},
		"objects are written after their commit": {lateObjects: true},
		"claims are not checked":                 {blindClaims: true},
		"sweeps do not wait": {
			old: "return redis.call('HGET', key, field) == want", new: "return redis.call('HGET', key, field) == want or " +
				"string.find(key, ':epochs', 1, true)",
		},
	}
}

// TestSimulationFindsFaults applies one defect at a time, which the simulation must find.
func TestSimulationFindsFaults(t *testing.T) {
	t.Parallel()
	for name, defect := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(simSeeds) {
				if problems := simulate(t, seed, defect, &eventCounts{}); len(problems) > 0 {
					t.Logf("caught by seed %d: %s", seed, problems[0])
					return
				}
			}
			t.Errorf("not caught by %d seeds", simSeeds)
		})
	}
}

// simulate runs one seed and returns the problems.
func simulate(t *testing.T, seed uint64, defect fault, total *eventCounts) (problems []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { problems = newSimulation(t, seed, defect, total).run() })
	return problems
}
