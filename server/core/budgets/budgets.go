package budgets

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Budgets are the numbers in force on a node. The zero value allows nothing: start from Defaults.
type Budgets struct {
	Violations int64 // of one refusal that are listed
	Echo       int64 // characters of a refused value that are said again
	QueryKeys  int64 // of one request
	Refusal    int64 // bytes of an answer that refuses
	Nesting    int64 // levels of a JSON body
	Body       int64 // bytes of a body, unless its row says otherwise

	HeaderBytes     int64 // of one request
	HeaderFields    int64 // of one request
	HeaderTime      int64 // in which they have to arrive
	BodyProgress    int64 // bytes that a body has to bring in BodyTime, while wsd reads it
	BodyTime        int64
	AnswerTime      int64 // that an answer has to be taken
	IdleTime        int64 // of a connection between two requests
	ShutdownTime    int64 // that requests have to end
	Connections     int64
	AddressConns    int64 // of one address
	AddressUnread   int64 // of those, whose request has not arrived whole
	RefusalLogEvery int64 // between two lines of the log about refused connections

	Models      int64 // memory of the models of organizations
	Objects     int64 // memory of stored objects, as all that follows up to SearchTerms
	Trees       int64 // of pages
	LinkGraphs  int64
	Places      int64 // of comments in later texts
	PDFs        int64
	SpecPages   int64 // of specifications
	SearchTerms int64
	RateTallies int64 // users, and addresses, that are counted one by one
	StoreWait   int64 // that wsd init waits for Redis
	Canary      int64 // between two writes that find out whether writing is possible
	Examination int64 // between two looks at everything about the store
	DiskReserve int64 // bytes that stay free on the disk of a Redis that wsd runs itself

	RuleSteps    int64 // of one run of a custom merge rule
	RuleCells    int64 // of the lists that one run makes
	RuleReviews  int64 // of a change request, in the worst case that a rule is refused for
	TokenOverlap int64 // time that a replaced secret may work beside the new one
	Outbox       int64 // bytes of new content of an organization that wait for the replicas of a Redis Cluster
	ReplicaWait  int64 // that a change waits for them
	SlowBytes    int64 // of imports, PDFs and other large work at the same time
	SmallBytes   int64 // of work that is too small to wait behind those
	SmallWork    int64 // bytes up to which work is small
	Downloads    int64 // bytes of files and PDFs that are downloaded at the same time
	TurnWait     int64 // for a turn; a Period
	JobLease     int64 // time after which another node takes over a job
	SpecFetches  int64 // specifications that a node reads at the same time
	CallTime     int64 // that a request may take
	SlowTime     int64 // that an import may take
	TakeBack     int64 // time in which a transfer to another organization can be taken back

	OrganizationBytes   int64 // stored: compressed content, records, kept answers
	OrganizationRecords int64
	QuotaChange         int64 // bytes by which a state, role or place may grow beyond the quota
	UserTokens          int64 // that have not expired
	UserOrganizations   int64 // that the user made
	OrganizationPending int64 // specifications of an organization that wait to be read
	UserPending         int64 // that a user has asked for
	KeptAnswer          int64 // bytes up to which an answer is kept for a repeated request
}

// Defaults returns the numbers that hold when the operator says nothing.
func Defaults() *Budgets {
	b := &Budgets{}
	for _, row := range b.rows() {
		*row.value = row.Default
	}
	return b
}

// Unit is what a number counts.
type Unit int

// Units of the table.
const (
	Count  Unit = iota
	Bytes       // written as 512, 64KiB, 10MiB or 4GiB
	Period      // nanoseconds, written as 100ms, 10s or 24h
)

// Row is one line of the table: the name that an operator types, what it is, and its default in the unit.
type Row struct {
	Name    string
	Unit    Unit
	Default int64
	About   string

	value *int64
}

// Value is the number in force, written as an operator would type it.
func (r Row) Value() string { return r.Unit.format(*r.value) }

// Rows returns the table in the order in which the documentation prints it.
func (b *Budgets) Rows() []Row { return b.rows() }

