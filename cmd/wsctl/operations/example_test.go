package operations_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

var (
	exampleWord     = regexp.MustCompile(`'[^']*'|[^ ]+`)
	exampleName     = regexp.MustCompile(`^-.*|^https:.*|[^:#]+|[:#]`)
	exampleVariable = regexp.MustCompile(`\$[A-Z0-9_]+`)
)

// TestExamplesIncludeRequiredMembers checks that the examples include every required member, except those read from files.
func TestExamplesIncludeRequiredMembers(t *testing.T) {
	t.Parallel()
	shown := newHarness(t, nil)
	root := newRoot(app.New(shown.Environment(nil, nil)))
	compiler := api.NewCompiler()
	tried := 0
	for _, row := range api.Rows() {
		cmd, _, err := root.Find([]string{row.Resource(), row.Verb()})
		if err != nil || !row.Writes() || cmd.Name() != row.Verb() {
			continue
		}
		body := compiler.Input(row).Body
		line, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
		if body == nil || strings.Contains(line, ".json") {
			continue
		}
		args := exampleArgs(line)
		for i, word := range args {
			args[i] = exampleVariable.ReplaceAllStringFunc(strings.ReplaceAll(word, "$BEFORE", beforeID(row)), exampleID)
			if strings.HasSuffix(args[i], ".md") {
				args[i] = filepath.Join(t.TempDir(), args[i])
				if err := os.WriteFile(args[i], []byte("Text.\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		h := newHarness(t, nil)
		h.Env["WSCTL_ORG"] = "o_1"
		got := h.Run(append(args, "--no-input")...)
		at := slices.IndexFunc(h.Requests(), func(r string) bool { return strings.HasPrefix(r, row.Method+" ") })
		if at < 0 {
			t.Errorf("%s: nothing is sent: %s", line, got.Stderr)
			continue
		}
		_, sent, _ := strings.Cut(h.Requests()[at], " {")
		if wrong := missingMembers(row, body, "{"+sent); len(wrong) > 0 {
			t.Errorf("%s: sends {%s: %v", line, sent, wrong)
		}
		tried++
	}
	if tried < 50 {
		t.Errorf("%d examples tried", tried)
	}
}

// exampleID returns an id for a shell variable of an example.
func exampleID(variable string) string {
	prefixes := map[string]string{
		"$SPACE": "s", "$COLLECTION": "l", "$SITE": "site", "$TEAM": "tm", "$USER": "u", "$PAGE": "p", "$ORG": "o",
		"$TO_ORG": "o", "$ORGANIZATION": "o", "$SAML_PROVIDER": "idp", "$OIDC_PROVIDER": "oidc", "$SHARE_LINK": "link",
		"$SITE_SECTION_GROUP": "grp",
		"$SITE_SECTION":       "sec", "$SITE_SPACE": "ssp", "$TOKEN": "t", "$TRANSLATION": "tr", "$REVISION": "r",
		"$FILE": "f", "$INVITE": "i", "$TRANSFER": "tf", "$SERVICE_ACCOUNT": "u",
	}
	switch variable {
	case "$SPEC":
		return "petstore"
	case "$CHANGE_REQUEST":
		return "1"
	}
	return cmp.Or(prefixes[variable], "x") + "_1"
}

// exampleArgs returns the arguments of an example with a shell variable in the place of each name, such as $SPACE:$PAGE.
func exampleArgs(line string) []string {
	var args []string
	for _, word := range exampleWord.FindAllString(line, -1)[1:] {
		word = strings.ReplaceAll(word, "'", "")
		switch in, revision, _ := strings.Cut(word, "@"); {
		case len(args) > 1 && strings.HasSuffix(args[1], "-by-path") && word == resolve.Example("page"):
		case "@"+revision != resolve.Example("revision"):
			word = nameVariables(word)
		case in == "":
			word = "$REVISION"
		default:
			word = "$REVISION"
			args = append(args, "--space", nameVariables(in))
		}
		args = append(args, word)
	}
	return args
}

// nameVariables replaces the names in a word of an example by shell variables.
func nameVariables(word string) string {
	variables := map[string]string{"inside": "$COLLECTION", "2": "$CHANGE_REQUEST"}
	for _, subject := range []string{
		"organization", "space", "collection", "page", "file", "user", "team", "site", "siteSection", "siteSectionGroup", "siteSpace",
		"shareLink", "translation", "invite", "token", "samlProvider", "oidcProvider", "serviceAccount", "transfer", "spec",
	} {
		variables[resolve.Example(subject)] = "$" + strings.ToUpper(strings.ReplaceAll(app.Kebab(subject), "-", "_"))
	}
	parts := exampleName.FindAllString(word, -1)
	for i, part := range parts {
		parts[i] = cmp.Or(variables[part], part)
	}
	return strings.Join(parts, "")
}

// TestExamplesGiveNoAdminRole checks that no example gives somebody more than the least role.
func TestExamplesGiveNoAdminRole(t *testing.T) {
	t.Parallel()
	root := newRoot(app.New(newHarness(t, nil).Environment(nil, nil)))
	roles := 0
	for _, row := range api.Rows() {
		cmd, _, err := root.Find([]string{row.Resource(), row.Verb()})
		if err != nil {
			continue
		}
		for _, given := range regexp.MustCompile(`--(?:role|level|default-level) (\S+)`).FindAllStringSubmatch(cmd.Example, -1) {
			if roles++; given[1] != string(api.RoleRead) && given[1] != string(api.TeamMember) {
				t.Errorf("%s: %s", row.Name, given[0])
			}
		}
	}
	if roles < 3 {
		t.Errorf("%d examples with a role", roles)
	}
}

// missingMembers returns the required members that a body lacks.
func missingMembers(row api.Row, schema *api.Schema, sent string) (missing []string) {
	add := func(fields []api.FieldError) {
		for _, f := range fields {
			if strings.Contains(f.Message, "required") {
				missing = append(missing, f.Path+" "+f.Message)
			}
		}
	}
	if _, err := api.Check([]byte(sent), schema, api.DefaultLimits(), nil, nil); err != nil {
		if e, ok := api.AsError(err); ok {
			add(e.Fields)
		}
		return missing
	}
	f, _ := row.In.FieldByName("Body")
	body := reflect.New(f.Type)
	if err := json.Unmarshal([]byte(sent), body.Interface()); err != nil {
		return []string{fmt.Sprint(err)}
	}
	if v, ok := reflect.TypeAssert[interface{ Validate() []api.FieldError }](body.Elem()); ok {
		add(v.Validate())
	}
	return missing
}
