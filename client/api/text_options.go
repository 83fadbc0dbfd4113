package api

// TextOptions are the query parameters of operations that show a text: what is put in its place there. Conditions on
// visitors stay as they are, as nobody is one here.
type TextOptions struct {
	Evaluated    Evaluation    `query:"evaluated" default:"false" doc:"true replaces variables and includes in the text that is answered; deterministic-only replaces the variables alone."`
	Dereferenced Dereferencing `query:"dereferenced" default:"false" doc:"true or reusable-contents replaces the includes in the text that is answered, and leaves the variables in it."`
}

// Evaluation says which expressions of a text are replaced by what they stand for.
type Evaluation string

// The evaluations.
const (
	EvaluateNothing   Evaluation = "false"
	EvaluateAll       Evaluation = "true"
	EvaluateVariables Evaluation = "deterministic-only"
)

// Values returns the evaluations.
func (Evaluation) Values() []Evaluation {
	return []Evaluation{EvaluateNothing, EvaluateAll, EvaluateVariables}
}

// Dereferencing says which references of a text are replaced by what they name. Reusable contents are all that can be
// replaced.
type Dereferencing string

// The ways.
const (
	DereferenceNothing   Dereferencing = "false"
	DereferenceAll       Dereferencing = "true"
	DereferenceReusables Dereferencing = "reusable-contents"
)

// Values returns the ways.
func (Dereferencing) Values() []Dereferencing {
	return []Dereferencing{DereferenceNothing, DereferenceAll, DereferenceReusables}
}

// Variables reports whether variables are replaced.
func (o TextOptions) Variables() bool { return o.Evaluated != "" && o.Evaluated != EvaluateNothing }

// Includes reports whether reusable contents stand where they are included.
func (o TextOptions) Includes() bool {
	return o.Evaluated == EvaluateAll || o.Dereferenced != "" && o.Dereferenced != DereferenceNothing
}

// MarkdownRefs is how links are written in Markdown.
type MarkdownRefs string

// The ways: as they are stored, or by the ids of what they lead to: /pages/ID, /pages/ID#anchor, /spaces/ID/pages/ID,
// /files/ID, /openapi/SLUG.
const (
	RefsRelative MarkdownRefs = "relative"
	RefsStable   MarkdownRefs = "stable"
)

// Values returns the ways.
func (MarkdownRefs) Values() []MarkdownRefs { return []MarkdownRefs{RefsRelative, RefsStable} }
