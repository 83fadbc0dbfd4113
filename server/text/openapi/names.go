package openapi

import (
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// names assigns unique names to components of referenced documents. The library's own namer does not terminate for
// documents outside of the first one's directory.
type names struct {
	taken    map[string]bool
	assigned map[string]string // by address and collection
}

var invalidNameChars = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func newNames(document *openapi3.T) *names {
	n := &names{taken: map[string]bool{}, assigned: map[string]string{}}
	var components map[string]map[string]json.RawMessage
	data, err := json.Marshal(document.Components)
	if err != nil || json.Unmarshal(data, &components) != nil {
		return n
	}
	for _, collection := range components {
		for name := range collection {
			n.taken[name] = true
		}
	}
	return n
}

// of implements openapi3.RefNameResolver.
func (n *names) resolveName(document *openapi3.T, ref openapi3.ComponentRef) string {
	if inRoot, found := openapi3.ReferencesComponentInRootDocument(document, ref); found {
		return path.Base(inRoot)
	}
	address := ref.RefPath()
	if address == nil {
		address = &url.URL{Fragment: ref.RefString()}
	}
	address.Fragment = strings.TrimPrefix(address.Fragment, "#") // the library sometimes writes # twice
	address.Fragment = strings.TrimPrefix(address.Fragment, "#") // or three times
	key := ref.CollectionName() + " " + address.String()
	name, known := n.assigned[key]
	if !known {
		name = n.freeName(address)
		n.assigned[key], n.taken[name] = name, true
	}
	return name
}

// freeName returns an unused name derived from the address of a document and the fragment in it.
func (n *names) freeName(address *url.URL) string {
	file := path.Base(address.Path)
	name := strings.TrimSuffix(file, path.Ext(file))
	if address.Fragment != "" {
		name += "_" + path.Base(address.Fragment)
	}
	name = strings.Trim(invalidNameChars.ReplaceAllString(name, "_"), "_.")
	if name == "" {
		name = "external"
	}
	free := name
	for i := 2; n.taken[free]; i++ {
		free = name + "_" + strconv.Itoa(i)
	}
	return free
}
