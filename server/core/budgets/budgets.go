package budgets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Budgets holds the limits in force on a node. The zero value allows nothing: start from Defaults.
type Budgets struct {
	Violations   int64 // violations listed in one refusal
	QuotedChars  int64 // characters of a refused value that are quoted
	QueryKeys    int64 // per request
	RefusalBytes int64 // bytes of an error response
	Nesting      int64 // levels of a JSON body
	BodyBytes    int64 // bytes of a body, unless its row has its own limit

	HeaderBytes     int64 // per request
	HeaderFields    int64 // per request
	HeaderTime      int64 // time to receive the header of a request
	MinBodyBytes    int64 // bytes of a body that have to arrive in BodyTime
	BodyTime        int64
	BodyRate        int64 // bytes per second with which a body of more than 1 MiB has to arrive on average
	AnswerTime      int64 // time to send a response
	IdleTime        int64 // time that a connection may be idle between two requests
	ShutdownTime    int64 // time for running requests and jobs to end when the node stops
	Connections     int64
	AddressConns    int64 // per address
	AddressRequests int64 // connections per address with an incomplete request
	RefusalLogEvery int64 // time between two log lines about refused connections

	ModelBytes        int64 // memory of the access models of organizations
	ObjectBytes       int64 // memory of stored objects; the following budgets, up to SearchTermBytes, are memory, too
	TreeBytes         int64 // of pages
	LinkGraphBytes    int64
	AnchorBytes       int64 // memory of cached positions of comments in later texts
	PDFBytes          int64
	SpecPageBytes     int64 // of specifications
	SearchTermBytes   int64
	CountedClients    int64 // users and addresses that are counted individually
	StoreWait         int64 // time that wsd init waits for Redis
	TestWriteInterval int64 // interval of test writes
	CheckInterval     int64 // interval of complete checks of the store
	DiskReserve       int64 // bytes to leave free on the disk of a Redis run by wsd

	RuleSteps      int64 // steps of one run of a custom merge rule
	RuleCells      int64 // list items that one run may create
	RuleReviews    int64 // reviews of a change request assumed for the worst case of a custom rule
	TokenOverlap   int64 // time that a replaced secret stays valid
	OutboxBytes    int64 // bytes of new content of an organization not yet replicated in a Redis Cluster
	ReplicaWait    int64 // time that a change waits for replicas
	LargeBodyBytes int64 // bytes of concurrent requests' bodies of more than 1 MiB
	SlowBytes      int64 // memory of concurrent imports, merges and other large work that writes
	ReadBytes      int64 // memory of concurrent PDFs, comparisons and other large work that reads
	SmallBytes     int64 // memory of concurrent small work, which does not wait for large work
	SmallWorkBytes int64 // bytes up to which work is small
	DownloadBytes  int64 // bytes of concurrent downloads of files and PDFs
	CompressTurns  int64 // answers that are compressed at the same time
	TurnWait       int64 // maximum wait for a permit; a Period
	JobLease       int64 // time after which another node takes over a job
	EditText       int64 // bytes of text in one change of content
	SpecFetches    int64 // concurrent readings of specifications per node
	SpecCPU        int64 // CPU time of one reading of a specification, a Period
	SpecMemory     int64 // bytes of memory of one reading of a specification
	CallTime       int64 // maximum time of a request
	SlowTime       int64 // maximum time of an import
	ImportWork     int64 // maximum time of the work of an import, without waiting for other hosts
	TakeBackTime   int64 // time in which a transfer to another organization can be reverted

	UserStreams         int64 // streams of events of a user, per node
	OrganizationStreams int64 // of an organization
	Streams             int64
	StreamTime          int64 // time after which a stream ends
	StreamPoll          int64 // interval of the reads of new events
	StreamHeartbeat     int64 // interval of messages without an event
	StreamWrite         int64 // time for the client to take a message
	StreamPending       int64 // bytes of events that wait for a receiver

	OrganizationBytes   int64 // stored bytes: compressed content, records, stored responses
	OrganizationRecords int64
	QuotaChangeBytes    int64 // bytes by which a record may grow beyond the quota if its state, role or position changes
	UserTokens          int64 // unexpired tokens
	UserOrganizations   int64 // organizations that a user may have created
	OrganizationSpecs   int64 // specifications of an organization waiting to be read
	UserSpecs           int64 // specifications requested by a user and waiting to be read
	UserCopies          int64 // concurrent duplicates and transfers of a user
	ReplayedAnswerBytes int64 // bytes up to which a response is stored for repeated requests
}

