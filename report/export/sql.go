package export

import (
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/report/timeline"
)

// writeSQL writes scripts for the command-line client: setup.sql makes the tables, T0.sql, T1.sql, … are the
// sessions, which run at the same time, serial.sql is the order without concurrency, and run.sh runs them all. The
// sessions wait for one another: at the start until all of them are there, then each at every moment until the one
// before has passed. Where the server has GET_LOCK that is done with user locks, which touch neither rows nor
// snapshots: each session holds a lock for every moment of its own and releases it when the moment has passed. With
// a client that runs commands of the shell it is done with files in the directory.
func writeSQL(s *script) ([]File, error) {
	head := comment("-- ", s.head()...)
	var setup strings.Builder
	setup.WriteString(head)
	if s.store != nil {
		for _, sql := range s.store.Set { // the size of pages is a file's from its first table on
			setup.WriteString(sql + ";\n")
		}
	}
	for _, sql := range append(s.drops(), s.creation()...) {
		setup.WriteString(sql + ";\n")
	}
	var sessions []string
	var scripts []File
	for _, i := range s.usedLanes() {
		sessions = append(sessions, s.Lanes[i].Name)
	}
	alone := len(sessions) == 1 // there is nobody to wait for
	for _, i := range s.usedLanes() {
		scripts = append(scripts, File{s.Lanes[i].Name + ".sql", s.sessionScript(i, len(sessions))})
	}
	if s.dbms.Locks && !alone {
		setup.WriteString(rendezvous(sessions))
	}
	files := append([]File{{"setup.sql", setup.String()}}, scripts...)
	var final strings.Builder
	for _, sql := range s.reads() {
		fmt.Fprintf(&final, "%s ORDER BY 1;\n", sql)
	}
	for _, sql := range Checks(s.finding) {
		fmt.Fprintf(&final, "%s;\n", sql)
	}
	if s.dbms.Locks && !alone {
		final.WriteString("DROP TABLE txweave_windows;\nDROP PROCEDURE txweave_meet;\nDROP PROCEDURE txweave_await;\n")
	}
	files = append(files, File{"final.sql", final.String()})
	if len(s.serial) > 0 {
		files = append(files, File{"serial.sql", s.serialScript()})
	}
	switch {
	case s.dbms.Shell != nil:
		if !alone {
			files = append(files, File{"await.sh", awaitShell})
		}
		files = append(files, File{"run.sh", s.dbms.Shell.script(sessions, len(s.serial) > 0, s.store)})
	case s.dbms.Locks || alone:
		files = append(files, File{"run.sh", runScript(sessions, len(s.serial) > 0)})
	}
	return files, nil
}

// rendezvous returns what the sessions wait for one another with. A session that waits in vain says for whom and goes
// on, which shows: its answers are no longer those of the run. To meet, a session tells its name again until all are
// there, so that nobody waits for one whose message was lost.
func rendezvous(sessions []string) string {
	return fmt.Sprintf(`
-- How the windows wait for one another: txweave_meet until all are open, txweave_await until a moment has passed.
DROP TABLE IF EXISTS txweave_windows;
CREATE TABLE txweave_windows (name VARCHAR(20), seen BOOLEAN, patience INT) ENGINE = MEMORY; -- patience: in seconds
INSERT INTO txweave_windows VALUES ('%s', FALSE, %d);
DROP PROCEDURE IF EXISTS txweave_meet;
DROP PROCEDURE IF EXISTS txweave_await;
DELIMITER //
CREATE PROCEDURE txweave_meet(me VARCHAR(20))
BEGIN
  DECLARE missing, said TEXT DEFAULT me;
  DECLARE started DATETIME DEFAULT SYSDATE();
  SET @txweave_patience = (SELECT MAX(patience) FROM txweave_windows);
  WHILE missing IS NOT NULL DO
    UPDATE txweave_windows SET seen = TRUE WHERE name = me;
    SET missing = (SELECT GROUP_CONCAT(name) FROM txweave_windows WHERE NOT seen);
    IF missing IS NOT NULL AND TIMESTAMPDIFF(SECOND, started, SYSDATE()) > @txweave_patience THEN
      SET said = LEFT(CONCAT('txweave: waited in vain for window ', missing, ' to open'), 128);
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
    END IF;
    DO SLEEP(0.05);
  END WHILE;
END //
CREATE PROCEDURE txweave_await(moment VARCHAR(30), what VARCHAR(60))
BEGIN
  DECLARE said TEXT;
  IF COALESCE(GET_LOCK(moment, @txweave_patience), 0) = 0 THEN
    SET said = LEFT(CONCAT('txweave: waited in vain for ', what, ': this is not the interleaving'), 128);
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
  END IF;
  DO RELEASE_LOCK(moment);
END //
DELIMITER ;
`, strings.Join(sessions, fmt.Sprintf("', FALSE, %d), ('", byHand)), byHand)
}

