// SPDX-License-Identifier: BSD-3-Clause
// Unpacks the style sheet and the script of this report, which are web/page.css and web/page.js of etrecord-tb with the licences of preact, htm and signals. The content security policy names the hash of each.
try {
  const add = async (to, packed, made) => {
    const bytes = Uint8Array.from(atob(document.getElementById(packed).textContent), letter => letter.charCodeAt(0));
    made.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
    to.append(made);
  };
  await add(document.head, 'style', document.createElement('style'));
  await add(document.body, 'page', Object.assign(document.createElement('script'), {type: 'module', id: 'page-script'}));
} catch (error) {
  document.body.append(`This report cannot be shown: its script is damaged, or this browser is older than 2023 (${error.message}).`);
}
