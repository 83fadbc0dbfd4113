package redis

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	goredis "github.com/redis/go-redis/v9"
)

// Verdict is the result of a check.
type Verdict string

// Verdicts, best first.
const (
	VerdictOK     Verdict = "ok"
	VerdictInfo   Verdict = "info"   // for information
	VerdictWarn   Verdict = "warn"   // wsd can serve
	VerdictRefuse Verdict = "refuse" // wsd cannot write or must not serve
)

// verdictOrder are the verdicts, best first.
var verdictOrder = []Verdict{VerdictOK, VerdictInfo, VerdictWarn, VerdictRefuse}

// CheckNames are the names of all checks.
var CheckNames = []string{
	"appendfsync", "clock", "cluster", "config", "connection", "directory", "disk", "eviction", "failover", "forms", "info", "loading",
	"memory", "mode", "persistence", "replicas", "role", "scripts", "secret", "version", "write",
}

// Check is one finding about the Redis of the store.
type Check struct {
	Name    string  `json:"name"` // a word that may be shown to anonymous callers
	Verdict Verdict `json:"verdict"`
	Message string  `json:"message"`       // the finding
	Hint    string  `json:"hint,omitzero"` // a remedy, or ""

	start startAction // behaviour of a starting node for a refusal
	cause error       // cause of a temporary refusal

	unreadable bool // a refusal for reads, too
}

// startAction is the behaviour of a node that starts on a Redis it cannot or must not write to.
type startAction int

const (
	startExit     startAction = iota // exit: an operator must act
	startWait                        // wait: the condition is temporary
	startReadOnly                    // serve: reads and writes that free space are possible
)

func okCheck(name, message string) Check {
	return Check{Name: name, Verdict: VerdictOK, Message: message}
}

func infoCheck(name, message, hint string) Check { return newCheck(name, VerdictInfo, message, hint) }

func warnCheck(name, message, hint string) Check { return newCheck(name, VerdictWarn, message, hint) }

// refuseCheck returns a check that prevents wsd from starting.
func refuseCheck(name, message, hint string) Check {
	return newCheck(name, VerdictRefuse, message, hint)
}

// refuseWritesCheck returns a check that prevents wsd from writing but not from reading.
func refuseWritesCheck(name, message, hint string) Check {
	check := newCheck(name, VerdictRefuse, message, hint)
	check.start = startReadOnly
	return check
}

// temporaryRefusal returns a check that a starting node waits out.
func temporaryRefusal(name, message, hint string, cause error) Check {
	check := newCheck(name, VerdictRefuse, message, hint)
	check.start, check.cause = startWait, cause
	return check
}

func newCheck(name string, verdict Verdict, message, hint string) Check {
	return Check{Name: name, Verdict: verdict, Message: message, Hint: hint}
}

// Health is the set of checks of a store. Open acts on it, wsd doctor prints it, and /readyz returns it.
type Health []Check

// Verdict returns the worst verdict of the checks.
func (h Health) Verdict() Verdict {
	worst := 0
	for _, check := range h {
		worst = max(worst, slices.Index(verdictOrder, check.Verdict))
	}
	return verdictOrder[worst]
}

// Code returns the exit code of wsd doctor: 0 good, 1 serves with a warning, 2 cannot write or must not start.
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

// Problem returns the verdict as a sentence with its reasons, or "" if it is good.
func (h Health) Problem() string {
	reasons := strings.Join(h.Reasons(), ", ")
	switch h.Verdict() {
	case VerdictRefuse:
		return "wsd cannot write, or must not start: " + reasons
	case VerdictWarn:
		return "wsd serves, but somebody should do something: " + reasons
	default:
		return ""
	}
}

// Reasons returns the names of the checks that determine the verdict: all refusals, or all warnings if there is none.
// They may be shown to anonymous callers.
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

// RefusesReads reports whether a check has found that this node must not be asked for reads either.
func (h Health) RefusesReads() bool {
	return slices.ContainsFunc(h, func(check Check) bool { return check.unreadable })
}