// Defaults returns the default budgets.
func Defaults() *Budgets {
	b := &Budgets{}
	for _, row := range b.rows() {
		*row.value = row.Default
	}
	return b
}

// Unit is the unit of a budget.
type Unit int

// Units of budgets.
const (
	Count  Unit = iota
	Bytes       // written as 512, 64KiB, 10MiB or 4GiB
	Period      // nanoseconds, written as 100ms, 10s or 24h
)

// Row is one budget of the table: its name in the configuration, its unit, its default in that unit, and its
// description.
type Row struct {
	Name    string
	Unit    Unit
	Default int64
	About   string

	value *int64
}

// Value returns the value in force in the syntax of the configuration.
func (r Row) Value() string { return r.Unit.format(*r.value) }

// Rows returns the table in the order of the documentation.
func (b *Budgets) Rows() []Row { return b.rows() }

// rows returns the table. To add a budget, add a field to Budgets and a row here.
func (b *Budgets) rows() []Row {
	return slices.Concat(b.serverRows(), b.memoryRows(), b.workRows(), b.streamRows(), b.dataRows())
}

// serverRows returns the rows of requests, connections and the store.
func (b *Budgets) serverRows() []Row {
	return []Row{
		{"violations", Count, 50, "violations listed in one refusal; further ones are only counted as more", &b.Violations},
		{"echo", Count, 100, "characters of a refused value that the refusal repeats", &b.QuotedChars},
		{"query-keys", Count, 200, "keys in the query of one request", &b.QueryKeys},
		{"refusal", Bytes, 64 << 10, "size of the answer of a refusal", &b.RefusalBytes},
		{"nesting", Count, 100, "nesting depth of a JSON body", &b.Nesting},
		{
			"body", Bytes, 1 << 20, "size of a JSON body; some operations have a smaller limit, and those with content a larger one",
			&b.BodyBytes,
		},
		{"header-bytes", Bytes, 64 << 10, "size of a request's headers", &b.HeaderBytes},
		{"header-fields", Count, 100, "headers of one request", &b.HeaderFields},
		{"header-time", Period, int64(10 * time.Second), "time for the headers of a request to arrive", &b.HeaderTime},
		{"body-progress", Bytes, 10 << 10, "bytes of a request's body that must arrive in each body-time", &b.MinBodyBytes},
		{"body-time", Period, int64(10 * time.Second), "time in which body-progress bytes of a request's body must arrive", &b.BodyTime},
		{
			"body-rate", Bytes, 64 << 10, "bytes a second with which a request's body of more than 1 MiB must arrive on average, after " +
				"the first body-time", &b.BodyRate,
		},
		{"answer-time", Period, int64(2 * time.Minute), "time for the client to read an answer; imports have more", &b.AnswerTime},
		{"idle-time", Period, int64(2 * time.Minute), "time that an idle connection is kept", &b.IdleTime},
		{"shutdown-time", Period, int64(25 * time.Second), "time for running requests and jobs to end when wsd stops", &b.ShutdownTime},
		{"connections", Count, 4_000, "simultaneous connections", &b.Connections},
		{"address-connections", Count, 200, "simultaneous connections of one address; for IPv6, of one /64 network", &b.AddressConns},
		{
			"address-unread", Count, 100, "simultaneous connections of one address with an incomplete request; for a client of a trusted " +
				"proxy, requests", &b.AddressRequests,
		},
		{"refusal-log-every", Period, int64(time.Minute), "time between two log lines about refused connections", &b.RefusalLogEvery},
		{"store-wait", Period, int64(15 * time.Second), "time that wsd init waits for Redis; wsd serve waits without limit", &b.StoreWait},
		{"canary-every", Period, int64(time.Second), "time between two test writes, for /readyz", &b.TestWriteInterval},
		{
			"examine-every", Period, int64(10 * time.Second), "time between two runs of all checks of wsd doctor, for /readyz",
			&b.CheckInterval,
		},
		{
			"disk-reserve", Bytes, 64 << 20, "disk space kept free for a Redis that wsd runs itself; below it writes are refused",
			&b.DiskReserve,
		},
	}
}

