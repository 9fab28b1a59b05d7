// SPDX-License-Identifier: BSD-3-Clause
// Unpacks the script of this report, which is web/page.js of etrecord-tb with the licences of preact, htm and signals, and runs it. The content security policy names the hash of both.
try {
  const bytes = Uint8Array.from(atob(document.getElementById('page').textContent), letter => letter.charCodeAt(0)), made = document.createElement('script');
  made.type = 'module';
  made.id = 'page-script';
  made.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  document.body.append(made);
} catch (error) {
  document.body.append(`This report cannot be shown: its script is damaged, or this browser is older than 2023 (${error.message}).`);
}
