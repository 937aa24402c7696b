package site

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"txweave/campaign/database"
	"txweave/finding"
	"txweave/internal/version"
)

// cellLabels say which cell a value is of.
var cellLabels = []string{"cell", "target", "isolation", "mode"}

// The metrics, by Prometheus's conventions: what is counted over all starts ends in _total.
var (
	descCases = prometheus.NewDesc("txweave_cases_total", "Cases that were counted, checked or not.",
		append(cellLabels[:4:4], "outcome"), nil)
	descSkipped = prometheus.NewDesc("txweave_cases_unchecked_total", "Cases that could not be checked, by reason.",
		append(cellLabels[:4:4], "reason"), nil)
	descFaults = prometheus.NewDesc("txweave_faults_total",
		"Faults of the cell's servers and of txweave that are no case's, such as leaks, by kind.", append(cellLabels[:4:4],
			"kind"), nil)
	descNext  = prometheus.NewDesc("txweave_cell_next_case", "The cell's cursor.", cellLabels, nil)
	descState = prometheus.NewDesc("txweave_cell_state", "1 for the state in which the cell is.",
		append(cellLabels[:4:4], "state"), nil)
	descFailures = prometheus.NewDesc("txweave_cell_failures", "How often in a row the cell could not be run.",
		cellLabels, nil)
	descSeconds = prometheus.NewDesc("txweave_cell_running_seconds_total", "For how long the cell has run.",
		cellLabels, nil)
	descStmts = prometheus.NewDesc("txweave_statements_total",
		"Generated statements of checked cases, by what became of them.", append(cellLabels[:4:4], "fate"), nil)
	descSent = prometheus.NewDesc("txweave_server_statements_total", "Statements sent, added reads included.",
		cellLabels, nil)
	descBugs     = prometheus.NewDesc("txweave_bugs", "Bugs by status.", []string{"status"}, nil)
	descFindings = prometheus.NewDesc("txweave_findings_total", "Findings that were counted to bugs, or wait for that.",
		nil, nil)
	descRunning = prometheus.NewDesc("txweave_campaign_running", "1 while a process runs the campaign.", nil, nil)
	descBuild   = prometheus.NewDesc("txweave_build_info", "Which txweave shows this.", []string{"version"}, nil)
)

// collector reads the campaign when it is asked. It implements prometheus.Collector.
type collector struct{ db *database.DB }

// Describe implements prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descCases, descSkipped, descFaults, descNext, descState, descFailures,
		descSeconds, descStmts, descSent, descBugs, descFindings, descRunning, descBuild} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	st, err := c.db.Status(ctx)
	var bugs *finding.Bugs
	if err == nil {
		bugs, err = c.db.Bugs()
	}
	if err != nil {
		out <- prometheus.NewInvalidMetric(descRunning, err)
		return
	}
	count := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for i := range st.Cells {
		x := &st.Cells[i]
		of := []string{x.Name, x.Target, x.Isolation, x.Mode}
		with := func(more string) []string { return append(of[:4:4], more) }
		count(descCases, float64(x.CasesChecked-x.Found), with("clean")...)
		count(descCases, float64(x.Found), with("finding")...)
		count(descCases, float64(x.Cases-x.CasesChecked), with("unchecked")...)
		for reason, n := range x.Skipped {
			count(descSkipped, float64(n), with(finding.Line(reason))...)
		}
		for kind, n := range x.Faults {
			count(descFaults, float64(n), with(finding.Line(kind))...)
		}
		gauge(descNext, float64(x.NextCase), of...)
		for _, state := range []database.CellState{database.Waiting, database.Running, database.Stopped, database.Unavailable,
			database.Failed,
			database.Complete} {
			v := 0.0
			if x.State == string(state) {
				v = 1
			}
			gauge(descState, v, with(string(state))...)
		}
		gauge(descFailures, float64(x.Failures), of...)
		count(descSeconds, x.Spent.Seconds(), of...)
		w := &x.Counts
		count(descStmts, float64(w.Survived), with("replayed")...)
		count(descStmts, float64(w.Aborted), with("aborted")...)
		count(descStmts, float64(w.Generated-w.Survived-w.Aborted), with("dropped")...)
		count(descSent, float64(w.Sent), of...)
	}
	by := map[string]int{}
	for _, g := range bugs.Bugs {
		by[string(g.Shown())]++
	}
	for _, status := range bugStates {
		gauge(descBugs, float64(by[status]), status)
	}
	count(descFindings, float64(st.Findings))
	running := 0.0
	if st.Running {
		running = 1
	}
	gauge(descRunning, running)
	gauge(descBuild, 1, version.Full())
}

// metrics answers Prometheus.
func (s *Site) metrics() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{s.DB}, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}