// How long a session waits for another one, in seconds: where a person opens the windows, and where run.sh opens all at
// once.
const (
	byHand   = 600
	byScript = 120
)

// tick names the user lock, or the file, of a moment.
func tick(i int) string { return fmt.Sprintf("'txweave %d'", i+1) }

// sessionScript is one session's part of the interleaving.
func (s *script) sessionScript(lane, sessions int) string {
	var b strings.Builder
	if sessions > 1 {
		fmt.Fprintf(&b, "-- %s: at the same time as the other sessions' scripts\n", s.Lanes[lane].Name)
		s.meet(&b, lane) // before the session is told not to wait for locks of tables
	}
	for _, sql := range s.laneSetup(s.Lanes[lane]) {
		b.WriteString(sql + ";\n")
	}
	for i, m := range s.Marks {
		if m.Step.Lane != lane {
			continue
		}
		if m.Kind != timeline.Resumed {
			s.awaitTick(&b, i, lane)
		}
		s.moment(&b, i, m, sessions > 1)
	}
	return b.String()
}

// meet lets a session wait until all are there, with the locks of its own moments.
func (s *script) meet(b *strings.Builder, lane int) {
	name := s.Lanes[lane].Name
	switch {
	case s.dbms.Shell != nil:
		fmt.Fprintf(b, ".shell touch here.%s\n", name)
		for _, i := range s.usedLanes() {
			if i != lane {
				fmt.Fprintf(b, ".shell sh await.sh here.%s window %s to open\n", s.Lanes[i].Name, s.Lanes[i].Name)
			}
		}
	case s.dbms.Locks:
		var own []string
		for i, m := range s.Marks {
			if m.Step.Lane == lane {
				own = append(own, "GET_LOCK("+tick(i)+", 0)")
			}
		}
		fmt.Fprintf(b, "DO %s; -- this session's moments\nCALL txweave_meet('%s'); -- until every session has its locks\n",
			strings.Join(own, ", "), name)
	}
}

// awaitTick waits for the moment before, where it is another session's.
func (s *script) awaitTick(b *strings.Builder, i, lane int) {
	if i == 0 || s.Marks[i-1].Step.Lane == lane {
		return
	}
	before := s.Marks[i-1]
	how := map[timeline.MarkKind]string{timeline.Ran: "", timeline.Blocked: ", which waits",
		timeline.Resumed: " to resume"}[before.Kind]
	switch {
	case s.dbms.Shell != nil:
		fmt.Fprintf(b, "-- wait for %s%s\n.shell sh await.sh moment.%d %s\n", before.Step.Name, how, i, before.Step.Name)
		return
	case !s.dbms.Locks:
		fmt.Fprintf(b, "-- wait for %s%s\n", before.Step.Name, how)
		return
	}
	fmt.Fprintf(b, "CALL txweave_await(%s, '%s%s');\n", tick(i-1), before.Step.Name, how)
	for k := i - 1; k >= 0 && (s.Marks[k].Kind != timeline.Ran || s.Marks[k].Step.Role == history.Abort); k-- {
		if s.Marks[k].Kind == timeline.Blocked {
			b.WriteString("DO SLEEP(0.5);\n") // it is on its way
			break
		}
	}
}

// moment writes one moment of a session.
func (s *script) moment(b *strings.Builder, i int, m timeline.Mark, told bool) {
	release := func() {
		switch {
		case !told:
		case s.dbms.Shell != nil:
			fmt.Fprintf(b, ".shell touch moment.%d\n", i+1)
		case s.dbms.Locks:
			fmt.Fprintf(b, "DO RELEASE_LOCK(%s);\n", tick(i))
		}
	}
	switch m.Kind {
	case timeline.Ran:
		fmt.Fprintf(b, "%s;%s\n", m.Step.SQL, s.remark(m.Step, ""))
		release()
	case timeline.Blocked:
		if s.dbms.Shell != nil { // it is refused, and sent again when it can go on
			fmt.Fprintf(b, "%s;%s\n", m.Step.SQL, s.remark(m.Step, " is refused: the database is locked"))
			release()
			break
		}
		release() // before it is sent: it answers only when it wakes
		fmt.Fprintf(b, "%s;%s\n", m.Step.SQL, s.remark(m.Step, " waits"))
	case timeline.Resumed:
		if s.dbms.Shell != nil {
			s.awaitTick(b, i, m.Step.Lane)
			fmt.Fprintf(b, "%s;%s\n", m.Step.SQL, s.remark(m.Step, " again"))
		}
		release()
	}
}

