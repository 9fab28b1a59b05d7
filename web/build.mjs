// SPDX-License-Identifier: BSD-3-Clause
//
// build.mjs - bundles web/src, if the type checker finds nothing in it, into web/page.js and web/page.css, and writes web/NOTICE and web/page.sum; all four are
// committed. `npm ci && npm run build` in this folder; the versions are pinned in package-lock.json, so that the same sources give the same bytes. With a folder
// as argument, the files go there instead.

import {execFileSync} from 'node:child_process';
import {build} from 'esbuild';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {minify} from 'terser';
import {sumOf} from './sum.mjs';
import {templates} from './templates.mjs';

const here = fileURLToPath(new URL('.', import.meta.url)),
  out = process.argv[2] ?? here;
const PACKAGES = ['preact', '@preact/signals', '@preact/signals-core'];

execFileSync(process.execPath, ['node_modules/typescript/lib/tsc.js', '--project', '.'], {cwd: here, stdio: 'inherit'});

/* The licenses of what is bundled, which stand in the bundle and so in every report, and in NOTICE for packages. */
function licenses() {
  return PACKAGES.map(name => {
    const folder = join(here, 'node_modules', name),
      {version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')
      .trim()
      .replace(/^[ \t]+/gm, '')}`; // without indentation, which is a hundred bytes
  }).join('\n\n----\n\n');
}
const banner = `/*! etrecord-tb, BSD-3-Clause. Contains:\n\n${licenses().replaceAll('*/', '* /')}\n*/`;

const common = {
  bundle: true,
  minify: true,
  write: false,
  charset: 'utf8',
  target: 'es2023',
  legalComments: 'none',
  absWorkingDir: here,
};
const [script] = (
  await build({...common, entryPoints: ['src/index.js'], format: 'esm', plugins: [templates], banner: {js: banner}})
).outputFiles;
const [style] = (await build({...common, entryPoints: ['src/wide.css']})).outputFiles;
// What esbuild leaves is 4 % larger, packed as reports hold it.
const {code} = await minify(script.text, {module: true, ecma: 2020, format: {comments: /^!/}});
writeFileSync(join(out, 'page.js'), code);
writeFileSync(join(out, 'page.css'), style.text);
writeFileSync(
  join(out, 'NOTICE'),
  `The page of the TensorBoard dashboard and of reports (page.js) contains, unchanged but for minification:\n\n${licenses()}\n`,
);
writeFileSync(join(out, 'page.sum'), sumOf(out));
