package operations

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// encodeUTF16 encodes text in UTF-16 with the given byte order.
func encodeUTF16(order binary.AppendByteOrder, text string) string {
	var data []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return string(data)
}

func TestParseDocument(t *testing.T) {
	t.Parallel()
	const refused = "refused: "
	for name, test := range map[string]struct{ text, want string }{
		"JSON as it is":        {`{"title": "A", "n": 1.0}`, `{"title": "A", "n": 1.0}`},
		"YAML":                 {"title: A\nlist:\n  - 1\n  - x: <b>\n", `{"title":"A","list":[1,{"x":"<b>"}]}`},
		"flow":                 {"{title: A, list: [1, b]}", `{"title":"A","list":[1,"b"]}`},
		"trailing comma":       {`{"title": "A",}`, `{"title":"A"}`},
		"dates stay text":      {"at: 2026-11-01\non: 2026-11-01T10:00:00Z", `{"at":"2026-11-01","on":"2026-11-01T10:00:00Z"}`},
		"words stay text":      {"a: no\nb: yes\nc: on\nd: off\ne: y", `{"a":"no","b":"yes","c":"on","d":"off","e":"y"}`},
		"literals":             {"a: true\nb: False\nc: null\nd: ~\ne:\nf: ''", `{"a":true,"b":false,"c":null,"d":null,"e":null,"f":""}`},
		"numbers of JSON only": {"a: 007\nb: 0x1F\nc: 1_000\nd: .inf\ne: -1.5e3\nf: +1\ng: 12:30", `{"a":"007","b":"0x1F","c":"1_000","d":".inf","e":-1.5e3,"f":"+1","g":"12:30"}`},
		"quotes make text":     {"a: \"5\"\nb: 'true'\nc: !!str 5\nd: |\n  x\n  y\n", `{"a":"5","b":"true","c":"5","d":"x\ny\n"}`},
		"keys are text":        {"1: a\ntrue: b", `{"1":"a","true":"b"}`},
		"anchors":              {"a: &x {k: 1}\nb: *x", `{"a":{"k":1},"b":{"k":1}}`},
		"byte order mark":      {"\ufefftitle: A", `{"title":"A"}`},
		"mark before JSON":     {"\ufeff{\"a\":1}", `{"a":1}`},
		"UTF-16 little":        {encodeUTF16(binary.LittleEndian, "\ufefftitle: Ä🚀"), `{"title":"Ä🚀"}`},
		"UTF-16 big":           {encodeUTF16(binary.BigEndian, "\ufeff{\"a\": \"\ufffd\"}"), "{\"a\": \"\ufffd\"}"},
		"UTF-16 without mark":  {encodeUTF16(binary.LittleEndian, `{"a":1}`), `{"a":1}`},
		"UTF-16 big, no mark":  {encodeUTF16(binary.BigEndian, `{"a":1}`), `{"a":1}`},
		"half a unit":          {"\xff\xfea", refused + "f is cut off"},
		"half a pair":          {"\xff\xfea\x00\x00\xd8", refused + "half of a pair"},
		"not UTF-8":            {"a: 1\nb: \xff", refused + "f:2: is not UTF-8"},
		"empty":                {" \n", refused + "f is empty"},
		"only a comment":       {"# nothing", refused + "f is not YAML"},
		"no fields":            {"Hello world", refused + "f has no fields"},
		"twice in JSON":        {"{\"a\": {\n\"b\": 1,\n \"b\": 2}}", refused + "f:3: a.b is given twice, first in line 2"},
		"twice in a list":      {"{\"a\": [{\"b\": 1,\n\"b\": 2}]}", refused + "f:2: a[0].b is given twice, first in line 1"},
		"twice in YAML":        {"a: 1\nb:\n  c: 1\n  c: 2", refused + "f:4: b.c is given twice, first in line 3"},
		"twice, quoted":        {"a: 1\n'a': 2", refused + "f:2: a is given twice, first in line 1"},
		"broken JSON":          {"{\"a\": 1,\n \"b\": }]", refused + "f:2: is not JSON"},
		"broken YAML":          {"a: 1\n b: 2", refused + "f:2: is not YAML: mapping values"},
		"two documents":        {"a: 1\n---\nb: 2", refused + "f:2: has a second document"},
		"broken second":        {"a: 1\n---\nb: [", refused + "is not YAML"},
		"a tag":                {"a: !!binary aGk=", refused + "f:1: a: the tag !!binary is not taken"},
		"a merge key":          {"a: &x {k: 1}\nb:\n  <<: *x", refused + "f:3: a key is a word"},
		"a list as a key":      {"[a]: 1", refused + "f:1: a key is a word"},
		"an alias to itself":   {"a: &x\n  b: *x", refused + "is too deep"},
		"many aliases":         {"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + referringAnchors("abcdefg"), refused + "repeats too much"},
	} {
		d, err := parseDocument([]byte(test.text), "f")
		got := string(d.json)
		if err != nil {
			got = refused + err.Error()
		}
		want, isPart := strings.CutPrefix(test.want, refused)
		if isPart && (err == nil || !strings.Contains(got, want)) || !isPart && got != test.want {
			t.Errorf("%s: %s; want %s", name, got, test.want)
		}
	}
}

// referringAnchors returns anchors of which each refers ten times to the one before.
func referringAnchors(names string) string {
	var b strings.Builder
	for i := 1; i < len(names); i++ {
		before := "*" + names[i-1:i]
		b.WriteString(names[i:i+1] + ": &" + names[i:i+1] + " [" + before + strings.Repeat(","+before, 9) + "]\n")
	}
	return b.String()
}

func TestDocumentLines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"title: A\nlist:\n  - x: 1\n    y: 2\n", "{\"title\": \"A\",\n\n\"list\": [{\n\"y\": 2}]}"} {
		d, err := parseDocument([]byte(text), "f")
		if err != nil || d.lines["title"] != 1 || d.lines["list[0].y"] != 4 {
			t.Errorf("%q: %v %v", text, d.lines, err)
		}
	}
}
