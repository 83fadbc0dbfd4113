package apidoc_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestChangesSinceReleaseAreInChangelog compares the document with that of the newest version in the changelog. A change that breaks
// clients must stand in the section of unreleased changes, literally.
func TestChangesSinceReleaseAreInChangelog(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, changes, _ := strings.Cut(string(data), "## Unreleased\n")
	changes, _, _ = strings.Cut(changes, "\n## ")
	changes = strings.Join(strings.Fields(changes), " ")
	version := regexp.MustCompile(`(?m)^## (\d\S*)`).FindStringSubmatch(string(data))
	if version == nil {
		t.Fatal("the changelog has no version")
	}
	before := readReleased(t, version[1])
	after := servertest.NewWorld(t, storetest.Memory()).Schema
	if len(object(before, "paths")) < 100 {
		t.Fatal("the released document has no paths")
	}
	for _, change := range breakingChanges(before, after) {
		if !strings.Contains(changes, "`"+change+"`") {
			t.Errorf("breaks clients of %s and is not in the changelog: `%s`", version[1], change)
		}
	}
}

// readReleased reads the document of a released version, which must be the only one.
func readReleased(t *testing.T, version string) map[string]any {
	t.Helper()
	files, err := filepath.Glob("testdata/released/*.json.gz")
	want := filepath.Join("testdata", "released", version+".json.gz")
	if err != nil || len(files) != 1 || files[0] != want {
		t.Fatalf("released documents: %v, %v; want %s: see CONTRIBUTING.md, Add a field", files, err, want)
	}
	data, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.NewDecoder(reader).Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document
}