// memoryRows returns the rows of what is kept in memory.
func (b *Budgets) memoryRows() []Row {
	return []Row{
		{"models", Bytes, 256 << 20, "memory for the access models of organizations", &b.ModelBytes},
		{"cache-objects", Bytes, 64 << 20, "memory for recently read texts, files and other objects", &b.ObjectBytes},
		{"cache-trees", Bytes, 128 << 20, "memory for recently used page trees of spaces", &b.TreeBytes},
		{"cache-links", Bytes, 128 << 20, "memory for recently used links of spaces", &b.LinkGraphBytes},
		{"cache-places", Bytes, 16 << 20, "memory for the places of comments in changed texts", &b.AnchorBytes},
		{"cache-pdfs", Bytes, 64 << 20, "memory for recently made PDFs", &b.PDFBytes},
		{"cache-specs", Bytes, 32 << 20, "memory for recently shown pages of OpenAPI specifications", &b.SpecPageBytes},
		{"cache-search", Bytes, 64 << 20, "memory for recently used search indexes", &b.SearchTermBytes},
		{"rate-tallies", Count, 100_000, "users, and addresses, that the rate limit counts individually", &b.CountedClients},
	}
}

// workRows returns the rows of work in progress.
func (b *Budgets) workRows() []Row {
	return []Row{
		{"rule-steps", Count, 20_000_000, "steps of a custom merge rule; a step is about one comparison", &b.RuleSteps},
		{"rule-cells", Count, 1_000_000, "list items that a custom merge rule may create", &b.RuleCells},
		{"rule-reviews", Count, 100, "reviews of a change request assumed for the worst case of a custom merge rule", &b.RuleReviews},
		{
			"token-overlap", Period, int64(24 * time.Hour), "longest time for which the old secret of a rotated token stays valid",
			&b.TokenOverlap,
		},
		{"outbox", Bytes, 64 << 20, "new content of an organization that may wait for the replicas of a Redis Cluster", &b.OutboxBytes},
		{
			"replica-wait", Period, int64(2 * time.Second), "time that a change of more than 4 MiB waits for the replicas of a Redis " +
				"Cluster", &b.ReplicaWait,
		},
		{
			"body-bytes", Bytes, 128 << 20, "memory for the bodies of all running requests whose body has more than 1 MiB; half of it " +
				"for one user", &b.LargeBodyBytes,
		},
		{
			"slow-bytes", Bytes, 512 << 20, "memory for all running large work that writes (imports, edits, merges); half of it for one " +
				"organization, within which turns go round by person", &b.SlowBytes,
		},
		{
			"read-bytes", Bytes, 256 << 20, "memory for all running large work that only reads (PDFs, comparisons, documents), which " +
				"does not wait for work that writes; half of it for one organization", &b.ReadBytes,
		},
		{"small-bytes", Bytes, 64 << 20, "memory for all running small work, which does not wait for large work", &b.SmallBytes},
		{"small-work", Bytes, 4 << 20, "size up to which work is small", &b.SmallWorkBytes},
		{
			"download-bytes", Bytes, 256 << 20, "memory for all running downloads of files and PDFs; half of it for one address",
			&b.DownloadBytes,
		},
		{
			"compress-turns", Count, 16, "answers compressed at the same time, with up to 2 MiB of memory each; further ones are " +
				"sent without compression", &b.CompressTurns,
		},
		{
			"turn-wait", Period, int64(10 * time.Second), "time that work or a download waits for memory; then the answer is 503, reason " +
				"busy", &b.TurnWait,
		},
		{
			"job-lease", Period, int64(30 * time.Second), "time after which another node takes over a job or transfer of a node that " +
				"does not report", &b.JobLease,
		},
		{
			"edit-text", Bytes, 4 << 20, "size of all texts and documents in one change of content; a page has at most 1 MiB, and " +
				"imports have no such limit", &b.EditText,
		},
		{
			"spec-fetches", Count, 8, "OpenAPI specifications that a node fetches at the same time: one of an organization and one of a " +
				"user, half for slow sources", &b.SpecFetches,
		},
		{
			"spec-cpu", Period, int64(6 * time.Second), "CPU time of the process that reads an OpenAPI specification or makes its " +
				"pages, in whole seconds", &b.SpecCPU,
		},
		{
			"spec-memory", Bytes, 160 << 20, "memory of the process that reads an OpenAPI specification or makes its pages",
			&b.SpecMemory,
		},
		{"call-time", Period, int64(30 * time.Second), "duration of a request", &b.CallTime},
		{"slow-time", Period, int64(11 * time.Minute), "duration of an import; a website is fetched for ten minutes of it", &b.SlowTime},
		{
			"import-work", Period, int64(3 * time.Minute), "time for reading, converting and merging what an import has fetched; waiting " +
				"for websites and for memory does not count", &b.ImportWork,
		},
	}
}

