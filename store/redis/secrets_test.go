package redis

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCompareSecrets checks the verdict about the secrets of a node before, during and after a replacement, and whether the node
// can open what is stored.
func TestCompareSecrets(t *testing.T) {
	t.Parallel()
	fingerprint := func(value string) string { return Secret{Name: "S", Value: []byte(value)}.Fingerprint() }
	for name, c := range map[string]struct {
		value, old     string // held
		data, replaced string // of the data
		want           Verdict
		refusesReads   bool
	}{
		"the one of the data":                 {value: "a", data: "a", want: VerdictOK},
		"no fingerprint":                      {value: "a", want: VerdictOK},
		"none":                                {data: "a", want: VerdictRefuse, refusesReads: true},
		"another one":                         {value: "b", data: "a", want: VerdictRefuse, refusesReads: true},
		"both, before the replacement":        {value: "b", old: "a", data: "a", want: VerdictInfo},
		"both, during the replacement":        {value: "b", old: "a", data: "b", replaced: "a", want: VerdictInfo},
		"the new one, during the replacement": {value: "b", data: "b", replaced: "a", want: VerdictInfo},
		"the old one, during the replacement": {value: "a", data: "b", replaced: "a", want: VerdictRefuse},
		"the old one, after the replacement":  {value: "a", data: "b", want: VerdictRefuse, refusesReads: true},
	} {
		known := map[string]string{"other": "x"}
		if c.data != "" {
			known["S"] = fingerprint(c.data)
		}
		if c.replaced != "" {
			known[OldSecretName("S")] = fingerprint(c.replaced)
		}
		check := compareSecrets([]Secret{{Name: "S", Value: []byte(c.value), Old: []byte(c.old)}}, known)
		if check.Verdict != c.want || (Health{check}).RefusesReads() != c.refusesReads {
			t.Errorf("%s: %+v, want %s", name, check, c.want)
		}
	}
}

// TestServingNodeEntries checks that entries of the list of serving nodes are parsed as they are written, and those of earlier
// builds, too.
func TestServingNodeEntries(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ServingNode{
		"1 n1":             {Format: 1, ID: "n1"},
		"2 n1 host:7 f1":   {Format: 2, ID: "n1", Label: "host:7", Fingerprints: []string{"f1"}},
		"2 n1 host:7":      {Format: 2, ID: "n1", Label: "host:7", Fingerprints: []string{}},
		"12 n1 host f1 f2": {Format: 12, ID: "n1", Label: "host", Fingerprints: []string{"f1", "f2"}},
	} {
		got, err := parseNode(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
		if want.Label != "" && got.member() != text {
			t.Errorf("%q is written as %q", text, got.member())
		}
	}
	if _, err := parseNode("x n1"); err == nil {
		t.Error("an entry without a format is accepted")
	}
}

// TestLeaseOfServingNode checks that the lease of a serving node ends by its own clock, counted from before the renewal, and
// that a process that does not serve needs none.
func TestLeaseOfServingNode(t *testing.T) {
	t.Parallel()
	var l lease
	now := time.UnixMilli(1_700_000_000_000)
	want := func(name string, at time.Time, valid bool) {
		t.Helper()
		if l.isValid(at) != valid {
			t.Errorf("%s: valid %t", name, !valid)
		}
	}
	want("a process that does not serve", now, true)
	l.begin()
	want("before the first renewal", now, false)
	l.renew(now)
	want("renewed", now.Add(NodeLease-time.Millisecond), true)
	want("not renewed in time", now.Add(NodeLease), false)
	l.renew(now.Add(NodeLease))
	want("renewed late", now.Add(NodeLease), true)
}
