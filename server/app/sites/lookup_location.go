package sites

import (
	"net/url"
	"slices"
	"strings"

	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// place is what an address names. Whether it is there, nobody knows yet.
type place struct {
	collection, space    string
	request              string // a change request of the space
	page, path           string // a page by its id, or by its path
	organization         string // whose site it is, by its id
	site                 string // the address of the site and what stands behind it, without its scheme
	shareKey             string // of a visitor of the site
	namesPage, isOutside bool
}

// home is the organization that the place is in, unless it has moved; "" where the address does not say.
func (p place) home() string {
	id, _ := txn.HomeOrganization(p.collection + p.space)
	if p.organization != "" {
		return p.organization
	}
	return id
}

// placeAt reads an address; ok is false for one that can name nothing.
func placeAt(address, publicURL string) (p place, ok bool) {
	address = lowerHost(address)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return p, false
	}
	inside, isOurs := strings.CutPrefix(strings.TrimSuffix(address, "/")+"/", strings.TrimSuffix(lowerHost(publicURL), "/")+"/")
	if !isOurs {
		return place{site: u.Host + u.EscapedPath(), isOutside: true, shareKey: u.Query().Get(rest.ShareKeyParam)}, true
	}
	inside, _, _ = strings.Cut(inside, "#")
	inside, _, _ = strings.Cut(inside, "?")
	names := slices.DeleteFunc(strings.Split(inside, "/"), func(name string) bool { return name == "" })
	if len(names) < 3 {
		return p, false
	}
	switch kind := names[1]; names[0] {
	case "app":
		return appPlace(kind, strings.Split(names[2], "~"))
	case "v1":
		return apiPlace(kind, names[2], names[3:])
	case "sites":
		return place{organization: kind, site: u.Host + u.EscapedPath(), shareKey: u.Query().Get(rest.ShareKeyParam)}, true
	}
	return p, false
}

// lowerHost writes the scheme and the host of an address in lower case: they mean the same.
func lowerHost(address string) string {
	scheme, behind, isAbsolute := strings.Cut(address, "://")
	if !isAbsolute {
		return address
	}
	end := strings.IndexAny(behind, "/?#")
	if end < 0 {
		end = len(behind)
	}
	return strings.ToLower(scheme+"://"+behind[:end]) + behind[end:]
}

// appPlace is the place of an address for people: /app/KIND/ID~ID.
func appPlace(kind string, ids []string) (p place, ok bool) {
	switch {
	case kind == "collections" && len(ids) == 1:
		return place{collection: ids[0]}, true
	case kind == "spaces" && len(ids) == 1:
		return place{space: ids[0]}, true
	case kind == "pages" && len(ids) == 2:
		return place{space: ids[0], page: ids[1], namesPage: true}, true
	case kind == "change-requests" && len(ids) == 2:
		return place{space: ids[0], request: ids[1]}, true
	}
	return p, false
}

// apiPlace is the place of an address of this interface. What it says beyond a page does not matter: the comments of a
// change request are at the change request.
func apiPlace(kind, id string, below []string) (p place, ok bool) {
	switch kind {
	case "collections":
		return place{collection: id}, true
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
			p.path, p.namesPage = unescaped(strings.Join(below[2:], "/")), true
		}
	}
	return p, true
}

func unescaped(path string) string {
	if text, err := url.PathUnescape(path); err == nil {
		return text
	}
	return path
}
