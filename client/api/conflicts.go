package api

import (
	"slices"
	"strings"
)

// Conflict describes content that both sides changed in different ways: its subject, each side with its author, and
// the possible resolutions. Everything but the ids is for display. Ids occur only in members named id, page, block
// and reusableContent.
type Conflict struct {
	ID              string        `json:"id" doc:"Names the conflict as long as both sides stay as they are; what a resolution answers."`
	Kind            string        `json:"kind" doc:"text, inserted, deleted, moved, order, attribute, slug, cycle, file, variable, or reusable-content: deleted on one side and changed on the other."`
	Page            string        `json:"page,omitzero" doc:"Id of the page."`
	ReusableContent string        `json:"reusableContent,omitzero" doc:"Id of the reusable content."`
	Block           string        `json:"block,omitzero" doc:"Id of the block; absent if the conflict is not about a block."`
	File            *ConflictFile `json:"file,omitzero"`
	Title           string        `json:"title,omitzero" doc:"The title of the page, reusable content or file; absent for variables of the space."`
	Place           string        `json:"place" doc:"Where on it, as in: paragraph 3, sentence 2 of 3. Or: Settings."`
	Attribute       string        `json:"attribute,omitzero" doc:"The member of the page that it is about, by the name that update_page has for it."`
	AttributeLabel  string        `json:"attributeLabel,omitzero" doc:"The same as people call it, as in: Hidden from the table of contents."`
	Variable        string        `json:"variable,omitzero" doc:"The name of the variable."`
	Summary         string        `json:"summary" doc:"What happened, in one sentence."`

	Before string        `json:"before,omitzero" doc:"The text that stands before it, of a part of a block; shortened."`
	After  string        `json:"after,omitzero" doc:"The text that stands behind it."`
	Base   *ConflictSide `json:"base,omitzero" doc:"What both sides started from; absent where that says nothing."`
	Ours   ConflictSide  `json:"ours" doc:"The space's; of an import, what is here."`
	Theirs ConflictSide  `json:"theirs" doc:"The change request's; of an import, what the source has now."`

	Proposed *string          `json:"proposed,omitzero" doc:"Of a text, what take both gives; of a slug, the one that is free."`
	Answers  []ConflictAnswer `json:"answers" doc:"The answers that decide it."`
	Links    []ConflictLink   `json:"links,omitempty" doc:"What its texts link to by an id, for those who show them."`
}

var _ = declareColumns[Conflict]("kind,title=PAGE,place,attributeLabel=SETTING,ours.value=SPACE,theirs.value=REQUEST")

// ConflictLink is the target of a link in the text of a conflict: a page, a file or a reusable content.
type ConflictLink struct {
	ID    string `json:"id"`
	Title string `json:"title,omitzero" doc:"Absent where it is not there."`
}

// ConflictFile is the file that a conflict is about.
type ConflictFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ConflictSide is a side of a conflict, formatted for display, with its author.
type ConflictSide struct {
	Value         string          `json:"value" doc:"The text, or what is set, or where it stands, in words. Where nothing is there, it says so."`
	Absent        bool            `json:"absent,omitzero" doc:"Nothing is there on this side."`
	Runs          []TextRun       `json:"runs,omitempty" doc:"What the side changed, word by word; of a text that the other side deleted, an excerpt."`
	By            *ConflictAuthor `json:"by,omitzero" doc:"Who made it so; absent where that was too long ago to be found cheaply."`
	At            *Time           `json:"at,omitzero" doc:"When."`
	ChangeRequest *HistoryRequest `json:"changeRequest,omitzero" doc:"The change request that it was made in."`
	Source        *ConflictSource `json:"source,omitzero" doc:"The source that it comes from."`
}

// ConflictAuthor is the author of a side of a conflict.
type ConflictAuthor struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
}

// ConflictSource is the import source of a side of a conflict.
type ConflictSource struct {
	ID   string `json:"id"`
	Name string `json:"name,omitzero"`
}

// ConflictAnswer is a possible resolution of a conflict.
type ConflictAnswer struct {
	Take   ResolutionTake `json:"take"`
	Effect string         `json:"effect" doc:"What it does, in one sentence."`
}

// ResolutionTake selects the resolution of a conflict.
type ResolutionTake string

// Values of ResolutionTake. If two pages need the same slug, TakeOurs and TakeTheirs both choose the proposed free slug.
const (
	TakeOurs   ResolutionTake = "ours"   // the side of the space
	TakeTheirs ResolutionTake = "theirs" // the side of the change request
	TakeBoth   ResolutionTake = "both"   // the proposed text with the words of both sides; only for conflicts in texts
	TakeText   ResolutionTake = "text"   // a given text; for conflicts in texts and in textual members of a page
)

// Values returns the values of ResolutionTake.
func (ResolutionTake) Values() []ResolutionTake {
	return []ResolutionTake{TakeOurs, TakeTheirs, TakeBoth, TakeText}
}

// Resolution resolves a conflict.
type Resolution struct {
	Conflict string           `json:"conflict" pattern:"id" doc:"The id of the conflict."`
	Take     ResolutionTake   `json:"take" doc:"One that the conflict's answers list. both goes with conflicts of the kinds text and inserted; text with these, and with attribute, slug and variable."`
	Text     Optional[string] `json:"text,omitzero" len:"..1048576" format:"markdown" doc:"With take text: what stands there instead."`
}

// Readable returns a text of the conflict with ids in links replaced by titles, for display.
func (c Conflict) Readable(text string) string {
	for _, link := range c.Links {
		title := "“" + link.Title + "”"
		if link.Title == "" {
			title = "(not there)"
		}
		text = strings.ReplaceAll(text, link.ID, title)
	}
	return text
}

// Admits reports whether take can resolve the conflict.
func (c Conflict) Admits(take ResolutionTake) bool {
	return slices.ContainsFunc(c.Answers, func(a ConflictAnswer) bool { return a.Take == take })
}
