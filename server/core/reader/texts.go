package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// Text is the text of a page as its readers see it. Unreplaced contains the expressions that were not replaced because of a
// size limit.
type Text struct {
	content.Text

	Unreplaced []content.Expression
}

// Read returns the text of a page. Blocks of the stored text keep their ids.
func (v *View) Read(ctx context.Context, p *revision.Page) (Text, error) {
	if markdown, made := v.generated[p.ID]; made {
		return v.parse(p, markdown, nil, content.Text{})
	}
	stored, err := revision.ReadText(ctx, v.content, p.Text, p.Blocks)
	if err != nil {
		return Text{}, err
	}
	return v.Evaluate(ctx, p, stored)
}

// Evaluate replaces the expressions in a page's text.
func (v *View) Evaluate(ctx context.Context, p *revision.Page, stored content.Text) (Text, error) {
	return v.Replace(ctx, p, stored, allExpressions)
}

// Expressions selects the expressions to replace. Readers see the text with all of them replaced.
type Expressions struct{ Variables, Includes bool }

var allExpressions = Expressions{Variables: true, Includes: true}

// Replace is Evaluate for the selected expressions.
func (v *View) Replace(ctx context.Context, p *revision.Page, stored content.Text, exprs Expressions) (Text, error) {
	evaluated, left, err := v.markdown(ctx, p, stored.Markdown, exprs)
	if err != nil || bytes.Equal(evaluated, stored.Markdown) {
		return Text{stored, left}, err
	}
	return v.parse(p, evaluated, left, stored)
}

// ReadLinked returns a stored text with the definitions that its references need, as in WithDefinitions, and no other
// replacements. Documents are made from it, so that references become links.
func (v *View) ReadLinked(ctx context.Context, p *revision.Page, stored content.Text) (content.Text, error) {
	markdown, err := v.WithDefinitions(ctx, p, stored.Markdown)
	if err != nil || bytes.Equal(markdown, stored.Markdown) {
		return stored, err
	}
	text, err := v.parse(p, markdown, nil, stored)
	return text.Text, err
}

// parse returns an evaluated text with its blocks. A text that exceeds the limits of a page is left unevaluated.
func (v *View) parse(p *revision.Page, markdown []byte, left []content.Expression, stored content.Text) (Text, error) {
	text, err := content.Parse(p.ID, markdown, stored)
	if _, beyond := errors.AsType[*content.TextError](err); beyond {
		return Text{stored, content.Expressions(stored.Markdown)}, nil
	}
	return Text{text, left}, err
}

// Markdown returns the evaluated text of a page and the expressions that were not replaced because of a size limit.
func (v *View) Markdown(ctx context.Context, p *revision.Page, stored []byte) (evaluated []byte, left []content.Expression, err error) {
	return v.markdown(ctx, p, stored, allExpressions)
}

func (v *View) markdown(ctx context.Context, p *revision.Page, stored []byte, exprs Expressions) (evaluated []byte,
	left []content.Expression, err error,
) {
	if markdown, made := v.generated[p.ID]; made {
		return markdown, nil, nil
	}
	evaluated, left, err = v.replaceExpressions(ctx, p, stored, exprs)
	if err != nil {
		return nil, nil, err
	}
	evaluated, err = v.WithDefinitions(ctx, p, evaluated)
	return evaluated, left, err
}

// replaceExpressions returns the text of a page with its expressions replaced.
func (v *View) replaceExpressions(ctx context.Context, p *revision.Page, stored []byte, exprs Expressions) (evaluated []byte,
	left []content.Expression, err error,
) {
	expressions := content.Expressions(stored)
	if len(expressions) == 0 {
		return stored, nil, nil
	}
	var scope content.Scope
	if exprs.Variables {
		scope.Space, scope.Page = v.Revision.Variables, p.Variables
	}
	if exprs.Includes {
		if scope.Reusable, err = v.includedTexts(ctx, stored); err != nil {
			return nil, nil, err
		}
	}
	scope.Limit = max(1, v.maxSize(len(stored)))
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

// Markdowns returns the evaluated texts of pages by id. The stored texts are read in one round trip.
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
