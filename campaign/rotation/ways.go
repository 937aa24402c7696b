package rotation

import (
	"txweave/campaign/target"
	"txweave/internal/trust"
)

// Ways are what a plan names to be executed, read or connected to.
func (p *CampaignPlan) Ways() (out []trust.Way) {
	for i := range p.Parts {
		c := &p.Parts[i]
		if c.Server != "" {
			out = append(out, trust.Program(c.Server))
		}
		if c.DSN != "" {
			out = append(out, trust.Address("dsn", c.DSN))
		}
		if c.DSNFile != "" {
			out = append(out, trust.File(c.DSNFile))
		}
	}
	if n := p.Notify; n != nil {
		if len(n.Command) > 0 {
			out = append(out, trust.Command(n.Command))
		}
		if n.Webhook != "" {
			out = append(out, trust.Address("webhook", n.Webhook))
		}
	}
	return out
}

// Database is the target that a cell is about. In mode detect the planted bugs are tried one by one, and none is there
// for good.
func (c *Part) Database() target.Config {
	out := target.Config{Target: c.Target, DSN: c.DSN, Server: c.Server, Isolation: c.Isolation, Claim: c.Claim,
		Wait: target.DefaultWait}
	if c.DSNFile != "" {
		out.DSN = "@" + c.DSNFile
	}
	if c.Mode != ModeDetect {
		out.Inject = c.Inject
	}
	return out
}
