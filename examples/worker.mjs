#!/usr/bin/env node
// A Belfry worker in plain Node.js. One call, POST /v1/work, reports what ended, renews what is held and asks for more.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const url = (process.env.BELFRY_URL ?? "http://127.0.0.1:7600") + "/v1/work";
const headers = { "Content-Type": "application/json", Authorization: `Bearer ${process.env.BELFRY_TOKEN ?? ""}` };
const worker = { worker: "w-" + randomBytes(16).toString("hex"), name: "node", targets: ["none"], capacity: 4 };
const running = new Map(); // attempt id -> what stops it; here until the server knows how it ended
const ended = new Map(); // attempt id -> its report; null if it was cancelled, then nobody waits for one
const seen = []; // attempt ids: the server sends one again if an answer may have got lost
let stopping = false, news = new AbortController(); // news aborts the exchange under way: something else is to be said

async function handle(payload, signal) { // your work stands here; it ends early, by an exception, when signal says so
  await sleep((payload.seconds ?? 0) * 1000, null, { signal });
  if (payload.fail) throw new Error(payload.fail);
  return { slept: payload.seconds ?? 0 };
}

async function run({ id, payload }, { signal }) {
  const report = { attempt: id };
  try {
    Object.assign(report, { result: await handle(payload, signal), status: "succeeded" });
  } catch ({ message }) {
    if (signal.aborted) report.status = stopping ? "released" : "cancelled"; // released: given back, costs no attempt
    else Object.assign(report, { status: "failed", retryable: true, error: { code: "node", message } });
  }
  console.log(id, report.status);
  ended.set(id, report.status === "cancelled" ? null : report);
  news.abort(); // what the aborted exchange was given is sent again to the next one
}

async function exchange(seq) { // returns whether all is said and done
  news = new AbortController();
  const told = new Map(ended), farewell = stopping, pools = [process.env.BELFRY_POOL ?? "default"];
  const holding = [...running.keys()].filter((id) => !told.has(id)); // naming them renews their leases
  const finished = [...told.values()].filter((report) => report); // said again until there is an answer
  const wait = farewell && holding.length === 0 ? "0s" : "5s"; // a third of the shortest lease, if that is less
  const body = JSON.stringify({ ...worker, pools, seq, want: farewell ? 0 : 4 - holding.length, wait, holding, finished });
  const signal = AbortSignal.any([news.signal, AbortSignal.timeout(9000)]);
  const response = await fetch(url, { method: "POST", headers, body, signal });
  const answer = await response.json();
  if (response.status !== 200) throw console.log(answer.detail);
  for (const id of told.keys()) running.delete(id), ended.delete(id); // what came too late is in answer.refused
  for (const id of answer.cancel) running.get(id)?.abort();
  for (const attempt of answer.attempts.filter(({ id }) => !seen.includes(id))) {
    console.log(attempt.id, "begins", attempt.payload);
    seen.splice(0, seen.push(attempt.id) - 10000);
    running.set(attempt.id, new AbortController());
    if (stopping) ended.set(attempt.id, { attempt: attempt.id, status: "released" });
    else run(attempt, running.get(attempt.id));
  }
  if (answer.cancel.length > 0 || answer.drain) await sleep(200); // such answers come at once: do not spin
  return farewell && running.size === 0;
}

const stop = () => { stopping = true; setTimeout(() => process.exit(1), 10000).unref(); for (const work of running.values()) work.abort(); news.abort(); };
process.on("SIGTERM", stop).on("SIGINT", stop);
for (let seq = 1; !(await exchange(seq).catch(() => { if (!news.signal.aborted) return sleep(200); })); seq++);
