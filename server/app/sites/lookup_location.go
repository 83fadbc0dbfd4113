package sites

import (
	"net/url"
	"slices"
	"strings"

	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// location holds the ids and paths named by an address. They need not exist.
type location struct {
	collection, space   string
	request             string // change request of the space
	page, path          string // id or path of a page
	organization        string // id of the organization of the site
	site                string // address of the site with the path below it, without scheme
	shareKey            string // share key of a visitor of the site
	namesPage, external bool
}

// homeOrganization returns the organization in which the location was created, or "" if the address does not contain it.
func (p location) homeOrganization() string {
	id, _ := txn.HomeOrganization(p.collection + p.space)
	if p.organization != "" {
		return p.organization
	}
	return id
}

// parseAddress parses an address. ok is false if it cannot name content.
func parseAddress(address, publicURL string) (p location, ok bool) {
	address = lowerHost(address)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return p, false
	}
	inside, isOurs := strings.CutPrefix(strings.TrimSuffix(address, "/")+"/", strings.TrimSuffix(lowerHost(publicURL), "/")+"/")
	if !isOurs {
		return location{site: u.Host + u.EscapedPath(), external: true, shareKey: u.Query().Get(rest.ShareKeyParam)}, true
	}
	inside, _, _ = strings.Cut(inside, "#")
	inside, _, _ = strings.Cut(inside, "?")
	names := slices.DeleteFunc(strings.Split(inside, "/"), func(name string) bool { return name == "" })
	if len(names) < 3 {
		return p, false
	}
	switch kind := names[1]; names[0] {
	case "app":
		return parseAppPath(kind, strings.Split(names[2], "~"))
	case "v1":
		return parseAPIPath(kind, names[2], names[3:])
	case "sites":
		return location{organization: kind, site: u.Host + u.EscapedPath(), shareKey: u.Query().Get(rest.ShareKeyParam)}, true
	}
	return p, false
}

// lowerHost returns an address with its scheme and host in lower case.
func lowerHost(address string) string {
	scheme, tail, isAbsolute := strings.Cut(address, "://")
	if !isAbsolute {
		return address
	}
	end := strings.IndexAny(tail, "/?#")
	if end < 0 {
		end = len(tail)
	}
	return strings.ToLower(scheme+"://"+tail[:end]) + tail[end:]
}

// parseAppPath returns the location of an address for users: /app/KIND/ID~ID.
func parseAppPath(kind string, ids []string) (p location, ok bool) {
	switch {
	case kind == "collections" && len(ids) == 1:
		return location{collection: ids[0]}, true
	case kind == "spaces" && len(ids) == 1:
		return location{space: ids[0]}, true
	case kind == "pages" && len(ids) == 2:
		return location{space: ids[0], page: ids[1], namesPage: true}, true
	case kind == "change-requests" && len(ids) == 2:
		return location{space: ids[0], request: ids[1]}, true
	}
	return p, false
}

// parseAPIPath returns the location of an API path. Trailing segments are ignored: the path of the comments of a change
// request, for example, resolves to the change request.
func parseAPIPath(kind, id string, below []string) (p location, ok bool) {
	switch kind {
	case "collections":
		return location{collection: id}, true
	case "spaces":
	default:
		return p, false
	}
	p.space = id
	if len(below) > 1 && below[0] == "change-requests" {
		p.request, below = below[1], below[2:]
	}
	if len(below) > 2 && below[0] == "content" {
		switch below[1] {
		case "page":
			p.page, p.namesPage = below[2], true
		case "path":
			p.path, p.namesPage = unescapePath(strings.Join(below[2:], "/")), true
		}
	}
	return p, true
}

func unescapePath(path string) string {
	if text, err := url.PathUnescape(path); err == nil {
		return text
	}
	return path
}
