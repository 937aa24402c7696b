package instrument

import (
	"fmt"

	"txweave/sql/sqltext"
)

// checkHeirs refuses tables that inherit where rows of theirs could not be told apart: a key of one table says nothing
// of the others' rows, so that it must be a CHECK of each that does.
func checkHeirs(s *sqltext.Schema) error {
	seen := map[string]bool{}
	for i := range s.Heirs {
		h := &s.Heirs[i]
		parent := s.Table(h.Of)
		share := fmt.Sprintf("%s %d of %d", h.Of, h.Rest, s.Heir(h.Of).Modulus)
		switch {
		case h.Extra != "":
			return fmt.Errorf("schema: table %s: what inherits has a CHECK of its pkey and PRIMARY KEY (pkey) at most: %s",
				h.Name, h.Extra)
		case h.Modulus == 0 || h.Modulus != s.Heir(h.Of).Modulus || seen[share]:
			return fmt.Errorf(
				"schema: table %s: CHECK (pkey %% n = m), in %s with NO INHERIT, must say which rows it has and no other of them",
				h.Name, h.Of)
		case parent.Named() && !h.Own() && !h.Keyed:
			return fmt.Errorf(
				"schema: table %s: it needs PRIMARY KEY (pkey): what makes the pkeys of %s unique is no key of its own",
				h.Name, h.Of)
		case len(parent.Deciding()) > 0 || len(parent.Unique) > 0:
			return fmt.Errorf("schema: table %s: a unique key of %s without pkey is none of the rows of tables that inherit",
				h.Name, h.Of)
		case len(parent.Parents) > 0 || len(s.Children(h.Of)) > 0 || len(s.On(h.Of)) > 0 || len(s.On(h.Name)) > 0:
			return fmt.Errorf("schema: table %s: foreign keys and triggers of %s are none of the tables that inherit",
				h.Name, h.Of)
		}
		seen[share] = true
	}
	return nil
}
