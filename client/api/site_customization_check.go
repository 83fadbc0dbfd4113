package api

import (
	"encoding/json"
	"fmt"
	"slices"
)

// UnmarshalJSON implements json.Unmarshaler. Items takes precedence; if it is omitted, it is derived from externalAI
// and markdown.
func (a *CustomizationPageActions) UnmarshalJSON(data []byte) error {
	var read struct {
		ExternalAI *bool         `json:"externalAI"`
		Markdown   *bool         `json:"markdown"`
		Items      *[]PageAction `json:"items"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if read.Items != nil {
		a.Items = *read.Items
	} else {
		a.setAction(PageActionExternalAI, read.ExternalAI)
		a.setAction(PageActionMarkdown, read.Markdown)
	}
	a.ExternalAI, a.Markdown = slices.Contains(a.Items, PageActionExternalAI), slices.Contains(a.Items, PageActionMarkdown)
	if read.ExternalAI != nil {
		a.ExternalAI = *read.ExternalAI
	}
	if read.Markdown != nil {
		a.Markdown = *read.Markdown
	}
	return nil
}

// setAction adds an action to the items or removes it. A nil wanted leaves the items unchanged.
func (a *CustomizationPageActions) setAction(action PageAction, wanted *bool) {
	has := slices.Contains(a.Items, action)
	switch {
	case wanted == nil || *wanted == has:
	case has:
		a.Items = slices.DeleteFunc(slices.Clone(a.Items), func(item PageAction) bool { return item == action })
	default:
		a.Items = append(slices.Clone(a.Items), action)
	}
}

// ruleViolations collects violations of rules that a schema cannot express.
type ruleViolations []FieldError

// add records a violation if the condition (is) holds.
func (f *ruleViolations) add(is bool, path, message string) {
	if is {
		*f = append(*f, FieldError{Path: path, Message: message})
	}
}

// Validate rejects AI, feedback and advanced customization, which wsd does not support, as well as contradictory members and
// invalid link targets.
func (c SiteCustomization) Validate() []FieldError {
	var f ruleViolations
	f.add(c.AI.Mode != AINone, "ai.mode", "must be none: wsd answers no questions")
	f.add(c.Feedback.Enabled, "feedback.enabled", "must be false: wsd collects no feedback of readers")
	f.add(c.AdvancedCustomization.Enabled, "advancedCustomization.enabled", "must be false: wsd keeps no markup and scripts of sites")
	f.add(c.Favicon.Emoji != "" && c.Favicon.Icon != nil, "favicon", "must not have both emoji and icon")
	f.add(c.PageActions.ExternalAI != slices.Contains(c.PageActions.Items, PageActionExternalAI), "pageActions.externalAI",
		"does not say what items says")
	f.add(c.PageActions.Markdown != slices.Contains(c.PageActions.Items, PageActionMarkdown), "pageActions.markdown",
		"does not say what items says")
	c.eachTarget(func(path string, to RefTarget) {
		for _, fault := range ContentRef(to).Validate() {
			f.add(true, path+"."+fault.Path, fault.Message)
		}
	})
	return f
}

// eachTarget calls visit with the path and the target of each link.
func (c SiteCustomization) eachTarget(visit func(path string, to RefTarget)) {
	links := func(path string, list []CustomizationLink) {
		for i, link := range list {
			visit(fmt.Sprintf("%s.links[%d].to", path, i), link.To)
		}
	}
	if c.Header.PrimaryLink != nil {
		visit("header.primaryLink", *c.Header.PrimaryLink)
	}
	for i, item := range c.Header.Links {
		path := fmt.Sprintf("header.links[%d]", i)
		if item.To != nil {
			visit(path+".to", *item.To)
		}
		links(path, item.Links)
	}
	for i, group := range c.Footer.Groups {
		links(fmt.Sprintf("footer.groups[%d]", i), group.Links)
	}
	if a := c.Announcement; a != nil && a.Link != nil {
		visit("announcement.link.to", a.Link.To)
	}
}
