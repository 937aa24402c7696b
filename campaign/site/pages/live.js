// Brings the page up to date while the campaign runs, unless somebody is in the midst of something.
"use strict";
setInterval(async () => {
  if (document.hidden || document.activeElement !== document.body || String(getSelection())) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    if (fresh) document.getElementById("main").replaceWith(fresh);
  } catch { /* the campaign may have ended */ }
}, 5000);