// TestBreakingChangesAreFound plants changes in a document and expects those that break clients, with the words of the changelog.
func TestBreakingChangesAreFound(t *testing.T) {
	t.Parallel()
	const space, answer = `{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"count":{"type":"integer"},` +
		`"state":{"type":"string","x-extensible-enum":["a","b"]},"kind":{"type":"string","enum":["x","y"]},` +
		`"note":{"anyOf":[{"$ref":"#/components/schemas/Note"},{"type":"null"}]},"all":{"type":"array","items":{"type":"string"}}}}`,
		`{"oneOf":[{"$ref":"#/components/schemas/Space"},{"type":"object","properties":{"object":{"type":"string","enum":["other"]}}}]}`
	const document = `{"paths":{"/a":{"post":{"operationId":"makeA","security":[{}],` +
		`"parameters":[{"in":"header","name":"If-Match","schema":{"type":"string"}},` +
		`{"in":"query","name":"q","schema":{"type":"string","maxLength":9}},{"$ref":"#/components/parameters/Limit"}],` +
		`"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Input"}},"text/csv":{}}},` +
		`"responses":{"200":{"content":{"application/json":{"schema":` + answer + `}}},"400":{}}}}},` +
		`"components":{"parameters":{"Limit":{"in":"query","name":"limit","schema":{"type":"integer","maximum":100}}},` +
		`"schemas":{"Space":` + space + `,"Note":{"type":"object","properties":{"text":{"type":"string"}}},` +
		`"Input":{"type":"object","required":["title"],"additionalProperties":false,"properties":{"title":{"type":"string"},` +
		`"level":{"type":["string","null"],"enum":["low","high",null]},"tags":{"type":"array","items":{"type":"string"}},` +
		`"rate":{"type":"number"},"free":{"type":"object","properties":{"name":{"type":"string"}}}}}}}}`
	for _, c := range []struct{ from, to, want string }{
		{`"/a"`, `"/b"`, "makeA post /a was removed"},
		{`makeA`, `createA`, "makeA operationId is createA"},
		{`"name":"q"`, `"name":"query"`, "makeA query q was removed"},
		{`"name":"q",`, `"name":"q","required":true,`, "makeA query q is required"},
		{`"name":"If-Match"`, `"name":"If-Changed"`, ""},
		{`"maxLength":9`, `"maxLength":8`, "makeA query q has maxLength 8"},
		{`"maxLength":9`, `"maxLength":10`, ""},
		{`"maximum":100`, `"maximum":50`, "makeA query limit has maximum 50"},
		{`"requestBody":{`, `"requestBody":{"required":true,`, "makeA body is required"},
		{`,"text/csv":{}`, ``, "makeA body is no longer text/csv"},
		{`"required":["title"]`, `"required":["title","level"]`, "makeA body.level is required"},
		{`"required":["title"]`, `"required":[]`, ""},
		{`"tags"`, `"labels"`, "makeA body.tags was removed"},
		{`"low","high",null`, `"low",null`, "makeA body.level does not accept high"},
		{`"low","high",null`, `"low","high","higher",null`, ""},
		{`"type":["string","null"]`, `"type":["string"]`, "makeA body.level does not accept null"},
		{
			`"type":["string","null"],"enum":["low","high",null]`, `"type":"string","enum":["low","high"]`,
			"makeA body.level does not accept null",
		},
		{
			`"tags":{"type":"array","items":{"type":"string"`, `"tags":{"type":"array","items":{"type":"integer"`,
			"makeA body.tags[] is not string as it was",
		},
		{`"tags":{"type":"array",`, `"tags":{"type":"array","uniqueItems":true,`, "makeA body.tags does not accept equal items"},
		{`"rate":{"type":"number"}`, `"rate":{"type":"integer"}`, "makeA body.rate does not accept fractions"},
		{`"rate":{"type":"number"}`, `"rate":{"type":"number","minimum":0}`, "makeA body.rate has minimum 0"},
		{
			`"free":{"type":"object",`, `"free":{"type":"object","additionalProperties":false,`,
			"makeA body.free does not accept further members",
		},
		{`"security":[{}],`, ``, "makeA security needs a token"},
		{`"200":`, `"201":`, "makeA 200 was removed"},
		{`"400":{}`, `"404":{}`, ""},
		{`"required":["id"]`, `"required":[]`, "makeA 200.id may be absent"},
		{`"count":{"type":"integer"}`, `"count":{"type":"string"}`, "makeA 200.count is not string as it was"},
		{`"count":{"type":"integer"}`, `"count":{"type":"number"}`, "makeA 200.count may be a fraction"},
		{`"count":{"type":"integer"}`, `"count":{"type":["integer","null"]}`, "makeA 200.count may be null"},
		{`"count":{"type":"integer"}`, `"count":{"type":"integer"},"more":{"type":"string"}`, ""},
		{`"count":{"type":"integer"},`, ``, "makeA 200.count was removed"},
		{`"x-extensible-enum":["a","b"]`, `"x-extensible-enum":["a","b","c"]`, ""},
		{`"enum":["x","y"]`, `"enum":["x","y","z"]`, "makeA 200.kind may be z"},
		{`"enum":["x","y"]`, `"enum":["x"]`, ""},
		{`"text":{"type":"string"}`, `"text":{"type":"boolean"}`, "makeA 200.note.text is not boolean as it was"},
		{
			`"all":{"type":"array","items":{"type":"string"`, `"all":{"type":"array","items":{"type":["string","null"]`,
			"makeA 200.all[] may be null",
		},
		{`"enum":["other"]`, `"enum":["another"]`, "makeA 200 is not object another as it was"},
	} {
		if strings.Count(document, c.from) != 1 {
			t.Fatalf("%s stands %d times in the document", c.from, strings.Count(document, c.from))
		}
		var before, after map[string]any
		for text, target := range map[string]*map[string]any{
			document: &before, strings.Replace(document, c.from, c.to, 1): &after,
		} {
			if err := json.Unmarshal([]byte(text), target); err != nil {
				t.Fatalf("%s: %v", c.to, err)
			}
		}
		servertest.Equal(t, c.from+" -> "+c.to, c.want, strings.Join(breakingChanges(before, after), "; "))
	}
}
