package mysqlwire

import (
	"encoding/binary"
	"strings"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"txweave/exec"
)

// wire follows the packets of MySQL's protocol for what a server says behind each answer of the transaction, and how
// many warnings there are, which the driver keeps to itself (dev.mysql.com/doc/dev/mysql-server, OK_Packet and
// EOF_Packet: SERVER_STATUS_IN_TRANS, warnings). It is for connections that are neither encrypted nor compressed.
type wire struct {
	head  []byte       // of the packet that comes: its header, and as much of what follows as can tell anything
	size  int          // of what follows the header, in bytes
	left  int          // of it, what has not come
	first bool         // an answer begins with this packet
	deaf  bool         // the answers that come are of another form
	state atomic.Int32 // an exec.TxnState
	// warnings are how many the last answer had; -1: it did not say.
	warnings atomic.Int32
}

const (
	packetHeader = 4
	// bytes at the beginning of a packet: two numbers of at most 9 bytes, the status and what is before them
	packetStart = 32
	wholePacket = 1<<24 - 1

	statusInTrans     = 0x0001
	statusMoreResults = 0x0008

	commandPrepare  = 0x16
	commandLongData = 0x18
	commandClose    = 0x19
)

// readable says whether the packets of a connection with this configuration can be followed.
func readable(c *mysql.Config) bool {
	return c.TLS == nil && (c.TLSConfig == "" || c.TLSConfig == "false") && !strings.Contains(c.FormatDSN(), "compress=")
}

// Sent notes what is sent: a command, of which an answer is coming, or a part of one.
func (w *wire) Sent(p []byte) {
	if len(p) <= packetHeader || p[3] != 0 { // commands have the number 0
		return
	}
	switch p[packetHeader] {
	case commandClose, commandLongData: // nobody answers
		return
	}
	w.say(exec.TxnUnsaid)
	w.first, w.deaf = true, p[packetHeader] == commandPrepare
	w.head, w.left = w.head[:0], 0
}

// Came notes what has come.
func (w *wire) Came(p []byte) {
	for len(p) > 0 {
		if need := packetHeader - len(w.head); need > 0 {
			n := min(need, len(p))
			w.head, p = append(w.head, p[:n]...), p[n:]
			if n < need {
				return
			}
			w.size = int(w.head[0]) | int(w.head[1])<<8 | int(w.head[2])<<16
			w.left = w.size
		} else {
			n := min(w.left, len(p))
			keep := min(n, packetHeader+packetStart-len(w.head))
			w.head, p = append(w.head, p[:keep]...), p[n:]
			w.left -= n
		}
		if w.left == 0 && len(w.head) >= packetHeader {
			w.packet(w.head[packetHeader:])
			w.head = w.head[:0]
		}
	}
}

// packet reads a packet that has come: p is its beginning.
func (w *wire) packet(p []byte) {
	if w.deaf || len(p) == 0 {
		return
	}
	switch first := w.first; {
	case p[0] == 0xff: // an error, with which nothing is said
		w.say(exec.TxnUnsaid)
	case first && p[0] == 0:
		w.ok(p)
	case first: // how many columns; rows follow
		w.first = false
	case p[0] == 0xfe && w.size == 5: // EOF, as servers send it to whom they must
		w.warnings.Store(int32(binary.LittleEndian.Uint16(p[1:])))
		w.status(binary.LittleEndian.Uint16(p[3:]))
	case p[0] == 0xfe && w.size < wholePacket: // OK behind rows; a row with such a beginning is longer
		w.ok(p)
	}
}

// ok reads the packet that says how many rows were changed, and the status.
func (w *wire) ok(p []byte) {
	at := 1
	for range 2 {
		if at >= len(p) {
			return
		}
		switch p[at] { // a number is one byte, or follows one that says how long it is
		case 0xfc:
			at += 3
		case 0xfd:
			at += 4
		case 0xfe:
			at += 9
		default:
			at++
		}
	}
	if at+4 <= len(p) {
		w.warnings.Store(int32(binary.LittleEndian.Uint16(p[at+2:])))
	}
	if at+2 <= len(p) {
		w.status(binary.LittleEndian.Uint16(p[at:]))
	}
}

// TxnState implements exec.Follower.
func (w *wire) TxnState() exec.TxnState { return exec.TxnState(w.state.Load()) }

// Warnings implements exec.Follower.
func (w *wire) Warnings() int { return int(w.warnings.Load()) }

// say notes what is known without a status, and so without a count of warnings.
func (w *wire) say(s exec.TxnState) {
	w.state.Store(int32(s))
	w.warnings.Store(-1)
}

// status reads a server's status.
func (w *wire) status(s uint16) {
	state := exec.TxnNone
	if s&statusInTrans != 0 {
		state = exec.TxnOpen
	}
	w.state.Store(int32(state))
	w.first = s&statusMoreResults != 0
}
