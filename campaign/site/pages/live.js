// Brings the page up to date while the campaign runs, unless somebody is in the midst of something.
"use strict";
const moved = () => Array.from(document.querySelectorAll("#main [tabindex]"));
setInterval(async () => {
  if (document.hidden || document.activeElement !== document.body || String(getSelection())) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    if (!fresh) return;
    const at = moved().map(e => [e.scrollLeft, e.scrollTop]);
    const open = Array.from(document.querySelectorAll("#main details"), e => e.open);
    document.getElementById("main").replaceWith(fresh);
    moved().forEach((e, i) => { if (at[i]) [e.scrollLeft, e.scrollTop] = at[i]; });
    document.querySelectorAll("#main details").forEach((e, i) => { e.open = e.open || open[i]; });
  } catch { /* the campaign may have ended */ }
}, 5000);