// startError returns the error that prevents a node from starting: an ErrRefused, or an ErrUnavailable for a temporary
// condition. It returns nil if the node may start.
func (h Health) startError() error {
	var wait error
	for _, check := range h {
		switch {
		case check.Verdict != VerdictRefuse || check.start == startReadOnly:
		case check.start == startExit:
			return fmt.Errorf("%w: %s: %s; %s", ErrRefused, check.Name, check.Message, check.Hint)
		case wait == nil:
			if wait = check.cause; !errors.Is(wait, ErrUnavailable) {
				wait = fmt.Errorf("%w: %w", ErrUnavailable, check.cause)
			}
		}
	}
	return wait
}

// with adds checks and keeps the worst one for each name.
func (h Health) with(checks ...Check) Health {
	h = slices.Clone(h)
	for _, check := range checks {
		i := slices.IndexFunc(h, func(c Check) bool { return c.Name == check.Name })
		switch {
		case i < 0:
			h = append(h, check)
		case slices.Index(verdictOrder, check.Verdict) > slices.Index(verdictOrder, h[i].Verdict):
			h[i] = check
		}
	}
	return h
}

// replyChecks maps the prefixes of error replies that report a temporary condition of Redis to the check for it.
var replyChecks = map[string]struct {
	name  string
	hint  string
	start startAction
}{
	"LOADING":     {"loading", "wait", startWait},
	"READONLY":    {"role", "use the address of the master, or redis+sentinel://", startWait},
	"MASTERDOWN":  {"role", "use the address of the master, or redis+sentinel://", startWait},
	"CLUSTERDOWN": {"cluster", "wait for the cluster, or repair it", startWait},
	"TRYAGAIN":    {"cluster", "wait for the cluster, or repair it", startWait},
	"MOVED":       {"cluster", "wait for the cluster, or repair it", startWait},
	"ASK":         {"cluster", "wait for the cluster, or repair it", startWait},
	"BUSY":        {"connection", "wait, or end the script: SCRIPT KILL", startWait},
	"NOREPLICAS":  {"replicas", "bring the replicas back, or lower min-replicas-to-write", startWait},
	"OOM":         {"memory", "raise maxmemory, or delete what is not needed", startReadOnly},
	"MISCONF":     {"disk", "make room on its disk", startReadOnly},
}

// errorCheck returns the check for an error of Redis: that of replyChecks if the error is a reply listed there, otherwise
// the named one.
func errorCheck(name string, err error, hint string) Check {
	for word, state := range replyChecks {
		if goredis.HasErrorPrefix(err, word) {
			return Check{
				Name: state.name, Verdict: VerdictRefuse, Message: causeTexts[word] + ": " + trimPrefixes(err), Hint: state.hint,
				start: state.start, cause: err,
			}
		}
	}
	if IsUnavailable(err) {
		return temporaryRefusal("connection", trimPrefixes(err), connectionHint(err), err)
	}
	return refuseCheck(name, trimPrefixes(err), hint)
}

// connectionHint returns advice for an error of the connection to Redis.
func connectionHint(err error) string {
	switch text := err.Error(); {
	case errors.Is(err, errTLS), strings.Contains(text, "tls: "):
		return "does Redis use TLS at this port (otherwise redis://), and do WSD_REDIS_CA, WSD_REDIS_CERT and WSD_REDIS_KEY fit?"
	case strings.Contains(text, "cluster support disabled"):
		return "this Redis is not a cluster: use redis:// instead of redis+cluster://"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "it closes the connection: does it use TLS? then rediss://"
	case strings.Contains(text, "all sentinels"):
		return "are the addresses those of Sentinels, and do they know the master's name? use redis:// for a Redis without them"
	}
	return "is Redis running, are the address and the password right?"
}

// OpenErrorCheck returns the check for a store that could not be opened.
func OpenErrorCheck(err error) Check {
	check := errorCheck("connection", err, connectionHint(err))
	if errors.Is(err, ErrLocked) {
		check.Name, check.Hint = "directory", "end the process that has it, or wait for it"
	}
	return check
}
