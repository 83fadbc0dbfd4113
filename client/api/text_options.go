package api

// TextOptions are the query parameters of operations that return a text: which expressions are expanded. Visitor
// conditions are not evaluated, because the caller is not a visitor.
type TextOptions struct {
	Evaluated    Evaluation    `query:"evaluated" default:"false" doc:"true replaces variables and includes in the text that is answered; deterministic-only replaces the variables alone."`
	Dereferenced Dereferencing `query:"dereferenced" default:"false" doc:"true or reusable-contents replaces the includes in the text that is answered, and leaves the variables in it."`
}

// Evaluation selects the expressions of a text that are replaced by their values.
type Evaluation string

// Values of Evaluation.
const (
	EvaluateNothing   Evaluation = "false"
	EvaluateAll       Evaluation = "true"
	EvaluateVariables Evaluation = "deterministic-only"
)

// Values returns the evaluations.
func (Evaluation) Values() []Evaluation {
	return []Evaluation{EvaluateNothing, EvaluateAll, EvaluateVariables}
}

// Dereferencing selects the references of a text that are replaced by their targets. Only reusable contents can be
// replaced.
type Dereferencing string

// Values of Dereferencing.
const (
	DereferenceNothing   Dereferencing = "false"
	DereferenceAll       Dereferencing = "true"
	DereferenceReusables Dereferencing = "reusable-contents"
)

// Values returns the selections.
func (Dereferencing) Values() []Dereferencing {
	return []Dereferencing{DereferenceNothing, DereferenceAll, DereferenceReusables}
}

// Variables reports whether variables are replaced.
func (o TextOptions) Variables() bool { return o.Evaluated != "" && o.Evaluated != EvaluateNothing }

// Includes reports whether includes are replaced by reusable contents.
func (o TextOptions) Includes() bool {
	return o.Evaluated == EvaluateAll || o.Dereferenced != "" && o.Dereferenced != DereferenceNothing
}

// MarkdownRefs is the form of links in Markdown.
type MarkdownRefs string

// Values of MarkdownRefs.
const (
	RefsRelative MarkdownRefs = "relative" // as stored
	// RefsStable links by the ids of the targets: /pages/ID, /pages/ID#anchor, /spaces/ID/pages/ID, /files/ID, /openapi/SLUG.
	RefsStable MarkdownRefs = "stable"
)

// Values returns the forms.
func (MarkdownRefs) Values() []MarkdownRefs { return []MarkdownRefs{RefsRelative, RefsStable} }
