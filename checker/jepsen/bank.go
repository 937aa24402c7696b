package jepsen

import (
	"fmt"
	"strings"

	"txweave/fault"
	"txweave/history"
	"txweave/history/workload"
)

// bank checks that every read of the accounts finds what all of them hold together, that no account is missing or new,
// and, unless the options allow it, that none holds less than nothing. Accounts are those that the first read finds or
// a transfer names. An account that is not in a read holds nothing there.
func (v *WorkloadVerdict) bank(h *workload.Clients, opt Demands) WorkloadVerdict {
	accounts := map[int64]bool{}
	var reads []*workload.Call
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case op.Func == workload.Transfer:
			accounts[op.From], accounts[op.To] = true, true
		case op.Func != workload.Read:
			return v.unknown("%s is not an operation of a bank", where(h, "add", op))
		case op.Outcome != history.Committed:
		case op.IsInteger || !op.IsMap && !op.IsList:
			return v.unknown("%s returned no balances", where(h, "read", op))
		default:
			if op.IsList { // balances of accounts 0, 1, …
				for a, n := range op.Elements {
					op.Balances = append(op.Balances, workload.Balance{Account: int64(a), Amount: n})
				}
				op.IsList, op.IsMap, op.Elements = false, true, nil
			}
			reads = append(reads, op)
		}
	}
	if len(reads) == 0 {
		v.note("there are no reads")
		return *v
	}
	for _, b := range reads[0].Balances {
		accounts[b.Account] = true
	}
	total := commonTotal(reads)
	if opt.Total != nil {
		total = *opt.Total
	}
	for _, op := range reads {
		v.balances(h, op, accounts, total, opt)
	}
	return *v
}

func commonTotal(reads []*workload.Call) (total int64) {
	count := map[int64]int{}
	for _, op := range reads {
		count[sum(op)]++
	}
	most := 0
	for _, op := range reads {
		if s := sum(op); count[s] > most {
			total, most = s, count[s]
		}
	}
	return total
}

func sum(op *workload.Call) (n int64) {
	for _, b := range op.Balances {
		n += b.Amount
	}
	return n
}

// balances checks one read; the first thing that is wrong with it counts.
func (v *WorkloadVerdict) balances(h *workload.Clients, op *workload.Call, accounts map[int64]bool, total int64,
	opt Demands) {
	var all []string
	for _, b := range op.Balances {
		amount := fmt.Sprint(b.Amount)
		if b.Nil {
			amount = "nil"
		}
		all = append(all, h.Name(b.Account)+" "+amount)
	}
	read := fmt.Sprintf("%s found {%s}", where(h, "read", op), strings.Join(all, ", "))
	for _, b := range op.Balances {
		if !accounts[b.Account] {
			v.wrong(fault.HistoryUnexpectedAccount, "%s: neither the first read nor a transfer knows account %s", read,
				h.Name(b.Account))
			return
		}
	}
	for _, b := range op.Balances {
		if b.Nil {
			v.wrong(fault.HistoryMissingBalance, "%s: account %s has no balance", read, h.Name(b.Account))
			return
		}
	}
	if s := sum(op); s != total {
		v.wrong(fault.HistoryWrongTotal, "%s: %d in all, not %d", read, s, total)
		return
	}
	for _, b := range op.Balances {
		if b.Amount < 0 && !opt.Negative {
			v.wrong(fault.HistoryNegativeBalance, "%s: account %s holds %d", read, h.Name(b.Account), b.Amount)
			return
		}
	}
}
