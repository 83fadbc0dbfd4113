package redis_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store/redis"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	type want struct {
		Addrs          []string
		User, Password string
		Master         string
		DB             int
		Cluster, TLS   bool
	}
	cases := map[string]want{
		"redis://localhost":                   {Addrs: []string{"localhost:6379"}},
		"redis://user:p%40ss@10.0.0.1:7000/3": {Addrs: []string{"10.0.0.1:7000"}, User: "user", Password: "p@ss", DB: 3},
		"redis://:p@ss@h:1":                   {Addrs: []string{"h:1"}, Password: "p@ss"},
		"redis://[::1]/2":                     {Addrs: []string{"[::1]:6379"}, DB: 2},
		"redis://[::1]:7":                     {Addrs: []string{"[::1]:7"}},
		"rediss://h":                          {Addrs: []string{"h:6379"}, TLS: true},
		"unix:///run/redis.sock":              {Addrs: []string{"/run/redis.sock"}},
		"unix:///run/a@b/redis.sock?db=2":     {Addrs: []string{"/run/a@b/redis.sock"}, DB: 2},
		"redis+sentinel://a,b:1/main?db=1":    {Addrs: []string{"a:26379", "b:1"}, Master: "main", DB: 1},
		"rediss+cluster://u:x@a:1,b:2,c": {
			Addrs: []string{"a:1", "b:2", "c:6379"}, User: "u", Password: "x", Cluster: true, TLS: true,
		},
		"redis+cluster://a": {Addrs: []string{"a:6379"}, Cluster: true},
		"redis+sentinel://:secret@s1:26379,s2:26379/mymas": {Addrs: []string{"s1:26379", "s2:26379"}, Password: "secret", Master: "mymas"},
	}
	for text, expected := range cases {
		options, err := redis.ParseURL(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := want{
			options.Addrs, options.Username, options.Password, options.MasterName, options.DB, options.IsClusterMode,
			options.TLSConfig != nil,
		}
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if !options.ContextTimeoutEnabled || options.ReadOnly || options.RouteByLatency || options.RouteRandomly {
			t.Errorf("%s: a deadline does not count, or replicas are read", text)
		}
	}
	for _, text := range []string{
		"", "localhost:6379", "http://:hunter2@h", "redis://", "redis://a,b", "redis://:hunter2@h/x", "redis://:hunter2@h/-1",
		"redis://h?x=1",
		"redis+sentinel://:hunter2@a", "redis+cluster://a/1", "redis+cluster://a?db=1", "redis+cluster://a,,b", "redis://:hunter2%zz@h",
		"redis+foo://a",
		"redis://h?%zz", "unix://",
	} {
		options, err := redis.ParseURL(text)
		if err == nil {
			t.Errorf("%q means %v", text, options.Addrs)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error for %q contains the password: %v", text, err)
		}
	}
}
