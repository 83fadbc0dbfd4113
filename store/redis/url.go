package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// ParseURL parses the address of a Redis:
//
//	redis://[user:password@]host:port[/db]       rediss:// with TLS
//	unix:///path/to/redis.sock[?db=1]
//	redis+sentinel://[user:password@]host:port,host:port/master[?db=1]
//	redis+cluster://[user:password@]host:port,host:port
//
// rediss+sentinel and rediss+cluster use TLS. Errors never contain the password.
func ParseURL(text string) (*goredis.UniversalOptions, error) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return nil, fmt.Errorf("redis URL: no scheme")
	}
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	if scheme == "unix" {
		authority, path = strings.TrimSuffix(rest, "/"), ""
	}
	options := baseOptions()
	if separator := strings.LastIndexByte(authority, '@'); separator >= 0 && scheme != "unix" {
		if err := applyCredentials(options, authority[:separator]); err != nil {
			return nil, err
		}
		authority = authority[separator+1:]
	}
	options.Addrs = strings.Split(authority, ",")
	if slices.Contains(options.Addrs, "") {
		return nil, fmt.Errorf("redis URL: empty address")
	}
	if err := applyScheme(options, scheme, path); err != nil {
		return nil, err
	}
	if err := applyQuery(options, query); err != nil {
		return nil, err
	}
	return options, nil
}

// applyCredentials parses `user:password`.
func applyCredentials(options *goredis.UniversalOptions, text string) error {
	user, password, _ := strings.Cut(text, ":")
	var err error
	if options.Username, err = url.PathUnescape(user); err == nil {
		options.Password, err = url.PathUnescape(password)
	}
	if err != nil { // err would quote the password
		return errors.New("redis URL: user or password is not properly escaped")
	}
	return nil
}

// applyScheme sets the options implied by the scheme and the path.
func applyScheme(options *goredis.UniversalOptions, scheme, path string) error {
	kind, isTLS := strings.CutPrefix(scheme, "rediss")
	if !isTLS {
		kind = strings.TrimPrefix(scheme, "redis")
	}
	if isTLS {
		options.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	switch kind {
	case "unix":
		return nil
	case "":
		if len(options.Addrs) != 1 {
			return fmt.Errorf("redis URL: several addresses need redis+sentinel or redis+cluster")
		}
		if err := applyDatabase(options, path); err != nil {
			return err
		}
	case "+sentinel":
		if path == "" {
			return fmt.Errorf("redis URL: redis+sentinel needs the master's name as path")
		}
		options.MasterName = path
	case "+cluster":
		if path != "" && path != "0" {
			return fmt.Errorf("redis URL: a cluster has only database 0")
		}
		options.IsClusterMode = true
	default:
		return fmt.Errorf("redis URL: unknown scheme %q", scheme)
	}
	applyDefaultPorts(options)
	return nil
}

// applyDefaultPorts adds the default port to addresses without a port.
func applyDefaultPorts(options *goredis.UniversalOptions) {
	port := ":6379"
	if options.MasterName != "" {
		port = ":26379"
	}
	for i, address := range options.Addrs {
		if !strings.Contains(address, ":") || strings.HasSuffix(address, "]") {
			options.Addrs[i] = address + port
		}
	}
}

// applyQuery parses the parameters. Only db is supported.
func applyQuery(options *goredis.UniversalOptions, query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("redis URL: malformed query")
	}
	for name := range values {
		if name != "db" {
			return fmt.Errorf("redis URL: unknown parameter %q", name)
		}
	}
	if options.IsClusterMode && values.Get("db") != "" && values.Get("db") != "0" {
		return fmt.Errorf("redis URL: a cluster has only database 0")
	}
	return applyDatabase(options, values.Get("db"))
}

func applyDatabase(options *goredis.UniversalOptions, text string) error {
	if text == "" {
		return nil
	}
	db, err := strconv.Atoi(text)
	if err != nil || db < 0 {
		return fmt.Errorf("redis URL: database %q is not a number", text)
	}
	options.DB = db
	return nil
}

// baseOptions returns the client options of every mode. The client repeats commands after a lost connection because
// every write is idempotent. Commits are the only exception (see update.send).
func baseOptions() *goredis.UniversalOptions {
	return &goredis.UniversalOptions{
		ContextTimeoutEnabled: true, // sets the deadline of the context on the socket
		DialTimeout:           time.Second,
		DialerRetries:         1,
		ReadTimeout:           5 * time.Second,
		WriteTimeout:          5 * time.Second,
		MaxRedirects:          8,
		DisableIdentity:       true,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled,
		},
	}
}

// newClient returns the client for the options. It never reads from replicas, which may lack the caller's own writes.
func newClient(options *goredis.UniversalOptions) goredis.UniversalClient {
	goredis.SetLogger(discardLogger{}) // process-wide; the logged errors are also returned
	if !options.IsClusterMode {
		return goredis.NewUniversalClient(options)
	}
	cluster := options.Cluster()
	cluster.ClusterStateReloadInterval = time.Second // with the default of a minute, a failed master would be used for that long
	return goredis.NewClusterClient(cluster)
}

// discardLogger discards the log of the client library.
type discardLogger struct{}

// Printf implements the library's logging interface.
func (discardLogger) Printf(context.Context, string, ...any) {}
