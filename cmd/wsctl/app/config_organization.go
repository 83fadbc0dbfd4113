package app

// keepsOrganization reports whether the only organization of the user is kept in the profile: the profile's own token is in use, and
// the address is that of the profile.
func (s *Settings) keepsOrganization() bool {
	p := s.File.Profiles[s.Profile.Value]
	return s.envToken == "" && p.TokenStore != "" && p.URL != "" && origin(p.URL) == origin(s.URL.Value)
}

// OnlyOrganization returns the only organization of the user, or "" if it is not known or the token is not that of the profile.
func (s *Settings) OnlyOrganization() string {
	if !s.keepsOrganization() {
		return ""
	}
	id := s.File.Profiles[s.Profile.Value].OnlyOrganization
	s.usedOnly = id != ""
	return id
}

// setOnlyOrganization keeps the only organization of the user in the profile, or forgets it if id is empty. It reads the file again,
// because another command may have changed it.
func (s *Settings) setOnlyOrganization(id string) error {
	if !s.keepsOrganization() {
		return nil
	}
	if _, err := s.read(); err != nil {
		return err
	}
	p := s.File.Profiles[s.Profile.Value]
	if p.OnlyOrganization == id {
		return nil
	}
	p.OnlyOrganization = id
	return s.putProfile(p)
}

// ForgetOnlyOrganization forgets the only organization of the user, who has joined another one.
func (s *Settings) ForgetOnlyOrganization() {
	_ = s.setOnlyOrganization("") // a later command that finds several says so
}

// forgetOrganization forgets the only organization of the user if this run has used it and the server answers that something is not
// there, which may be the organization.
func (s *Settings) forgetOrganization() {
	if s.usedOnly {
		_ = s.setOnlyOrganization("") // the error that is reported is that of the server
	}
}
