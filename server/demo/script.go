package demo

import (
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
)

// script is content/demo.json: who there is, what they have, and what they did in the last weeks.
type script struct {
	Organization string       `json:"organization"`
	Users        []user       `json:"users"`
	Teams        []team       `json:"teams"`
	Collections  []collection `json:"collections"`
	Spaces       []space      `json:"spaces"`
	Site         site         `json:"site"`
	Requests     []request    `json:"requests"`
}

// user is a member. The first one is the admin who founded the organization.
type user struct {
	Name        string   `json:"name"`
	DisplayName string   `json:"displayName"`
	Email       string   `json:"email"`
	Role        api.Role `json:"role"`
}

type team struct {
	Title   string   `json:"title"`
	Members []string `json:"members"`
}

type collection struct {
	Title  string   `json:"title"`
	Spaces []string `json:"spaces"` // directories
}

// space is a directory of content with a SUMMARY.md, and what the space has beside its pages.
type space struct {
	Directory     string            `json:"directory"`
	Title         string            `json:"title"`
	Emoji         string            `json:"emoji"`
	Approval      bool              `json:"approval"` // merging takes an approval of everybody who gives a verdict
	Variables     map[string]string `json:"variables"`
	Reusable      map[string]string `json:"reusable"` // files by name; pages include reusable:<name>
	Files         []string          `json:"files"`
	Specification string            `json:"specification"` // a file; its operations are the last page
}

type site struct {
	Title     string   `json:"title"`
	Basename  string   `json:"basename"`
	Hostname  string   `json:"hostname"`
	Spaces    []string `json:"spaces"`
	Published ago      `json:"published"`
}

// request is a change request: its making, and its steps.
type request struct {
	Name        string `json:"name"`
	Space       string `json:"space"`
	Author      string `json:"author"`
	Ago         ago    `json:"ago"`
	Subject     string `json:"subject"`
	Description string `json:"description"`
	Steps       []step `json:"steps"`
}

// step is one thing that somebody did. Which of its members are given says what: the table in steps.go has them.
type step struct {
	Ago ago    `json:"ago"`
	By  string `json:"by"` // default the author of the request

	Update   string      `json:"update"` // path of a page; File is its new text, or of each of Passages the first becomes the second
	Insert   string      `json:"insert"` // title of a new page
	Move     string      `json:"move"`
	Delete   string      `json:"delete"`
	Describe string      `json:"describe"` // a page gets Text as its description
	Set      string      `json:"set"`      // a variable of the space gets Text as its value
	Picture  string      `json:"picture"`  // a file gets the bytes of File
	Reword   string      `json:"reword"`   // a reusable content gets Text
	Drop     string      `json:"drop"`     // a reusable content
	Into     string      `json:"into"`
	At       *int        `json:"at"`
	File     string      `json:"file"`
	Passages [][2]string `json:"passages"`

	Ask     []string         `json:"ask"` // for a review
	Verdict api.ReviewStatus `json:"verdict"`
	Merge   bool             `json:"merge"`
	Archive bool             `json:"archive"`

	Comment string `json:"comment"` // path of a page; Quote is what it is about
	Quote   string `json:"quote"`
	Suggest string `json:"suggest"` // what the comment would have in place of Quote
	Name    string `json:"name"`    // by which later steps know the comment
	Reply   string `json:"reply"`
	Resolve string `json:"resolve"`
	React   string `json:"react"`
	Emoji   string `json:"emoji"`
	Text    string `json:"text"`
}

// ago is how long before the start of the demo something happened, as in 2d4h.
type ago time.Duration

// UnmarshalText implements encoding.TextUnmarshaler. Errors say which text is no duration.
func (a *ago) UnmarshalText(text []byte) error {
	const day = 24 * time.Hour
	var total time.Duration
	rest := string(text)
	var days int
	if n, err := fmt.Sscanf(rest, "%dd%s", &days, &rest); n > 0 && (err == nil || n == 1 && rest == fmt.Sprintf("%dd", days)) {
		total = time.Duration(days) * day
		if n == 1 {
			rest = "0s"
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return fmt.Errorf("%q is not a duration as in 2d4h30m", text)
	}
	*a = ago(total + d)
	return nil
}
