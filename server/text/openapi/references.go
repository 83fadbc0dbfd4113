package openapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/oasdiff/yaml"
)

// Limits of the references of all documents together. The library resolves a reference by going through the whole of
// its target, and through all references to references up to it.
const (
	MaxReferences = 100_000
	MaxChain      = 100       // references that lead to each other without anything else
	MaxEdges      = 3_000_000 // for each reference, the length of its chain and the objects in its target
)

// referenceCounter counts the references of documents.
type referenceCounter struct{ references, edges int }

// add counts the references of a document in JSON or YAML. It returns an error if a limit is exceeded. What is neither is
// left to the library.
func (c *referenceCounter) add(data []byte) error {
	if !json.Valid(data) {
		converted, err := yaml.YAMLToJSON(data)
		if err != nil {
			return nil
		}
		data = converted
	}
	var root any
	if err := json.Unmarshal(data, &root); err != nil {
		return nil
	}
	d := &referenceWalk{counter: c, root: root, targets: map[string]target{}}
	return d.walk(root)
}

// referenceWalk counts the references of one document.
type referenceWalk struct {
	counter *referenceCounter
	root    any
	targets map[string]target // by reference
}

// target is the value that a reference leads to.
type target struct {
	chain int // references up to a value that is none
	size  int // objects in it
}

// walk counts the references in a value.
func (d *referenceWalk) walk(value any) error {
	switch v := value.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			if err := d.count(ref); err != nil {
				return err
			}
		}
		for _, member := range v {
			if err := d.walk(member); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := d.walk(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// count counts one reference.
func (d *referenceWalk) count(ref string) error {
	if d.counter.references++; d.counter.references > MaxReferences {
		return invalidf("it has more than %d references", MaxReferences)
	}
	t, err := d.follow(ref)
	if err != nil {
		return err
	}
	if d.counter.edges += t.chain + t.size; d.counter.edges > MaxEdges {
		return invalidf("its references lead to more than %d objects, with each object counted once for each reference", MaxEdges)
	}
	return nil
}

// follow returns the target of a reference. One that leads out of the document, or nowhere, has no target.
func (d *referenceWalk) follow(ref string) (target, error) {
	var refs []string // from ref on, each leads to the next
	at, known := ref, false
	var t target
	for {
		if t, known = d.targets[at]; known {
			break
		}
		value, ok := d.find(at)
		if !ok {
			break
		}
		if refs = append(refs, at); len(refs) > MaxChain {
			break
		}
		next, isReference := referenceIn(value)
		if !isReference {
			t = target{size: countObjects(value)}
			break
		}
		at = next
	}
	if t.chain+len(refs) > MaxChain {
		return t, invalidf("%q is the first of more than %d references that lead to each other, or they lead in a circle", ref, MaxChain)
	}
	for _, ref := range slices.Backward(refs) {
		t.chain++
		d.targets[ref] = t
	}
	return t, nil
}

// referenceIn returns the reference that a value consists of.
func referenceIn(value any) (string, bool) {
	object, ok := value.(map[string]any)
	if !ok {
		return "", false
	}
	ref, ok := object["$ref"].(string)
	return ref, ok
}

// countObjects returns the number of objects in a value.
func countObjects(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		n++
		for _, member := range v {
			n += countObjects(member)
		}
	case []any:
		for _, element := range v {
			n += countObjects(element)
		}
	}
	return n
}

// find returns the value at a reference within the document.
func (d *referenceWalk) find(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	at := d.root
	for part := range strings.SplitSeq(pointer, "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			if at, ok = v[part]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}
