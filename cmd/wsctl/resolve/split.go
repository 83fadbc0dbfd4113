package resolve

import (
	"net/url"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Split splits a name as the function Split does, with the addresses of the configured server. For a URL of another kind it asks the
// server what is there.
func (r *Resolver) Split(subject, text string) (rest string, in map[string]string, err error) {
	settings, err := r.app.Settings(r.cmd)
	if err != nil {
		return "", nil, err
	}
	rest, in, err = Split(subject, text, settings.URL.Value)
	if err != nil || !isURL(rest) {
		return rest, in, err
	}
	if subject == "site" {
		u, err := url.Parse(text)
		if err != nil {
			return "", nil, app.Usagef("%q is not a URL", text)
		}
		return u.Hostname(), nil, nil
	}
	c, err := r.app.Client(r.cmd)
	if err != nil {
		return "", nil, err
	}
	found, err := c.Content.Find(r.cmd.Context(), api.FindContentInput{URL: text})
	if err != nil {
		return "", nil, err
	}
	in = map[string]string{}
	if found.Collection != nil {
		in["collection"] = found.Collection.ID
	}
	if found.Space != nil {
		in["space"] = found.Space.ID
	}
	if found.ChangeRequest != nil {
		in["changeRequest"] = found.ChangeRequest.ID
	}
	if found.Page != nil {
		in["page"] = found.Page.ID
	}
	return takeSubject(subject, text, in)
}

// isURL reports whether a text is an absolute URL.
func isURL(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// takeSubject returns the id of a subject in a URL, and the others. It returns a usage error if there is none.
func takeSubject(subject, text string, in map[string]string) (rest string, others map[string]string, err error) {
	rest = in[subject]
	if rest == "" {
		k, _ := kindOf(subject)
		return "", nil, app.Usagef("%s is not the address of a %s", text, k.noun)
	}
	delete(in, subject)
	return rest, in, nil
}

// Split splits a name into the name of the resource itself and those of the resources that it is in, by subject: for
// skylark-handbook#2:station/power the page station/power in the change request 2 of the space skylark-handbook. A URL is split if
// it is one of the server at base. It returns a usage error for a URL that is not one of a resource of the subject.
func Split(subject, text, base string) (rest string, in map[string]string, err error) {
	isForced := strings.HasPrefix(text, titlePrefix) || strings.HasPrefix(text, idPrefix)
	switch {
	case isURL(text):
		return splitURL(subject, text, base)
	case subject == "changeRequest": // it has no title, only its space has
		return splitRequest(text)
	case subject == "revision":
		if at := strings.LastIndexByte(text, '@'); at > 0 {
			return text[at:], map[string]string{"space": text[:at]}, nil
		}
	case !isForced && (subject == "page" || subject == "file"):
		return splitContent(text)
	}
	return text, nil, nil
}

// splitRequest splits SPACE#N.
func splitRequest(text string) (rest string, in map[string]string, err error) {
	at := strings.LastIndexByte(text, '#')
	switch {
	case at < 0:
		return text, nil, nil
	case at == 0:
		return text[1:], nil, nil
	}
	return text[at+1:], map[string]string{"space": text[:at]}, nil
}

// splitContent splits SPACE:PATH, SPACE#N:PATH and #N:PATH.
func splitContent(text string) (rest string, in map[string]string, err error) {
	space, path, ok := strings.Cut(text, ":")
	if !ok || path == "" {
		return text, nil, nil
	}
	in = map[string]string{}
	if at := strings.LastIndexByte(space, '#'); at >= 0 {
		in["changeRequest"] = space[at+1:]
		space = space[:at]
	}
	if space != "" {
		in["space"] = space
	}
	return path, in, nil
}

// collectionSubjects maps the literal segments of the paths of URLs to the subjects of the ids after them.
var collectionSubjects = map[string]string{
	"orgs": "organization", "organizations": "organization", "spaces": "space", "collections": "collection", "sites": "site",
	"teams": "team", "members": "user", "users": "user", "change-requests": "changeRequest", "pages": "page", "page": "page",
	"files": "file", "revisions": "revision", "openapi": "spec", "translations": "translation", "share-links": "shareLink",
	"sections": "siteSection", "section-groups": "siteSectionGroup", "site-spaces": "siteSpace", "invites": "invite",
	"transfers": "transfer", "saml": "samlProvider", "oidc": "oidcProvider", "service-accounts": "serviceAccount", "tokens": "token",
}

// parentSubjects maps the subjects of addresses of the app that have two ids, such as /app/pages/s_1~p_1, to that of the first.
var parentSubjects = map[string]string{"page": "space", "changeRequest": "space", "spec": "organization"}

// splitURL splits an address of the app, such as /app/pages/s_1~p_1, or of the interface, such as /v1/spaces/s_1.
func splitURL(subject, text, base string) (rest string, in map[string]string, err error) {
	u, err := url.Parse(text)
	server, baseErr := url.Parse(base)
	if err != nil || baseErr != nil || !strings.EqualFold(u.Host, server.Host) {
		return text, nil, nil
	}
	path, _ := strings.CutPrefix(strings.Trim(u.Path, "/"), strings.Trim(server.Path, "/"))
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if segments[0] != "app" && segments[0] != "v1" {
		return text, nil, nil
	}
	in = map[string]string{}
	for i := 1; i+1 < len(segments); i++ {
		named, ok := collectionSubjects[segments[i]]
		if !ok {
			continue
		}
		ids := strings.Split(segments[i+1], "~")
		in[named] = ids[len(ids)-1]
		if parent := parentSubjects[named]; len(ids) == 2 && parent != "" {
			in[parent] = ids[0]
		}
		i++
	}
	if subject == Trashed {
		for _, kind := range []string{"space", "collection", "organization"} {
			if id := in[kind]; id != "" {
				return id, nil, nil
			}
		}
	}
	return takeSubject(subject, text, in)
}
