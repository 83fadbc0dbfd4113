package server_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

const monitoring = "../docs/monitoring"

// metricNames returns the names of all metrics of wsd in the source, used or not.
func metricNames(t *testing.T) map[string]bool {
	t.Helper()
	literal, names := regexp.MustCompile(`"(wsd_[a-z_]+)"`), map[string]bool{}
	for _, pattern := range []string{"metrics*.go", "web/metrics/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range literal.FindAllStringSubmatch(readFile(t, file), -1) {
				names[m[1]] = true
			}
		}
	}
	return names
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rule is an alert rule of Prometheus.
type rule struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations map[string]string
}

// alertRules returns the rules of alerts.yaml.
func alertRules(t *testing.T) (rules []rule) {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal([]byte(readFile(t, monitoring+"/alerts.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		rules = append(rules, group.Rules...)
	}
	return rules
}

// dashboardQueries returns the queries of all panels of dashboard.json.
func dashboardQueries(t *testing.T) (queries []string) {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal([]byte(readFile(t, monitoring+"/dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries = append(queries, target.Expr)
		}
	}
	return queries
}

// TestDocsOfMetrics checks that each metric is described in docs/monitoring.md and shown in the dashboard, that the dashboard and the
// alert rules use metrics that exist, and that each alert is described.
func TestDocsOfMetrics(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	measure(w)
	w.Send("admin", "GET", "/v1/user", nil)
	_, families := scrape(w)
	page, names := readFile(t, monitoring+".md"), metricNames(t)
	known := maps.Clone(names)
	for name := range families {
		if strings.HasPrefix(name, "wsd_") && !names[name] {
			t.Errorf("%s is exposed and not in the source", name)
		}
		known[name] = true
	}
	queries := dashboardQueries(t)
	for name := range names {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("%s is not described", name)
		}
		if !slices.ContainsFunc(queries, func(query string) bool { return strings.Contains(query, name) }) {
			t.Errorf("%s is not in the dashboard", name)
		}
	}
	for _, m := range regexp.MustCompile("\\| `(wsd_[a-z_]+)` \\|").FindAllStringSubmatch(page, -1) {
		if !names[m[1]] {
			t.Errorf("%s is described and does not exist", m[1])
		}
	}
	for _, r := range alertRules(t) {
		queries = append(queries, r.Expr)
		if !strings.Contains(page, "| `"+r.Alert+"` |") || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
			t.Errorf("the alert %s is not described, or lacks something: %+v", r.Alert, r)
		}
	}
	used := regexp.MustCompile(`\b(?:wsd|go|process)_[a-z_]+`)
	for _, query := range queries {
		found := used.FindAllString(query, -1)
		for _, name := range found {
			family := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			if !known[name] && !known[family] {
				t.Errorf("%s does not exist: %s", name, query)
			}
		}
		if len(found) == 0 && query != `up{job="wsd"} == 0` {
			t.Errorf("no metric in %q", query)
		}
	}
}
