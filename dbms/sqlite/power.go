package sqlite

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A power cut leaves of a file what was synced, and of each sector that was written since then either what it held when
// the file was synced or what was written last. SQLite's own assumptions are no stronger (sqlite.org/atomiccommit.html,
// 2.0). So that one can be simulated, the default VFS of the host's process is replaced by one that passes everything
// on to it and remembers, of the database and its log, what the sectors that were written since the last xSync held
// before. Shared memory is no file here: it is gone then.

// sector is how much is written as a whole or not at all.
const sector = 512

// disk is what the process has written and not synced.
var disk = &volatileDisk{files: map[string]*volatileFile{}, open: map[uintptr]*volatileHandle{},
	methods: map[uintptr]uintptr{}}

type volatileDisk struct {
	mu      sync.Mutex
	beneath uintptr // the VFS that does the work
	files   map[string]*volatileFile
	open    map[uintptr]*volatileHandle // by sqlite3_file
	methods map[uintptr]uintptr         // ours, by those of the VFS beneath
}

// volatileHandle is an open file of SQLite's.
type volatileHandle struct {
	file    *volatileFile
	beneath *sqlite3.Tsqlite3_io_methods
}

// volatileFile is a file by its path.
type volatileFile struct {
	// raw stays open as long as the process lives: to close it would drop the locks that SQLite has on the file
	// (fcntl(2)).
	raw    *os.File
	synced int64            // its size when it was synced
	before map[int64][]byte // sector -> what it held then, as far as the file went
}

// function is the address of a function as the translated library calls one.
func function(f any) uintptr {
	type word [2]uintptr
	return (*word)(unsafe.Pointer(&f))[1]
}

// cPointer is what is at an address that is not the Go runtime's.
func cPointer[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// loseable makes the process's files ones that a power cut can spoil. It comes before the first of them is opened.
func loseable() error {
	tls := libc.NewTLS()
	defer tls.Close()
	disk.beneath = sqlite3.Xsqlite3_vfs_find(tls, 0)
	if disk.beneath == 0 {
		return errors.New("sqlite: there is no VFS")
	}
	ours, err := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{}))), error(nil)
	name, nerr := libc.CString("txweave-power")
	if err = errors.Join(err, nerr); err != nil || ours == 0 {
		return fmt.Errorf("sqlite: no memory for a VFS: %w", err)
	}
	v := cPointer[sqlite3.Tsqlite3_vfs](ours)
	*v = *cPointer[sqlite3.Tsqlite3_vfs](disk.beneath)
	v.FpNext, v.FzName, v.FxOpen = 0, name, function(volatileOpen)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, ours, 1); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("sqlite: the VFS is refused: %d", rc)
	}
	return nil
}

// kept are the files of which unsynced writes are remembered.
const kept = sqlite3.SQLITE_OPEN_MAIN_DB | sqlite3.SQLITE_OPEN_WAL | sqlite3.SQLITE_OPEN_MAIN_JOURNAL

// volatileOpen is xOpen.
func volatileOpen(tls *libc.TLS, vfs, path, file uintptr, flags int32, out uintptr) int32 {
	d := disk
	d.mu.Lock()
	defer d.mu.Unlock()
	open := cPointer[sqlite3.Tsqlite3_vfs](d.beneath).FxOpen
	rc := (*(*func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{open})))(
		tls, d.beneath, path, file, flags, out)
	f := cPointer[sqlite3.Tsqlite3_file](file)
	if rc != sqlite3.SQLITE_OK || f.FpMethods == 0 || path == 0 || flags&kept == 0 {
		return rc
	}
	v, err := d.fileOf(libc.GoString(path))
	if err != nil {
		return sqlite3.SQLITE_CANTOPEN
	}
	d.open[file] = &volatileHandle{v, cPointer[sqlite3.Tsqlite3_io_methods](f.FpMethods)}
	if d.methods[f.FpMethods] == 0 {
		d.methods[f.FpMethods] = watching(tls, f.FpMethods)
	}
	f.FpMethods = d.methods[f.FpMethods]
	return rc
}