// streamRows returns the rows of streams of events.
func (b *Budgets) streamRows() []Row {
	return []Row{
		{"user-streams", Count, 4, "streams of events of a user on a node; further ones are answered 503, reason busy", &b.UserStreams},
		{"organization-streams", Count, 500, "streams of events of an organization on a node", &b.OrganizationStreams},
		{"streams", Count, 2_000, "streams of events of a node", &b.Streams},
		{"stream-time", Period, int64(15 * time.Minute), "duration of a stream of events; clients begin the next", &b.StreamTime},
		{"stream-poll", Period, int64(250 * time.Millisecond), "interval at which a node reads new events for its streams", &b.StreamPoll},
		{
			"stream-heartbeat", Period, int64(15 * time.Second), "interval of messages without an event, at which the token is checked",
			&b.StreamHeartbeat,
		},
		{"stream-write", Period, int64(30 * time.Second), "time for a client to take a message of a stream", &b.StreamWrite},
		{"stream-pending", Bytes, 256 << 10, "events that wait for the client of a stream; with more it ends", &b.StreamPending},
	}
}

// dataRows returns the rows of stored data.
func (b *Budgets) dataRows() []Row {
	return []Row{
		{
			"take-back", Period, int64(7 * 24 * time.Hour), "time in which a transfer to another organization can be taken back",
			&b.TakeBackTime,
		},
		{
			"organization-bytes", Bytes, 10 << 30, "storage of an organization: compressed content, records and stored answers; wsd " +
				"quota changes it for one", &b.OrganizationBytes,
		},
		{"organization-records", Count, 2_000_000, "records of an organization; wsd quota changes it for one", &b.OrganizationRecords},
		{
			"quota-change", Bytes, 512, "bytes by which a record may still grow when the quota is used up, so that status, role and " +
				"position can change", &b.QuotaChangeBytes,
		},
		{"user-tokens", Count, 100, "unexpired tokens of a user; wsd quota changes it for one", &b.UserTokens},
		{"user-organizations", Count, 20, "organizations created by a user; wsd quota changes it for one", &b.UserOrganizations},
		{"organization-pending", Count, 200, "specifications of an organization waiting to be fetched", &b.OrganizationSpecs},
		{"user-pending", Count, 200, "specifications waiting to be fetched because one user asked for it", &b.UserSpecs},
		{
			"user-copies", Count, 2, "duplicates and transfers of a user at the same time, on all nodes; further ones wait for turn-wait",
			&b.UserCopies,
		},
		{
			"kept-answer", Bytes, 8 << 10, "size up to which an answer is stored for a repeated request; for larger ones, status and id",
			&b.ReplayedAnswerBytes,
		},
	}
}

// Set sets budgets from a comma-separated list of name=value, the syntax of WSD_BUDGETS and --budget. An error names
// the invalid part, and in that case nothing is changed.
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

// Parse parses a number in the syntax of the configuration.
func (u Unit) Parse(text string) (int64, error) { return u.parse(text) }

// Format formats a number in the syntax of the configuration.
func (u Unit) Format(n int64) string { return u.format(n) }

var sizes = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// parse parses a number of the unit, which must be at least 1.
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
		return 0, fmt.Errorf("%q is not %s", text, map[Unit]string{
			Count: "a number above 0", Bytes: "a size such as 512, 64KiB or 10MiB",
		}[u])
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
