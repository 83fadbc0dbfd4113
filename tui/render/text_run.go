package render

// Run is a piece of a source as it is read, and where it is written there: the bytes between two runs are signs that are not
// read, as those of emphasis and where a link leads. A line that goes on in the next one ends in a run that is a space.
type Run struct {
	From, To int
	Shown    string
	Style    Style
}
