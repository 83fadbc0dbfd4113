package api

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// CustomizationStyling are the colors, fonts and shapes of a site.
type CustomizationStyling struct {
	Theme         string                   `json:"theme" default:"clean" enum:"clean,muted,bold,gradient"`
	PrimaryColor  CustomizationThemedColor `json:"primaryColor"`
	Tint          *CustomizationTint       `json:"tint,omitzero"`
	InfoColor     CustomizationThemedColor `json:"infoColor"`
	SuccessColor  CustomizationThemedColor `json:"successColor"`
	WarningColor  CustomizationThemedColor `json:"warningColor"`
	DangerColor   CustomizationThemedColor `json:"dangerColor"`
	Corners       string                   `json:"corners" default:"rounded" enum:"straight,rounded,circular"`
	Depth         string                   `json:"depth" default:"subtle" enum:"subtle,flat"`
	Links         string                   `json:"links" default:"default" enum:"default,accent"`
	Font          CustomizationFont        `json:"font" default:"Inter"`
	HeadingFont   *CustomizationFont       `json:"headingFont,omitzero" doc:"Of headings; that of the text unless it is set."`
	MonospaceFont CustomizationFont        `json:"monospaceFont" default:"IBMPlexMono" enum:"FiraCode,IBMPlexMono,JetBrainsMono,SourceCodePro,RobotoMono,SpaceMono,DMMono,Inconsolata"`
	CodeTheme     CustomizationCodeTheme   `json:"codeTheme"`
	Background    string                   `json:"background" default:"plain" enum:"plain,match"`
	Icons         string                   `json:"icons" default:"regular" enum:"regular,solid,duotone,light,thin"`
	Sidebar       CustomizationSidebar     `json:"sidebar"`
	Search        string                   `json:"search" default:"subtle" enum:"prominent,subtle"`
}

// CustomizationThemedColor is a color for light and for dark backgrounds.
type CustomizationThemedColor struct {
	Light string `json:"light" len:"4..7" pattern:"color"`
	Dark  string `json:"dark" len:"4..7" pattern:"color"`
}

// CustomizationThemedURL is a picture for light and for dark backgrounds.
type CustomizationThemedURL struct {
	Light string `json:"light" len:"1..2048" format:"uri" pattern:"https"`
	Dark  string `json:"dark" len:"1..2048" format:"uri" pattern:"https"`
}

// CustomizationTint tints the surfaces of a site.
type CustomizationTint struct {
	Color CustomizationThemedColor `json:"color"`
}

// CustomizationSidebar is the table of contents next to pages.
type CustomizationSidebar struct {
	Background string `json:"background" default:"default" enum:"default,filled"`
	List       string `json:"list" default:"default" enum:"default,pill,line"`
}

// CustomizationFavicon is the icon of a site: an emoji, pictures, or none.
type CustomizationFavicon struct {
	Emoji string                  `json:"emoji,omitzero" len:"1..50" format:"emoji"`
	Icon  *CustomizationThemedURL `json:"icon,omitzero"`
}

// CustomizationCodeTheme are the color themes of code on pages and in API reference pages.
type CustomizationCodeTheme struct {
	Default CustomizationThemedCode `json:"default"`
	OpenAPI CustomizationThemedCode `json:"openapi"`
}

// CustomizationThemedCode are the color themes of code for light and for dark backgrounds.
type CustomizationThemedCode struct {
	Light CodeTheme `json:"light" default:"default-light"`
	Dark  CodeTheme `json:"dark" default:"default-dark"`
}

// CodeTheme is the name of a color theme of a syntax highlighter.
type CodeTheme string

// Values returns the themes.
func (CodeTheme) Values() []CodeTheme {
	return []CodeTheme{
		"default-light", "default-dark", "monochrome-light", "monochrome-dark", "andromeeda", "aurora-x", "ayu-dark",
		"catppuccin-frappe", "catppuccin-latte", "catppuccin-macchiato", "catppuccin-mocha", "dark-plus", "dracula",
		"dracula-soft", "everforest-dark", "everforest-light", "github-dark", "github-dark-default", "github-dark-dimmed",
		"github-dark-high-contrast", "github-light", "github-light-default", "github-light-high-contrast",
		"gruvbox-dark-hard", "gruvbox-dark-medium", "gruvbox-dark-soft", "gruvbox-light-hard", "gruvbox-light-medium",
		"gruvbox-light-soft", "houston", "kanagawa-dragon", "kanagawa-lotus", "kanagawa-wave", "laserwave", "light-plus",
		"material-theme", "material-theme-darker", "material-theme-lighter", "material-theme-ocean",
		"material-theme-palenight", "min-dark", "min-light", "monokai", "night-owl", "nord", "one-dark-pro", "one-light",
		"plastic", "poimandres", "red", "rose-pine", "rose-pine-dawn", "rose-pine-moon", "slack-dark", "slack-ochin",
		"snazzy-light", "solarized-dark", "solarized-light", "synthwave-84", "tokyo-night", "vesper", "vitesse-black",
		"vitesse-dark", "vitesse-light",
	}
}

// FontName is the name of a built-in font of renderers.
type FontName string

// Values returns the names of the built-in fonts.
func (FontName) Values() []FontName {
	return []FontName{
		"ABCFavorit", "Inter", "Roboto", "RobotoSlab", "OpenSans", "SourceSansPro", "Lato", "Ubuntu", "Raleway", "Merriweather",
		"Overpass", "NotoSans", "IBMPlexSerif", "Poppins", "FiraSans",
	}
}

// CustomizationFont is a font: a built-in one by name, or a definition.
type CustomizationFont struct {
	Name       FontName
	Definition *CustomizationFontDefinition // nil for a built-in font
}

// textOrObject declares that a font is a FontName or a CustomizationFontDefinition.
func (CustomizationFont) textOrObject() (text, object reflect.Type) {
	return reflect.TypeFor[FontName](), reflect.TypeFor[CustomizationFontDefinition]()
}

// MarshalJSON implements json.Marshaler.
func (f CustomizationFont) MarshalJSON() ([]byte, error) {
	if f.Definition != nil {
		return json.Marshal(f.Definition)
	}
	return json.Marshal(f.Name)
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *CustomizationFont) UnmarshalJSON(data []byte) error {
	*f = CustomizationFont{}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return json.Unmarshal(data, &f.Definition)
	}
	return json.Unmarshal(data, &f.Name)
}

// CustomizationFontDefinition is a font that renderers download.
type CustomizationFontDefinition struct {
	ID         string                  `json:"id" pattern:"id"`
	Custom     bool                    `json:"custom"`
	FontFamily string                  `json:"fontFamily" len:"1..100"`
	FontFaces  []CustomizationFontFace `json:"fontFaces" len:"1..20"`
}

// CustomizationFontFace is a font in one weight.
type CustomizationFontFace struct {
	Weight  int                       `json:"weight" range:"1..1000" doc:"Weight of the font, 400 is normal."`
	Sources []CustomizationFontSource `json:"sources" len:"1..10"`
}

// CustomizationFontSource is a file of a font.
type CustomizationFontSource struct {
	URL    string `json:"url" len:"1..2048" format:"uri" pattern:"https"`
	Format string `json:"format,omitzero" enum:"woff2,woff,truetype,opentype"`
}