// remark names a target statement and says what is expected of it.
func (s *script) remark(st *timeline.LaneStep, how string) string {
	if st.Role != history.Target && !st.Probe() && how == "" && st.Answer.Err == nil {
		return ""
	}
	out := " -- " + st.Name + how
	if st.Answer.Err != nil {
		out += ", error " + history.ErrorName(st.Answer.Err.Code)
	}
	for _, d := range st.Differences {
		if s.finding.Plain != nil {
			out += "; finding: " + s.finding.Say(&d)
		} else {
			out += "; finding: " + d.Told()
		}
	}
	return remark(out)
}

// serialScript runs the serial executions one after the other.
func (s *script) serialScript() string {
	var b strings.Builder
	for _, sql := range slices.Concat(s.setup, s.dbms.Alone) {
		b.WriteString(sql + ";\n")
	}
	for _, x := range s.serial {
		fmt.Fprintf(&b, "\n-- %s\n", x.what)
		for _, sql := range slices.Concat(s.drops(), s.creation()) {
			b.WriteString(sql + ";\n")
		}
		for _, st := range x.steps {
			fmt.Fprintf(&b, "%s;%s\n", st.SQL, from(st))
		}
		for _, sql := range s.reads() {
			fmt.Fprintf(&b, "%s ORDER BY 1;\n", sql)
		}
	}
	return b.String()
}

// runScript runs the scripts with a client that the caller names.
func runScript(sessions []string, serial bool) string {
	var b strings.Builder
	b.WriteString(`#!/bin/sh
# usage: sh run.sh CLIENT ARGUMENTS..., for example: sh run.sh mariadb -u root test
# Drops and creates the case's tables in that database.
cd "$(dirname "$0")" || exit 1
"$@" < setup.sql || exit 1
`)
	if len(sessions) > 1 {
		fmt.Fprintf(&b, "echo \"UPDATE txweave_windows SET patience = ${PATIENCE:-%d}\" | \"$@\" || exit 1\n", byScript)
	}
	for _, name := range sessions {
		fmt.Fprintf(&b, "\"$@\" --force --table -vv < %s.sql > %s.out 2>&1 &\n", name, name)
	}
	showOutputs(&b, sessions, `"$@" --table -vv`, `"$@" --force --table -vv`, serial)
	return b.String()
}

// showOutputs waits for the sessions and prints what each of them said, then what the tables hold and what the serial
// order gives, asked by those commands.
func showOutputs(b *strings.Builder, sessions []string, final, alone string, serial bool) {
	b.WriteString("wait\n")
	for _, name := range sessions {
		fmt.Fprintf(b, "echo '== %s'; cat %s.out\n", name, name)
	}
	fmt.Fprintf(b, "echo '== after the transactions'; %s < final.sql\n", final)
	if serial {
		fmt.Fprintf(b, "echo '== without concurrency'; %s < serial.sql\n", alone)
	}
}

// awaitShell is the script with which the sessions of a client that is a shell wait for one another.
var awaitShell = fmt.Sprintf(`#!/bin/sh
# usage: sh await.sh FILE WHAT...: waits until the file is there; after $PATIENCE seconds it says for what it waited in vain.
file=$1
shift
late=$(($(date +%%s) + ${PATIENCE:-%d}))
until [ -e "$file" ]; do
  if [ "$(date +%%s)" -gt "$late" ]; then
    echo "txweave: waited in vain for $*"
    exit 1
  fi
  sleep 0.05
done
`, byHand)

// script runs the scripts with the client, each over a connection of its own to one file.
func (c *Shell) script(sessions []string, serial bool, store *dbms.StoreShape) string {
	var b strings.Builder
	first := ""
	if store != nil { // the size of pages is a file's before its journal is another one
		first = strings.Join(store.Set, "; ") + "; "
	}
	remove := "rm -f " + strings.Join(append([]string{c.File}, c.Beside...), " ") + " here.* moment.*\n"
	fmt.Fprintf(&b, `#!/bin/sh
# usage: sh run.sh [%[1]s]
# Makes and removes %[2]s in this directory.
cd "$(dirname "$0")" || exit 1
client=${1:-%[1]s}
export PATIENCE="${PATIENCE:-%[3]d}"
%[4]secho '%[5]s' | "$client" %[2]s > /dev/null || exit 1
"$client" %[2]s < setup.sql || exit 1
`, c.Program, c.File, byScript, remove, first+c.First)
	client := `"$client" ` + c.Options + " " + c.File
	for _, name := range sessions {
		fmt.Fprintf(&b, "%s < %s.sql > %s.out 2>&1 &\n", client, name, name)
	}
	showOutputs(&b, sessions, client, client, serial)
	b.WriteString(remove)
	return b.String()
}