// rows is the table. A new budget is a field of Budgets and a line here.
func (b *Budgets) rows() []Row {
	return []Row{
		{"violations", Count, 50, "violations listed in one refusal; further ones are only counted as more", &b.Violations},
		{"echo", Count, 100, "characters of a refused value that the refusal repeats", &b.Echo},
		{"query-keys", Count, 200, "keys in the query of one request", &b.QueryKeys},
		{"refusal", Bytes, 64 << 10, "size of the answer of a refusal", &b.Refusal},
		{"nesting", Count, 100, "nesting depth of a JSON body", &b.Nesting},
		{"body", Bytes, 1 << 20, "size of a JSON body; some operations have a smaller limit, and those with content a larger one", &b.Body},
		{"header-bytes", Bytes, 64 << 10, "size of a request's headers", &b.HeaderBytes},
		{"header-fields", Count, 100, "headers of one request", &b.HeaderFields},
		{"header-time", Period, int64(10 * time.Second), "time for the headers of a request to arrive", &b.HeaderTime},
		{"body-progress", Bytes, 10 << 10, "bytes of a request's body that must arrive in each body-time", &b.BodyProgress},
		{"body-time", Period, int64(10 * time.Second), "time in which body-progress bytes of a request's body must arrive", &b.BodyTime},
		{"answer-time", Period, int64(2 * time.Minute), "time for the client to read an answer; imports have more", &b.AnswerTime},
		{"idle-time", Period, int64(2 * time.Minute), "time that an idle connection is kept", &b.IdleTime},
		{"shutdown-time", Period, int64(25 * time.Second), "time for running requests to end when wsd stops", &b.ShutdownTime},
		{"connections", Count, 4_000, "simultaneous connections", &b.Connections},
		{"address-connections", Count, 200, "simultaneous connections of one address; for IPv6, of one /64 network", &b.AddressConns},
		{"address-unread", Count, 100, "simultaneous connections of one address with an incomplete request; for a client of a trusted proxy, requests", &b.AddressUnread},
		{"refusal-log-every", Period, int64(time.Minute), "time between two log lines about refused connections", &b.RefusalLogEvery},
		{"store-wait", Period, int64(15 * time.Second), "time that wsd init waits for Redis; wsd serve waits without limit", &b.StoreWait},
		{"canary-every", Period, int64(time.Second), "time between two test writes, for /readyz", &b.Canary},
		{"examine-every", Period, int64(10 * time.Second), "time between two runs of all checks of wsd doctor, for /readyz", &b.Examination},
		{"disk-reserve", Bytes, 64 << 20, "disk space kept free for a Redis that wsd runs itself; below it writes are refused", &b.DiskReserve},
		{"models", Bytes, 256 << 20, "memory for the access models of organizations", &b.Models},
		{"cache-objects", Bytes, 64 << 20, "memory for recently read texts, files and other objects", &b.Objects},
		{"cache-trees", Bytes, 128 << 20, "memory for recently used page trees of spaces", &b.Trees},
		{"cache-links", Bytes, 128 << 20, "memory for recently used links of spaces", &b.LinkGraphs},
		{"cache-places", Bytes, 16 << 20, "memory for the places of comments in changed texts", &b.Places},
		{"cache-pdfs", Bytes, 64 << 20, "memory for recently made PDFs", &b.PDFs},
		{"cache-specs", Bytes, 32 << 20, "memory for recently shown pages of OpenAPI specifications", &b.SpecPages},
		{"cache-search", Bytes, 64 << 20, "memory for recently used search indexes", &b.SearchTerms},
		{"rate-tallies", Count, 100_000, "users, and addresses, that the rate limit counts individually", &b.RateTallies},
		{"rule-steps", Count, 20_000_000, "steps of a custom merge rule; a step is about one comparison", &b.RuleSteps},
		{"rule-cells", Count, 1_000_000, "list items that a custom merge rule may create", &b.RuleCells},
		{"rule-reviews", Count, 100, "reviews of a change request assumed for the worst case of a custom merge rule", &b.RuleReviews},
		{"token-overlap", Period, int64(24 * time.Hour), "longest time for which the old secret of a rotated token stays valid", &b.TokenOverlap},
		{"outbox", Bytes, 64 << 20, "new content of an organization that may wait for the replicas of a Redis Cluster", &b.Outbox},
		{"replica-wait", Period, int64(2 * time.Second), "time that a change of more than 4 MiB waits for the replicas of a Redis Cluster", &b.ReplicaWait},
		{"slow-bytes", Bytes, 512 << 20, "memory for all running large work (imports, PDFs, comparisons); half of it for one organization", &b.SlowBytes},
		{"small-bytes", Bytes, 64 << 20, "memory for all running small work, which does not wait for large work", &b.SmallBytes},
		{"small-work", Bytes, 4 << 20, "size up to which work is small", &b.SmallWork},
		{"download-bytes", Bytes, 256 << 20, "memory for all running downloads of files and PDFs; half of it for one address", &b.Downloads},
		{"turn-wait", Period, int64(10 * time.Second), "time that work or a download waits for memory; then the answer is 503, reason busy", &b.TurnWait},
		{"job-lease", Period, int64(30 * time.Second), "time after which another node takes over a job or transfer of a node that does not report", &b.JobLease},
		{"spec-fetches", Count, 8, "OpenAPI specifications that a node fetches at the same time: one of an organization and one of a user, half for slow sources", &b.SpecFetches},
		{"call-time", Period, int64(30 * time.Second), "duration of a request", &b.CallTime},
		{"slow-time", Period, int64(11 * time.Minute), "duration of an import; a website is fetched for ten minutes of it", &b.SlowTime},
		{"take-back", Period, int64(7 * 24 * time.Hour), "time in which a transfer to another organization can be taken back", &b.TakeBack},
		{"organization-bytes", Bytes, 10 << 30, "storage of an organization: compressed content, records and stored answers; wsd quota changes it for one", &b.OrganizationBytes},
		{"organization-records", Count, 2_000_000, "records of an organization; wsd quota changes it for one", &b.OrganizationRecords},
		{"quota-change", Bytes, 512, "bytes by which a record may still grow when the quota is used up, so that status, role and position can change", &b.QuotaChange},
		{"user-tokens", Count, 100, "unexpired tokens of a user; wsd quota changes it for one", &b.UserTokens},
		{"user-organizations", Count, 20, "organizations created by a user; wsd quota changes it for one", &b.UserOrganizations},
		{"organization-pending", Count, 200, "specifications of an organization waiting to be fetched", &b.OrganizationPending},
		{"user-pending", Count, 200, "specifications waiting to be fetched because one user asked for it", &b.UserPending},
		{"kept-answer", Bytes, 8 << 10, "size up to which an answer is stored for a repeated request; for larger ones, status and id", &b.KeptAnswer},
	}
}

