// Package version says which txweave this is.
package version

import "runtime/debug"

// Number is the release that this tree is, or is going to be.
const Number = "0.2.0"

// Tool is what case files call their author.
const Tool = "txweave " + Number

// Full names the release and what it was built from: "txweave 0.2.0 (1f2e3d4c5b6a+changes)".
func Full() string { return Tool + " (" + Revision() + ")" }

// Revision returns the commit that the binary was built from, "+changes" if the tree had any, or the version of the
// module where it was built as one; "unknown revision" where the build does not know.
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown revision"
	}
	rev, dirty := "unknown revision", ""
	if v := info.Main.Version; v != "" && v != "(devel)" {
		rev = v
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			rev = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	return rev + dirty
}
