package report

// markdown, jira and plain are the markups that trackers read.
var (
	markdown = markup{func(s string) string { return s }, "```sql", "```"}
	jira     = markup{func(s string) string { return "h3. " + s }, "{noformat}", "{noformat}"}
	plain    = markup{func(s string) string { return s + ":" }, "", ""}
)

// trackers are the places that reports go to, in the order of help.
var trackers = []*tracker{
	{
		// bugs.mysql.com: plain text under these headings.
		name: "mysql", title: "Synopsis: ", scripts: []string{"sql", "tidb"}, markup: plain,
		private: "On bugs.mysql.com tick the box that makes the report private, or write to secalert_us@oracle.com.",
		sections: []section{
			{"Category", func(d *doc) { d.text("MySQL Server: InnoDB storage engine") }},
			{"Severity", func(d *doc) { d.text("%s", d.severity()) }},
			{"Version", version}, {"OS", platform},
			{"Description", description},
			{"What happened", transcript},
			{"What should have happened", expected},
			{"Why this is wrong", why},
			{"How to repeat", script},
			{"Settings", settings},
			{"How often, and when", rate},
			{"Suggested fix", func(d *doc) { d.text("None.") }},
		},
	},
	{
		// jira.mariadb.org: affected versions and environment are fields of their own.
		name: "mariadb", title: "Summary: ", scripts: []string{"mtr", "tidb"}, markup: jira,
		private: "In MariaDB's Jira set the security level, or write to security@mariadb.org.",
		sections: []section{
			{"Affects Version/s", version}, {"Environment", platform},
			{"Description", description},
			{"What happened", transcript},
			{"What should have happened", expected},
			{"Why this is wrong", why},
			{"Test", script},
			{"Settings", settings},
			{"How often, and when", rate},
		},
	},
	{
		// TiDB's issue template; its headings must stay as they are.
		name: "tidb", title: "Title: ", scripts: []string{"tidb"}, markup: markdown,
		private: "Write to security@pingcap.com instead of opening an issue.",
		sections: []section{
			{"## Bug Report", description},
			{"### 1. Minimal reproduce step (Required)", func(d *doc) { script(d); rate(d) }},
			{"### 2. What did you expect to see? (Required)", func(d *doc) { expected(d); why(d) }},
			{"### 3. What did you see instead (Required)", transcript},
			{"### 4. What is your TiDB version? (Required)", func(d *doc) { version(d); platform(d); settings(d) }},
		},
	},
	{
		// pgsql-bugs@lists.postgresql.org: mail in plain text.
		name: "postgresql", title: "Subject: ", scripts: []string{"isolation-spec", "tidb"}, markup: plain,
		private: "Write to security@postgresql.org instead of the list.",
		sections: []section{
			{"PostgreSQL version", version}, {"Operating system", platform},
			{"Description", description},
			{"What happened", transcript},
			{"What should have happened", expected},
			{"Why this is wrong", why},
			{"Steps", script},
			{"Settings", settings},
			{"How often, and when", rate},
		},
	},
	{
		// sqlite.org/forum: Markdown.
		name: "sqlite", title: "Title: ", scripts: []string{"sql", "tidb"}, markup: markdown,
		private: "Write to drh@sqlite.org instead of the forum.",
		sections: []section{
			{"## Description", description},
			{"## What happened", transcript},
			{"## What should have happened", expected},
			{"## Why this is wrong", why},
			{"## Scripts, one for each connection", script},
			{"## Version and settings", func(d *doc) { version(d); platform(d); settings(d) }},
			{"## How often, and when", rate},
		},
	},
}
