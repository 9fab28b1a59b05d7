// SPDX-License-Identifier: BSD-3-Clause
//
// source.js - where profiles come from: the page itself (a report), or TensorBoard.

async function answerOf(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error((await answer.text()) || `${answer.status} for ${url}`);
  return answer.json();
}

/** "mobilenet" of "mobilenet/1_edge/forward": the record's folder, without that of the graph its document stands beside. */
export function recordLabel(run) {
  return run.replace(/\/\d+_[^/]+\/[^/]+$/, '') || run;
}

/** {records: [{run, label}], load(run)}: load gives a document. */
export async function openSource() {
  const embedded = document.getElementById('profile');
  if (embedded) {
    const whole = JSON.parse(embedded.textContent);
    return {records: [{run: '', label: whole.inputs[0]?.replace(/\/[^/]*$/, '') || 'report'}], load: async () => whole};
  }
  const runs = await answerOf(new URL('runs', import.meta.url));
  return {records: runs.map(run => ({run, label: recordLabel(run)})), load: run => answerOf(new URL(`profile?${new URLSearchParams({run})}`, import.meta.url))};
}
