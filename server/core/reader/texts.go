package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// Text is the text of a page as its readers see it. What was not put in its place for want of room is in Left, and
// stands as it is written.
type Text struct {
	content.Text

	Left []content.Expression
}

// Read returns the text of a page. Blocks that the stored text has keep their ids.
func (v *View) Read(ctx context.Context, p *revision.Page) (Text, error) {
	if markdown, made := v.made[p.ID]; made {
		return v.parsed(p, markdown, nil, content.Text{})
	}
	stored, err := revision.ReadText(ctx, v.content, p.Text, p.Blocks)
	if err != nil {
		return Text{}, err
	}
	return v.Evaluate(ctx, p, stored)
}

// Evaluate puts what the expressions of a page's text stand for in their place.
func (v *View) Evaluate(ctx context.Context, p *revision.Page, stored content.Text) (Text, error) {
	return v.Replace(ctx, p, stored, everything)
}

// Replaced says which expressions of a text are replaced. Readers see the text with all of them replaced.
type Replaced struct{ Variables, Includes bool }

var everything = Replaced{Variables: true, Includes: true}

// Replace is Evaluate for some of the expressions.
func (v *View) Replace(ctx context.Context, p *revision.Page, stored content.Text, what Replaced) (Text, error) {
	evaluated, left, err := v.markdown(ctx, p, stored.Markdown, what)
	if err != nil || bytes.Equal(evaluated, stored.Markdown) {
		return Text{stored, left}, err
	}
	return v.parsed(p, evaluated, left, stored)
}

// Linked is a stored text with the definitions that its references need, as in Defined, and nothing else of what a reader
// sees. The tree of a text is made of it, in which references are links.
func (v *View) Linked(ctx context.Context, p *revision.Page, stored content.Text) (content.Text, error) {
	markdown, err := v.Defined(ctx, p, stored.Markdown)
	if err != nil || bytes.Equal(markdown, stored.Markdown) {
		return stored, err
	}
	text, err := v.parsed(p, markdown, nil, stored)
	return text.Text, err
}

// parsed gives a text that is not stored its blocks. One that could not be stored, as it has too many of something,
// stays as it is written.
func (v *View) parsed(p *revision.Page, markdown []byte, left []content.Expression, stored content.Text) (Text, error) {
	text, err := content.Parse(p.ID, markdown, stored)
	if _, beyond := errors.AsType[*content.TextError](err); beyond {
		return Text{stored, content.Expressions(stored.Markdown)}, nil
	}
	return Text{text, left}, err
}

// Markdown is the text of a page as its readers see it, of the stored one; left are the expressions that stay as they
// are written for want of room.
func (v *View) Markdown(ctx context.Context, p *revision.Page, stored []byte) (evaluated []byte, left []content.Expression, err error) {
	return v.markdown(ctx, p, stored, everything)
}

func (v *View) markdown(ctx context.Context, p *revision.Page, stored []byte, what Replaced) (evaluated []byte, left []content.Expression, err error) {
	if markdown, made := v.made[p.ID]; made {
		return markdown, nil, nil
	}
	evaluated, left, err = v.expressed(ctx, p, stored, what)
	if err != nil {
		return nil, nil, err
	}
	evaluated, err = v.Defined(ctx, p, evaluated)
	return evaluated, left, err
}

// expressed is the text of a page with what its expressions stand for.
func (v *View) expressed(ctx context.Context, p *revision.Page, stored []byte, what Replaced) (evaluated []byte, left []content.Expression, err error) {
	expressions := content.Expressions(stored)
	if len(expressions) == 0 {
		return stored, nil, nil
	}
	var scope content.Scope
	if what.Variables {
		scope.Space, scope.Page = v.Revision.Variables, p.Variables
	}
	if what.Includes {
		if scope.Reusable, err = v.included(ctx, stored); err != nil {
			return nil, nil, err
		}
	}
	scope.Limit = max(1, v.right(len(stored)))
	evaluated, left = content.Evaluate(stored, scope)
	if len(left) == 0 || scope.Limit == content.MaxTextBytes {
		return evaluated, left, nil
	}
	if fits, err := v.fits(ctx); err != nil || !fits {
		return evaluated, left, err
	}
	scope.Limit = content.MaxTextBytes
	evaluated, left = content.Evaluate(stored, scope)
	return evaluated, left, nil
}

// Markdowns are the texts of pages as their readers see them, by page. What is stored is read in one trip.
func (v *View) Markdowns(ctx context.Context, pages ...*revision.Page) (map[string][]byte, error) {
	var hashes []string
	for _, p := range pages {
		if p.Text != "" {
			hashes = append(hashes, p.Text)
		}
	}
	stored, err := v.content.Objects(ctx, hashes)
	if err != nil {
		return nil, fmt.Errorf("texts of %s: %w", v.content.Space(), err)
	}
	texts := make(map[string][]byte, len(pages))
	for _, p := range pages {
		if texts[p.ID], _, err = v.Markdown(ctx, p, stored[p.Text]); err != nil {
			return nil, err
		}
	}
	return texts, nil
}
