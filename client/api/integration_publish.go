package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Limits of a published integration.
const (
	MaxIntegrationScript     = 5 << 20   // bytes
	MaxIntegrationDefinition = 256 << 10 // bytes of JSON, without script, images and secrets
)

// PublishIntegrationInput is the input of PublishIntegration.
type PublishIntegrationInput struct {
	IntegrationRef
	Body IntegrationPublish
}

// IntegrationRuntime is the runtime of the script of an integration.
type IntegrationRuntime string

// Values of IntegrationRuntime.
const (
	RuntimeV1 IntegrationRuntime = "v1"
	RuntimeV2 IntegrationRuntime = "v2"
)

// Values returns the runtimes.
func (IntegrationRuntime) Values() []IntegrationRuntime {
	return []IntegrationRuntime{RuntimeV1, RuntimeV2}
}

// IntegrationPublish is the body of PublishIntegration. It replaces the whole integration: omitted members are
// removed.
type IntegrationPublish struct {
	Runtime               IntegrationRuntime        `json:"runtime,omitzero" default:"v1"`
	Icon                  Base64                    `json:"icon,omitzero" len:"..13981016" doc:"PNG, JPEG, GIF, WebP or SVG image in base64."`
	Title                 string                    `json:"title" len:"2..30"`
	Description           string                    `json:"description" len:"0..100"`
	Summary               string                    `json:"summary,omitzero" format:"markdown" len:"0..2048"`
	PreviewImages         []Base64                  `json:"previewImages,omitzero" len:"0..3" each:"..13981016" doc:"Images as the icon."`
	Visibility            IntegrationVisibility     `json:"visibility,omitzero" default:"private"`
	Target                IntegrationTarget         `json:"target,omitzero" default:"all"`
	Scopes                []IntegrationScope        `json:"scopes,omitzero" len:"0..19" unique:"true" doc:"Scopes that installations give to tokens of the integration."`
	Categories            []IntegrationCategory     `json:"categories,omitzero" len:"0..7" unique:"true"`
	Blocks                []IntegrationBlock        `json:"blocks,omitzero" len:"0..100" doc:"Blocks that the integration adds to the editor."`
	ContentSources        []IntegrationSource       `json:"contentSources,omitzero" len:"0..100" doc:"Sources of content that the integration provides."`
	ExternalLinks         []IntegrationLink         `json:"externalLinks,omitzero" len:"0..5"`
	Configurations        IntegrationConfigurations `json:"configurations,omitzero"`
	Script                Text                      `json:"script" len:"..5242880" doc:"Up to 5 MiB."`
	Organization          string                    `json:"organization" len:"1..128" doc:"The owner: id or hostname of an organization."`
	Secrets               map[string]Text           `json:"secrets,omitzero" len:"0..100" keys:"1..100" each:"..65536" doc:"Kept sealed and never answered."`
	ContentSecurityPolicy string                    `json:"contentSecurityPolicy,omitzero" len:"0..8192" doc:"Content-Security-Policy of the pages of the integration."`
}

// Fields returns the stored members of the published Integration.
func (p IntegrationPublish) Fields(name string, version int) IntegrationFields {
	f := IntegrationFields{
		Object: "integration", Name: name, Version: version, Title: p.Title, Description: p.Description, Summary: p.Summary,
		Target: p.Target, Visibility: p.Visibility, Scopes: p.Scopes, Categories: p.Categories, Blocks: p.Blocks,
		ContentSources: p.ContentSources, Configurations: p.Configurations, ExternalLinks: p.ExternalLinks,
		ContentSecurityPolicy: p.ContentSecurityPolicy,
	}
	if f.Target == "" {
		f.Target = TargetAll
	}
	if f.Visibility == "" {
		f.Visibility = IntegrationPrivate
	}
	f.Scopes = append([]IntegrationScope{}, f.Scopes...)
	f.Categories = append([]IntegrationCategory{}, f.Categories...)
	f.ExternalLinks = append([]IntegrationLink{}, f.ExternalLinks...)
	return f
}

