// What forms alone cannot do: choices that count at once, keys, files, and copying.
"use strict";
document.addEventListener("change", event => {
  const form = event.target.closest("form[data-auto]");
  if (form) form.requestSubmit();
  event.target.closest("form[data-keep]")?.setAttribute("data-changed", "");
  if (event.target.matches("[data-upload]") && event.target.files.length) upload(event.target.files[0], event.target.dataset.upload);
});
document.addEventListener("keydown", event => {
  const field = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || field.matches("input:not([type=radio], [type=checkbox]), select, textarea")) return;
  const choice = field.closest("form[data-keys]")?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (choice) { choice.focus(); choice.click(); }
});
document.addEventListener("click", async event => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = document.getElementById(button.dataset.copy);
  try { await navigator.clipboard.writeText(text.textContent); button.classList.add("done"); }
  catch { getSelection().selectAllChildren(text); }
});
// A point of the picture stands for its button in the table below.
for (const kind of ["click", "keydown"]) document.addEventListener(kind, event => {
  const point = event.target.closest?.("[data-for]");
  if (!point || kind === "keydown" && event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  document.getElementById(point.dataset.for)?.click();
});
// A page that comes because a job ended takes nothing back that was chosen meanwhile.
let kept = null;
document.addEventListener("htmx:beforeSwap", event => {
  const form = document.querySelector("form[data-changed]");
  kept = form && event.detail.requestConfig.elt.id === "job" ? new FormData(form) : null;
});
document.addEventListener("htmx:afterSettle", () => {
  const form = kept && document.querySelector("form[data-keep]");
  if (!form) return;
  form.dataset.changed = form.closest("details").open = true;
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = kept.has(field.name);
    else if (kept.has(field.name)) field.value = kept.get(field.name);
  }
  kept = null;
});
for (const kind of ["dragover", "drop"]) document.addEventListener(kind, event => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  if (kind === "drop" && event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
});
// On a narrow screen the steps are a strip.
const showStep = () => document.querySelector(".steps [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
document.addEventListener("DOMContentLoaded", showStep);
document.addEventListener("htmx:afterSettle", showStep);
function upload(file, field) {
  const bar = document.getElementById("uploaded"), request = new XMLHttpRequest();
  request.open("PUT", "/upload?name=" + encodeURIComponent(file.name) + (field ? "&keep" : ""));
  request.upload.onprogress = event => { if (bar) { bar.hidden = false; bar.value = 100 * event.loaded / event.total; } };
  request.onloadend = () => {
    if (field && request.status === 200) document.getElementById(field).value = request.responseText;
    else location.assign("/table");
  };
  request.send(file);
}
