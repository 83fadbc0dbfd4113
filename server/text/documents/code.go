package documents

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"docspace.dev/wsd/client/api"
)

// codeMembers maps the members of a code block's data that a surrounding tag or the info string may set to their types,
// as in TagMembers.
var codeMembers = map[string]string{"title": "s", "overflow": "s", "lineNumbers": "b", "fullWidth": "b"}

// codeData returns the data in the opening fence of a code block.
func codeData(n *ast.FencedCodeBlock, source []byte) map[string]any {
	data := map[string]any{}
	if n.Info == nil {
		return data
	}
	parseCodeTag(data, n.Info.Value(source))
	if language := n.Language(source); len(language) > 0 {
		data["syntax"] = unescape(language)
	}
	return data
}

func parseCodeTag(data map[string]any, line []byte) {
	said := tagAttributes(line)
	for name, typ := range codeMembers {
		if value, given := said[name]; given && (name != "overflow" || value == "scroll" || value == "wrap") {
			data[name] = typedValue(typ, value)
		}
	}
	if syntax, given := said["syntax"]; given {
		data["syntax"] = syntax
	}
}

// applyCodeTag sets the data of a code block, including its highlighted lines, from the tag around it.
func applyCodeTag(n *api.DocumentNode, line []byte) {
	parseCodeTag(n.Data, line)
	for span := range strings.SplitSeq(tagAttributes(line)["highlight"], ",") {
		from, to, isSpan := strings.Cut(span, "-")
		first, err := strconv.Atoi(from)
		last := first
		if isSpan {
			last, _ = strconv.Atoi(to)
		}
		for i := first; err == nil && i <= min(last, len(n.Nodes)); i++ {
			if i > 0 {
				n.Nodes[i-1].Data["highlighted"] = true
			}
		}
	}
}
