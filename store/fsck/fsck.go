package fsck

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Options says what Run may change.
type Options struct {
	// Repair derives again what is derived: indexes, access entries, counts, registry.
	// Records and objects are never made up. A sweep that another process makes
	// meanwhile counts as cut off and is ended.
	Repair bool
	// GC removes the objects that no head reaches. While a space is swept,
	// commits that store objects in it wait.
	GC bool
}

// Finding is something that is not as it has to be.
type Finding struct {
	Key      string // without prefix
	Item     string // field, member or object; "" = the whole key
	Problem  string
	Repaired bool
}

// String says it in one line.
func (f Finding) String() string {
	text := f.Key
	if f.Item != "" {
		text += " " + f.Item
	}
	if text += ": " + f.Problem; f.Repaired {
		text += " (repaired)"
	}
	return text
}

// Report is what Run saw.
type Report struct {
	Organizations int
	Records       int
	Objects       int
	Removed       int // objects that nothing reached, with GC
	Findings      []Finding
	Unreadable    []UnreadableSpace // with content that cannot be read
	Notes         []string          // of what is as it may be, and should not stay so
}

// UnreadableSpace is a space in which objects are missing or damaged.
type UnreadableSpace struct{ Organization, Space string }

// Clean reports whether nothing is wrong, or everything was repaired.
func (r Report) Clean() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Repaired })
}

// problem is a finding and what repairs it, if anything does.
type problem struct {
	Finding
	repair func(ctx context.Context) error
}

// Run holds every invariant against the data: keys are in the catalogue,
// records decode, indexes, access entries and counts say what the records imply, order
// keys are in order, and every object that a head reaches is there and matches
// its hash. It may run beside live writes: what it repairs, it has found twice.
func Run(ctx context.Context, s *store.Store, options Options) (Report, error) {
	report, problems, err := walk(ctx, s)
	if err != nil {
		return Report{}, err
	}
	if len(problems) > 0 {
		again, confirmed, err := walk(ctx, s)
		if err != nil {
			return Report{}, err
		}
		report, problems = again, both(confirmed, problems)
	}
	for _, p := range problems {
		if !options.Repair && store.IsYoung(p.Key) && strings.HasPrefix(p.Problem, missing) {
			continue // earlier builds did not write it
		}
		if options.Repair && p.repair != nil {
			if err := p.repair(ctx); errors.Is(err, redis.ErrUnavailable) {
				return Report{}, err
			} else if p.Repaired = err == nil; err != nil {
				p.Problem += "; not repaired: " + err.Error()
			}
		}
		report.Findings = append(report.Findings, p.Finding)
	}
	if options.GC {
		return report, sweepAll(ctx, s, &report)
	}
	return report, nil
}

// both returns the problems that the other list has as well.
func both(problems, others []problem) []problem {
	return slices.DeleteFunc(problems, func(p problem) bool {
		return !slices.ContainsFunc(others, func(other problem) bool { return p.Finding == other.Finding })
	})
}

// inspection is one walk over all keys.
type inspection struct {
	store    *store.Store
	names    []string // of all keys, sorted
	find     func(name string) (store.Row, bool)
	report   Report
	problems []problem
	lost     []string // objects that were given up
}

// walk looks at everything once.
func walk(ctx context.Context, s *store.Store) (Report, []problem, error) {
	names, err := s.Scan(ctx)
	if err != nil {
		return Report{}, nil, err
	}
	in := &inspection{store: s, names: names, find: store.CatalogueMatcher()}
	for _, name := range names {
		if _, known := in.find(name); !known {
			in.add(name, "", "not in the catalogue", nil)
		}
	}
	for _, org := range in.organizations() {
		in.report.Organizations++
		if err := in.organization(ctx, org); err != nil {
			return Report{}, nil, err
		}
	}
	if err := in.integrations(ctx); err != nil {
		return Report{}, nil, err
	}
	slices.SortStableFunc(in.problems, func(a, b problem) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Item, b.Item))
	})
	return in.report, in.problems, nil
}

// add notes a problem.
func (in *inspection) add(key, item, text string, repair func(ctx context.Context) error) {
	in.problems = append(in.problems, problem{Finding{Key: key, Item: item, Problem: text}, repair})
}

// organizations returns the organizations that have keys.
func (in *inspection) organizations() []string {
	var found []string
	for _, name := range in.names {
		if tag, _, _ := strings.Cut(name, "}"); strings.HasPrefix(tag, "{"+txn.OrganizationPrefix) {
			found = append(found, tag[1:])
		}
	}
	return slices.Compact(found) // names are sorted
}

// known returns the names of an organization's keys of a kind that the
// catalogue has.
func (in *inspection) known(org string, kind redis.Kind) []string {
	prefix := "{" + org + "}:"
	from, _ := slices.BinarySearch(in.names, prefix)
	var found []string
	for _, name := range in.names[from:] {
		if !strings.HasPrefix(name, prefix) {
			break
		}
		if row, known := in.find(name); known && row.Kind == kind {
			found = append(found, name)
		}
	}
	return found
}

// unreadable notes a key whose type is another, and returns any other error.
func (in *inspection) unreadable(ctx context.Context, name string, err error) error {
	if goredis.HasErrorPrefix(err, "WRONGTYPE") {
		in.add(name, "", "has another type", nil)
		return nil
	}
	return redis.Wrap(ctx, err)
}

// registered checks that the registry has an organization.
func (in *inspection) registered(ctx context.Context, org string) error {
	s, part := in.store, store.RegistryKey(org)
	redis.FailBefore("fsck.registry")
	err := s.Client.ZScore(ctx, s.Name(part), org).Err()
	redis.FailAfter("fsck.registry")
	if !errors.Is(err, goredis.Nil) {
		return in.unreadable(ctx, part.Name(), err)
	}
	in.add(part.Name(), org, "organization is not registered", func(ctx context.Context) error {
		redis.FailBefore("fsck.register")
		err := s.Client.ZAdd(ctx, s.Name(part), goredis.Z{Member: org}).Err()
		redis.FailAfter("fsck.register")
		return redis.Wrap(ctx, err)
	})
	return nil
}

// hash reads a whole HASH.
func (in *inspection) hash(ctx context.Context, key redis.Key) (map[string]string, error) {
	redis.FailBefore("fsck.hash")
	fields, err := in.store.Client.HGetAll(ctx, in.store.Name(key)).Result()
	redis.FailAfter("fsck.hash")
	return fields, in.unreadable(ctx, key.Name(), err)
}
