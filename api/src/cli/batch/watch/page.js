"use strict";
// Asks for the state every second and shows it; what comes from the simulation is text, never markup.

const SECOND = 1000;
// So many of the last seconds of each run's queue are drawn.
const KEPT = 300;
const queues = new Map();

function element(name, text, parent) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  parent?.append(made);
  return made;
}

const number = (value) => Math.round(value).toLocaleString("en");

function bar(parent, name, part, all) {
  const row = element("div", undefined, parent);
  row.className = "bar";
  element("span", name, row);
  const progress = element("progress", undefined, row);
  progress.max = Math.max(all, 1);
  progress.value = part;
  progress.setAttribute("aria-label", name);
  const share = all > 0 ? ` (${((100 * part) / all).toFixed(1)} %)` : "";
  element("span", `${number(part)} / ${number(all)}${share}`, row);
}

function line(parent, values) {
  const space = "http://www.w3.org/2000/svg";
  const most = Math.max(1, ...values);
  const figure = element("figure", undefined, parent);
  element("figcaption", `Waiting jobs, the last ${values.length} s, at most ${number(most)}`, figure);
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${KEPT} 100`);
  svg.setAttribute("preserveAspectRatio", "none");
  const points = values.map((value, at) => `${at},${99 - (98 * value) / most}`);
  const drawn = document.createElementNS(space, "polyline");
  drawn.setAttribute("points", points.join(" "));
  svg.append(drawn);
  figure.append(svg);
}

function showRun(parent, run) {
  const section = element("section", undefined, parent);
  element("h2", run.name, section);
  const done = run.jobs ? "" : `${number(run.jobs_done)} jobs done, `;
  const days = (run.time_s / 86400).toFixed(2);
  element(
    "p",
    `${done}day ${days} of the simulation, ${number(run.jobs_done / Math.max(run.elapsed_s, 0.001))} jobs/s, ` +
      `${number(run.running)} running, ${number(run.waiting)} waiting, ${number(run.jobs_refused)} refused`,
    section,
  );
  if (run.jobs) bar(section, "jobs", run.jobs_done, run.jobs);
  for (const resource of run.resources) bar(section, resource.name, resource.used, resource.total);
  const queue = queues.get(run.name) ?? [];
  queue.push(run.waiting);
  if (queue.length > KEPT) queue.shift();
  queues.set(run.name, queue);
  line(section, queue);
}

function show(state) {
  document.getElementById("overview").textContent =
    `${number(state.elapsed_s)} s, ${number(state.jobs_per_s)} jobs/s`;
  const instances = document.getElementById("instances");
  instances.replaceChildren();
  if (state.instances > 1) bar(instances, "instances", state.instances_done, state.instances);
  const runs = document.getElementById("runs");
  runs.replaceChildren();
  for (const run of state.runs) showRun(runs, run);
  for (const name of queues.keys()) {
    if (!state.runs.some((run) => run.name === name)) queues.delete(name);
  }
}

async function ask() {
  try {
    const answer = await fetch("state.json");
    show(await answer.json());
    setTimeout(ask, SECOND);
  } catch {
    document.getElementById("overview").textContent += " (ended: this is the last that was seen)";
  }
}

ask();
