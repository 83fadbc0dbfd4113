package demo

import (
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
)

// script is the content of content/demo.json: the users, their spaces, and the events of the last weeks.
type script struct {
	Organization string       `json:"organization"`
	Users        []user       `json:"users"`
	Teams        []team       `json:"teams"`
	Collections  []collection `json:"collections"`
	Spaces       []space      `json:"spaces"`
	Site         site         `json:"site"`
	Requests     []request    `json:"requests"`
}

// user is a member. The first one is the admin and founder of the organization.
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

// space is a directory of content with a SUMMARY.md, and the settings of its space.
type space struct {
	Directory     string            `json:"directory"`
	Title         string            `json:"title"`
	Emoji         string            `json:"emoji"`
	Approval      bool              `json:"approval"` // merging requires the approval of all reviewers with a verdict
	Variables     map[string]string `json:"variables"`
	Reusable      map[string]string `json:"reusable"` // files by name; pages include reusable:<name>
	Files         []string          `json:"files"`
	Specification string            `json:"specification"` // a file; its operations become the last page
}

type site struct {
	Title     string   `json:"title"`
	Basename  string   `json:"basename"`
	Hostname  string   `json:"hostname"`
	Spaces    []string `json:"spaces"`
	Published ago      `json:"published"`
}

// request is a change request with its steps.
type request struct {
	Name        string `json:"name"`
	Space       string `json:"space"`
	Author      string `json:"author"`
	Ago         ago    `json:"ago"`
	Subject     string `json:"subject"`
	Description string `json:"description"`
	Steps       []step `json:"steps"`
}

// step is one action of a user. Its members determine the kind; see the table in steps.go.
type step struct {
	Ago ago    `json:"ago"`
	By  string `json:"by"` // the author of the request by default

	Update   string      `json:"update"` // path of a page; File is its new text, or Passages are pairs of old and new text
	Insert   string      `json:"insert"` // title of a new page
	Move     string      `json:"move"`
	Delete   string      `json:"delete"`
	Describe string      `json:"describe"` // page whose description becomes Text
	Set      string      `json:"set"`      // variable of the space whose value becomes Text
	Picture  string      `json:"picture"`  // file whose bytes become those of File
	Reword   string      `json:"reword"`   // reusable content whose text becomes Text
	Drop     string      `json:"drop"`     // reusable content to delete
	Into     string      `json:"into"`
	At       *int        `json:"at"`
	File     string      `json:"file"`
	Passages [][2]string `json:"passages"`

	Ask     []string         `json:"ask"` // users to request a review from
	Verdict api.ReviewStatus `json:"verdict"`
	Merge   bool             `json:"merge"`
	Archive bool             `json:"archive"`

	Comment string `json:"comment"` // path of a page; Quote is the commented text
	Quote   string `json:"quote"`
	Suggest string `json:"suggest"` // suggested replacement of Quote
	Name    string `json:"name"`    // name of the comment in later steps
	Reply   string `json:"reply"`
	Resolve string `json:"resolve"`
	React   string `json:"react"`
	Emoji   string `json:"emoji"`
	Text    string `json:"text"`
}

// ago is the time from an event to the start of the demo, such as 2d4h.
type ago time.Duration

// UnmarshalText implements encoding.TextUnmarshaler. Errors quote the invalid text.
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