// Validate checks the size of the script and of the definition, the configurations, and that the ids of blocks and of content
// sources are unique.
func (p IntegrationPublish) Validate() []FieldError {
	v := violations{limits: DefaultLimits()}
	if len(p.Script) > MaxIntegrationScript {
		v.add("script", "must have at most %d bytes, not %d", MaxIntegrationScript, len(p.Script))
	}
	if data, err := json.Marshal(p.Fields("", 0)); err != nil || len(data) > MaxIntegrationDefinition {
		v.add("", "must have at most %d bytes beside script, images and secrets, not %d", MaxIntegrationDefinition, len(data))
	}
	blocks, sources := make([]string, len(p.Blocks)), make([]string, len(p.ContentSources))
	for i, b := range p.Blocks {
		blocks[i] = b.ID
	}
	for i, s := range p.ContentSources {
		sources[i] = s.ID
	}
	checkUnique(&v, "blocks", blocks)
	checkUnique(&v, "contentSources", sources)
	p.Configurations.check(&v)
	return v.list
}

// checkUnique reports ids that occur twice.
func checkUnique(v *violations, path string, ids []string) {
	seen := map[string]bool{}
	for i, id := range ids {
		if seen[id] {
			v.add(fmt.Sprintf("%s[%d]", path, i), "repeats %s", id)
		}
		seen[id] = true
	}
}

func (c IntegrationConfigurations) check(v *violations) {
	for _, at := range []struct {
		path          string
		configuration *IntegrationConfiguration
	}{{"configurations.account", c.Account}, {"configurations.space", c.Space}, {"configurations.site", c.Site}} {
		if at.configuration != nil {
			at.configuration.check(v, at.path)
		}
	}
}

func (c IntegrationConfiguration) check(v *violations, path string) {
	if (c.Properties == nil) == (c.ComponentID == "") {
		v.add(path, "must have either properties or componentId")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.Properties)) {
		c.Properties[name].check(v, path+".properties."+name)
	}
	for i, name := range c.Required {
		if _, ok := c.Properties[name]; !ok {
			v.add(fmt.Sprintf("%s.required[%d]", path, i), "is not one of the properties")
		}
	}
}

func (p IntegrationProperty) check(v *violations, path string) {
	for _, member := range []struct {
		name  string
		given bool
		of    IntegrationPropertyType
	}{
		{"completion_url", p.CompletionURL != "", PropertyString},
		{"enum", p.Enum != nil, PropertyString},
		{"callback_url", p.CallbackURL != "", PropertyButton},
		{"button_text", p.ButtonText != "", PropertyButton},
	} {
		if member.given && p.Type != member.of {
			v.add(path+"."+member.name, "goes with the type %s, not with %s", member.of, p.Type)
		}
	}
	if p.Type == PropertyButton && p.CallbackURL == "" {
		v.add(path+".callback_url", "is required")
	}
	if p.Type == PropertyButton && p.ButtonText == "" {
		v.add(path+".button_text", "is required")
	}
	if p.Default != nil {
		for _, wrong := range p.Check(path+".default", p.Default) {
			v.add(wrong.Path, "%s", wrong.Message)
		}
	}
}

// Check validates a value against the property.
func (p IntegrationProperty) Check(path string, value json.RawMessage) []FieldError {
	kinds := map[IntegrationPropertyType]Kind{PropertyString: KindString, PropertyNumber: KindNumber, PropertyBoolean: KindBoolean}
	kind, ok := kinds[p.Type]
	if !ok {
		return []FieldError{{Path: path, Message: "must not be given: a button has no value"}}
	}
	v := violations{limits: DefaultLimits()}
	v.check(path, rawValue(bytes.TrimSpace(value)), &Schema{Kind: kind, Enum: p.Enum, Format: "text"})
	return v.list
}

// Check validates the values of a configuration. It returns required properties without a value or default in missing instead
// of wrong, because a configuration may be given in steps.
func (c *IntegrationConfiguration) Check(path string, values map[string]json.RawMessage) (wrong []FieldError, missing []string) {
	if c != nil && c.ComponentID != "" {
		return nil, nil // the component defines its own properties
	}
	var known IntegrationConfiguration
	if c != nil {
		known = *c
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		property, ok := known.Properties[name]
		if !ok {
			wrong = append(wrong, FieldError{Path: path + "." + name, Message: "is not a property of this integration"})
			continue
		}
		wrong = append(wrong, property.Check(path+"."+name, values[name])...)
	}
	for _, name := range known.Required {
		if _, given := values[name]; !given && known.Properties[name].Default == nil {
			missing = append(missing, name)
		}
	}
	return wrong, missing
}
