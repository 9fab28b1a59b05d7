// SPDX-License-Identifier: BSD-3-Clause
//
// hostile.test.js - names that are markup are shown as text, in every page of TensorBoard that shows them and in reports. Characters in them that turn the direction of
// writing are shown as marks.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';

import {answer, run} from './answers.js';
import {ExecuTorchTab} from './executorch_tab.js';
import {fixtures, missing, python, screenshots} from './environment.js';
import {GraphTab} from './graph_tab.js';
import {TensorBoard} from './tensorboard.js';

const MARKUP = '<img src=x onerror=alert(1)>\u202egnp', SHOWN = MARKUP.replace('\u202e', '?'), SCRIPT_END = '</script><script>alert(2)</script><!--';
const CORPUS = fileURLToPath(new URL('../corpus', import.meta.url));

/* Writes a fixture's record with other names of modules, operators, their types and source lines. */
const REWRITE = `
import json, shutil, sys
sys.path.insert(0, sys.argv[1])
import forge
source, target, markup, end = sys.argv[2:]
entries = forge.entries_of(source + '/etrecord.bin')
text = lambda s: json.dumps(s)[1:-1].encode()
for name, data in entries.items():
    for old, new in ((b'block1', text(markup)), (b'add_mul.py', text(end)), (b'aten_relu_default', text(markup + end)), (b'AddMul', text(markup)),
                     (b'edge.ops.aten.addmm.default', b'edge.ops.aten.' + text(markup) + b'.default')):
        data = data.replace(old, new)
    entries[name] = data
open(target + '/etrecord.bin', 'wb').write(forge.record(entries))
shutil.copy(source + '/etdump.etdp', target)
`;

describe('names that are markup', {skip: missing(), timeout: 600_000}, () => {
  let folder, server, dashboard;
  const dialogs = [];

  /* What the page made of the names, besides text. */
  async function intruders(frame) {
    return frame.evaluate(() => {
      const found = [];
      const look = root => {
        found.push(...[...root.querySelectorAll('img[src=x], [onerror]')].map(element => element.outerHTML));
        for (const element of root.querySelectorAll('*')) {
          const texts = [element.title, element.ariaLabel, ...[...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data)];
          found.push(...texts.filter(text => /\p{Bidi_Control}/u.test(text ?? '')));
        }
        for (const element of root.querySelectorAll('*')) if (element.shadowRoot) look(element.shadowRoot);
      };
      look(document);
      return found;
    });
  }

  const watch = opened => {
    opened.page.on('dialog', dialog => {
      dialogs.push(dialog.message());
      dialog.dismiss();
    });
    return opened;
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hostile-'));
    execFileSync(python, ['-c', REWRITE, CORPUS, join(fixtures, 'add_mul'), folder, MARKUP, SCRIPT_END]);
    server = await TensorBoard.start(folder);
  });

  after(async () => {
    await dashboard?.close();
    await server?.stop();
    rmSync(folder, {recursive: true, force: true});
  });

  it('are in the record', () => {
    const {nodes} = answer('nodes', folder).graphs[0];
    assert.ok(nodes.some(node => node.module.startsWith(MARKUP)) && nodes.some(node => node.name.startsWith(MARKUP)) && nodes.some(node => node.source?.file.endsWith(SCRIPT_END)));
  });

  async function lookAtAll(opened) {
    watch(opened);
    const seen = [];
    for (const view of ['Summary', 'Table', 'Timeline', 'Graph']) {
      await opened.view(view);
      seen.push(await opened.frame.locator('body').innerText());
      assert.deepEqual(await intruders(opened.frame), [], view);
    }
    for (const at of [0, 1]) assert.ok(seen[at].includes('<img src=x') && seen[at].includes('?gnp'), seen[at]);
    await opened.view('Table');
    await opened.groupBy('Node');
    await opened.search('relu');
    await opened.openRow(0);
    assert.ok((await opened.details()).name.startsWith(`${SHOWN}${SCRIPT_END}`));
    assert.deepEqual(await intruders(opened.frame), []);
    assert.deepEqual([opened.errors, dialogs], [[], []]);
  }

  it('are text in the dashboard', async () => {
    dashboard = await ExecuTorchTab.openIn(server);
    await lookAtAll(dashboard);
    await dashboard.screenshot(join(screenshots, 'hostile_dashboard.png'));
  });

  it('are text in a report', async () => {
    const path = join(folder, 'report.html');
    run('report', folder, '-o', path);
    const report = await ExecuTorchTab.openReport(path);
    await lookAtAll(report);
    await report.close();
  });

  it('are text in the graph tab', async () => {
    const tab = await GraphTab.openIn(dashboard, server.url);
    await tab.choose('Tag', 'profile/avg');
    const drawn = await tab.drawnOnTop();
    assert.ok(drawn.some(name => /img.src.x/.test(name)), drawn.join('\n'));
    assert.deepEqual([await intruders(tab.page), dialogs], [[], []]);
  });

  it('are text in the text pages', async () => {
    await dashboard.page.goto(`${server.url}#text`);
    await dashboard.page.getByText('img src=x').filter({visible: true}).first().waitFor();
    assert.deepEqual([await intruders(dashboard.page), dialogs], [[], []]);
    await dashboard.screenshot(join(screenshots, 'hostile_text.png'));
  });
});
