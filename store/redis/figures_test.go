package redis

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFigures checks the figures of the INFO of masters, and those of several masters.
func TestFigures(t *testing.T) {
	t.Parallel()
	master := func(used, limit, replicas, written string, lines ...string) Figures {
		text := "used_memory:" + used + "\r\nmaxmemory:" + limit + "\r\nconnected_slaves:" + replicas + "\r\nmaster_repl_offset:" + written
		return figuresOf(parseInfo(text + "\r\n" + strings.Join(lines, "\r\n")))
	}
	half := master("500", "1000", "2", "90", "slave0:ip=10.0.0.1,port=1,state=online,offset=90,lag=0",
		"slave1:ip=10.0.0.2,port=1,state=online,offset=60,lag=3")
	full := master("90", "100", "0", "7")
	unlimited, largest := master("5000", "0", "1", "5", "slave0:state=wait_bgsave"), master("9000", "0", "1", "5")
	for what, got := range map[string][2]Figures{
		"replicas":          {half, {500, 1000, 2, 30}},
		"none":              {full, {90, 100, 0, 0}},
		"no offset":         {unlimited, {5000, 0, 1, 0}},
		"the fullest":       {half.with(full), {90, 100, 0, 30}},
		"the fullest first": {full.with(half), {90, 100, 0, 30}},
		"without limits":    {unlimited.with(largest), {9000, 0, 1, 0}},
		"the first":         {unknownFigures.with(half), half},
		"INFO without them": {figuresOf(nil), unknownFigures},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %+v, want %+v", what, got[0], got[1])
		}
	}
}

// TestCheckNamesAreComplete checks that CheckNames has the names of all checks of this package.
func TestCheckNamesAreComplete(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls, found := regexp.MustCompile(`(?:Check|temporaryRefusal)\("([a-z]+)"`), map[string]bool{}
	for _, check := range replyChecks {
		found[check.name] = true
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls.FindAllStringSubmatch(string(text), -1) {
			found[call[1]] = true
		}
	}
	for name := range found {
		if !slices.Contains(CheckNames, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range CheckNames {
		if !found[name] {
			t.Errorf("no check is named %s", name)
		}
	}
}