// watching returns methods that remember and pass on to others.
func watching(tls *libc.TLS, beneath uintptr) uintptr {
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
	m := cPointer[sqlite3.Tsqlite3_io_methods](p)
	*m = *cPointer[sqlite3.Tsqlite3_io_methods](beneath)
	m.FxClose, m.FxWrite, m.FxTruncate, m.FxSync = function(volatileClose), function(volatileWrite),
		function(volatileTruncate), function(volatileSync)
	return p
}

// fileOf returns the file of a path: a new one where another file has the name now.
func (d *volatileDisk) fileOf(path string) (*volatileFile, error) {
	now, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if f := d.files[path]; f != nil {
		if had, err := f.raw.Stat(); err == nil && os.SameFile(had, now) {
			return f, nil
		}
	}
	raw, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	f := &volatileFile{raw: raw, synced: now.Size(), before: map[int64][]byte{}}
	d.files[path] = f
	return f, nil
}

// remember keeps what the sectors from an offset to another hold, unless they have been written since the last sync.
func (f *volatileFile) remember(from, to int64) error {
	for at := from / sector; at*sector < to; at++ {
		if _, there := f.before[at]; there {
			continue
		}
		var held []byte
		if left := f.synced - at*sector; left > 0 {
			held = make([]byte, min(sector, left))
			if _, err := f.raw.ReadAt(held, at*sector); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		f.before[at] = held
	}
	return nil
}

func volatileClose(tls *libc.TLS, file uintptr) int32 {
	disk.mu.Lock()
	defer disk.mu.Unlock()
	h := disk.open[file]
	delete(disk.open, file)
	return (*(*func(*libc.TLS, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{h.beneath.FxClose})))(tls, file)
}

func volatileWrite(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
	disk.mu.Lock()
	defer disk.mu.Unlock()
	h := disk.open[file]
	if err := h.file.remember(offset, offset+int64(n)); err != nil {
		return sqlite3.SQLITE_IOERR_WRITE
	}
	return (*(*func(*libc.TLS, uintptr, uintptr, int32, int64) int32)(
		unsafe.Pointer(&struct{ uintptr }{h.beneath.FxWrite})))(tls, file, buf, n, offset)
}

func volatileTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	disk.mu.Lock()
	defer disk.mu.Unlock()
	h := disk.open[file]
	if err := h.file.remember(size, h.file.synced); err != nil {
		return sqlite3.SQLITE_IOERR_TRUNCATE
	}
	return (*(*func(*libc.TLS, uintptr, int64) int32)(unsafe.Pointer(&struct{ uintptr }{h.beneath.FxTruncate})))(
		tls, file, size)
}

func volatileSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	disk.mu.Lock()
	defer disk.mu.Unlock()
	h := disk.open[file]
	rc := (*(*func(*libc.TLS, uintptr, int32) int32)(unsafe.Pointer(&struct{ uintptr }{h.beneath.FxSync})))(
		tls, file, flags)
	if rc != sqlite3.SQLITE_OK {
		return rc
	}
	now, err := h.file.raw.Stat()
	if err != nil {
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	h.file.synced, h.file.before = now.Size(), map[int64][]byte{}
	return rc
}

// cutPower leaves the files as a power cut might, which a seed decides, and ends the process.
func cutPower(seed uint64) error {
	disk.mu.Lock() // nothing is written any more
	rng := rand.New(rand.NewPCG(seed, 0x706f776572))
	all := rng.IntN(3) == 0
	lost := func() bool { return all || rng.IntN(2) == 0 }
	for _, path := range slices.Sorted(maps.Keys(disk.files)) {
		if err := disk.files[path].cut(lost); err != nil {
			disk.mu.Unlock()
			return err
		}
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Kill()
}

// cut puts back what sectors held before, those of which lost says so. A file that has grown or shrunk since it was
// synced does so in one step, or not.
func (f *volatileFile) cut(lost func() bool) error {
	now, err := f.raw.Stat()
	if err != nil {
		return err
	}
	size := now.Size()
	if size != f.synced && lost() {
		size = f.synced
	}
	for _, at := range slices.Sorted(maps.Keys(f.before)) {
		held := f.before[at]
		if from := at * sector; from < size && (from >= now.Size() || lost()) {
			put := make([]byte, min(sector, size-from))
			copy(put, held)
			if _, err := f.raw.WriteAt(put, from); err != nil {
				return err
			}
		}
	}
	return f.raw.Truncate(size)
}
