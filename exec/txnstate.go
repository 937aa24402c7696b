package exec

// TxnState is what a database says of a session's transaction with an answer.
type TxnState int

// What it says.
const (
	TxnUnsaid TxnState = iota // nothing
	TxnOpen
	TxnNone // none is open
)

// stateful is a connection that says whether a transaction is open, as of the last answer.
type stateful interface{ TxnState() TxnState }

// TxnState is what the last answer said.
func (s *Session) TxnState() TxnState {
	if c, tells := s.conn.(stateful); tells {
		if state := c.TxnState(); state != TxnUnsaid {
			return state
		}
	}
	if s.raw != nil && s.raw.follow != nil {
		return s.raw.follow.TxnState()
	}
	return TxnUnsaid
}

// noWarnings says that the last answer came with a count of warnings, and that it was 0: nobody needs to ask for them.
func (s *Session) noWarnings() bool {
	return s.raw != nil && s.raw.follow != nil && s.raw.follow.Warnings() == 0
}
