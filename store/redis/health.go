package redis

import (
	"errors"
	"fmt"
	"slices"

	goredis "github.com/redis/go-redis/v9"
)

// Verdict is what one check of Doctor comes to.
type Verdict string

// The verdicts, best first.
const (
	VerdictOK     Verdict = "ok"
	VerdictInfo   Verdict = "info"   // worth knowing
	VerdictWarn   Verdict = "warn"   // wsd serves
	VerdictRefuse Verdict = "refuse" // wsd cannot write, or must not serve
)

// ranks are the verdicts, best first.
var ranks = []Verdict{VerdictOK, VerdictInfo, VerdictWarn, VerdictRefuse}

// Check is one finding about the Redis that the store runs on.
type Check struct {
	Name    string  `json:"name"` // a word that strangers may read
	Verdict Verdict `json:"verdict"`
	Message string  `json:"message"`       // what is so
	Hint    string  `json:"hint,omitzero"` // what to do about it; "" if nothing

	start start // what a node does that starts meanwhile, where it is a refusal
	cause error // of one that is waited out
}

// start is what a node does that starts on a Redis that it cannot write to, or must not.
type start int

const (
	startNever start = iota // ends: what is so stays so until somebody changes it
	startLater              // waits: it passes by itself
	startReads              // serves: reading goes on, and what makes room again
)

func ok(name, message string) Check         { return Check{Name: name, Verdict: VerdictOK, Message: message} }
func info(name, message, hint string) Check { return found(name, VerdictInfo, message, hint) }
func warn(name, message, hint string) Check { return found(name, VerdictWarn, message, hint) }

// refuse is a check that keeps wsd from starting.
func refuse(name, message, hint string) Check { return found(name, VerdictRefuse, message, hint) }

// full is a check that keeps wsd from writing, but not from reading.
func full(name, message, hint string) Check {
	check := found(name, VerdictRefuse, message, hint)
	check.start = startReads
	return check
}

// later is a check that a node which starts waits out.
func later(name, message, hint string, cause error) Check {
	check := found(name, VerdictRefuse, message, hint)
	check.start, check.cause = startLater, cause
	return check
}

func found(name string, verdict Verdict, message, hint string) Check {
	return Check{Name: name, Verdict: verdict, Message: message, Hint: hint}
}

// Health is the one verdict about a store: what Open acts on, what wsd doctor prints and what /readyz answers.
type Health []Check

// Verdict is that of the check that is worst.
func (h Health) Verdict() Verdict {
	worst := 0
	for _, check := range h {
		worst = max(worst, slices.Index(ranks, check.Verdict))
	}
	return ranks[worst]
}

// Code is the verdict as wsd doctor ends with it: 0 good, 1 serves with a warning, 2 cannot write or must not start.
func (h Health) Code() int {
	switch h.Verdict() {
	case VerdictRefuse:
		return 2
	case VerdictWarn:
		return 1
	default:
		return 0
	}
}

// Reasons are the names of the checks that make the verdict: all refusals, or all warnings where there is none. They
// say nothing that a stranger may not know.
func (h Health) Reasons() []string {
	reasons, verdict := []string{}, h.Verdict()
	if verdict == VerdictOK || verdict == VerdictInfo {
		return reasons
	}
	for _, check := range h {
		if check.Verdict == verdict {
			reasons = append(reasons, check.Name)
		}
	}
	return reasons
}

// refusal is what keeps a node from starting, as an error: an ErrRefused, or an ErrUnavailable where it is worth
// waiting. nil: it may start.
func (h Health) refusal() error {
	var wait error
	for _, check := range h {
		switch {
		case check.Verdict != VerdictRefuse || check.start == startReads:
		case check.start == startNever:
			return fmt.Errorf("%w: %s: %s; %s", ErrRefused, check.Name, check.Message, check.Hint)
		case wait == nil:
			if wait = check.cause; !errors.Is(wait, ErrUnavailable) {
				wait = fmt.Errorf("%w: %w", ErrUnavailable, check.cause)
			}
		}
	}
	return wait
}

// with adds checks and keeps one per name: that of the node that is worst off.
func (h Health) with(found ...Check) Health {
	h = slices.Clone(h)
	for _, check := range found {
		at := slices.IndexFunc(h, func(c Check) bool { return c.Name == check.Name })
		switch {
		case at < 0:
			h = append(h, check)
		case slices.Index(ranks, check.Verdict) > slices.Index(ranks, h[at].Verdict):
			h[at] = check
		}
	}
	return h
}

// states are the replies by which Redis says that it does not write, or does not answer, now.
var states = map[string]struct {
	name  string
	hint  string
	start start
}{
	"LOADING":     {"loading", "wait", startLater},
	"READONLY":    {"role", "use the address of the master, or redis+sentinel://", startLater},
	"MASTERDOWN":  {"role", "use the address of the master, or redis+sentinel://", startLater},
	"CLUSTERDOWN": {"cluster", "wait for the cluster, or repair it", startLater},
	"TRYAGAIN":    {"cluster", "wait for the cluster, or repair it", startLater},
	"MOVED":       {"cluster", "wait for the cluster, or repair it", startLater},
	"ASK":         {"cluster", "wait for the cluster, or repair it", startLater},
	"BUSY":        {"connection", "wait, or end the script: SCRIPT KILL", startLater},
	"NOREPLICAS":  {"replicas", "bring the replicas back, or lower min-replicas-to-write", startLater},
	"OOM":         {"memory", "raise maxmemory, or delete what is not needed", startReads},
	"MISCONF":     {"disk", "make room on its disk", startReads},
}

// failed is the check that an error of Redis comes to: that of its state, if it is about that, or the named one.
func failed(name string, err error, hint string) Check {
	for word, state := range states {
		if goredis.HasErrorPrefix(err, word) {
			return Check{
				Name: state.name, Verdict: VerdictRefuse, Message: causes[word] + ": " + plainly(err), Hint: state.hint,
				start: state.start, cause: err,
			}
		}
	}
	if IsUnavailable(err) {
		return later("connection", plainly(err), "is Redis running, are the address and the password right?", err)
	}
	return refuse(name, plainly(err), hint)
}

// Unopened is the check of a store that could not be opened at all.
func Unopened(err error) Check {
	check := failed("connection", err, "is Redis running, are the address and the password right?")
	if errors.Is(err, ErrLocked) {
		check.Name, check.Hint = "directory", "end the process that has it, or wait for it"
	}
	return check
}
