package finding

// Said is what somebody has said of a group of findings that no campaign has counted yet, which is called by its first
// one: the bug that this one is counted to gets it.
type Said struct {
	Status  Status   `json:"status,omitempty"` // "": nothing
	FixedIn string   `json:"fixed_in,omitempty"`
	Note    string   `json:"note,omitempty"`
	Labels  []string `json:"labels,omitempty"`
}

// Say keeps what somebody made of such a group.
func (b *Bugs) Say(was, is *Bug) {
	s := b.Said[is.ID]
	if is.Status != was.Status || is.FixedIn != was.FixedIn || is.Note != was.Note {
		s.Status, s.FixedIn, s.Note = is.Status, is.FixedIn, is.Note
	}
	s.Labels = is.Labels
	if b.Said == nil {
		b.Said = map[string]Said{}
	}
	b.Said[is.ID] = s
}

// Hear gives a bug what was said of a finding before it was counted to the bug: a status only where the bug is of no
// other findings, of which it was not said.
func (b *Bugs) Hear(g *Bug, name string, fresh bool) {
	s, has := b.Said[name]
	if !has {
		return
	}
	g.Label(s.Labels, false)
	if s.Status != "" && fresh {
		g.Status, g.FixedIn, g.Note = s.Status, s.FixedIn, s.Note
	}
	delete(b.Said, name)
}