// Set changes numbers: name=value, separated by commas, as WSD_BUDGETS and --budget take them. An error names the
// part that is wrong, and nothing is changed then.
func (b *Budgets) Set(text string) error {
	changed := *b
	byName := map[string]Row{}
	for _, row := range changed.rows() {
		byName[row.Name] = row
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		row, known := byName[name]
		if !known {
			return fmt.Errorf("%q is not a budget; wsd budgets lists them", name)
		}
		n, err := row.Unit.parse(value)
		if err != nil {
			return fmt.Errorf("budget %s: %w", name, err)
		}
		*row.value = n
	}
	*b = changed
	return nil
}

// Parse reads a number as an operator types it.
func (u Unit) Parse(text string) (int64, error) { return u.parse(text) }

// Format is a number as an operator would type it.
func (u Unit) Format(n int64) string { return u.format(n) }

var sizes = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// parse reads a number of the unit; it is at least 1.
func (u Unit) parse(text string) (int64, error) {
	if u == Period {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("%q is not a time such as 10s or 24h", text)
		}
		return int64(d), nil
	}
	digits, factor := text, int64(1)
	for _, size := range sizes {
		if before, ok := strings.CutSuffix(text, size.suffix); ok && u == Bytes {
			digits, factor = before, size.bytes
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("%q is not %s", text, map[Unit]string{Count: "a number above 0", Bytes: "a size such as 512, 64KiB or 10MiB"}[u])
	}
	return n * factor, nil
}

func (u Unit) format(n int64) string {
	switch u {
	case Period:
		return time.Duration(n).String()
	case Bytes:
		for _, size := range sizes {
			if n >= size.bytes && n%size.bytes == 0 {
				return strconv.FormatInt(n/size.bytes, 10) + size.suffix
			}
		}
	case Count:
	}
	return strconv.FormatInt(n, 10)
}
