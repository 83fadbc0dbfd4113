package render

// Run is a part of a Markdown source with its rendered text and its position in the source. Bytes between two runs
// are syntax that is not shown, such as emphasis and link targets. A soft line break is a run with a single space.
type Run struct {
	From, To int
	Shown    string
	Style    Style
}
