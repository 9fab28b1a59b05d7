// SPDX-License-Identifier: BSD-3-Clause
//
// share.js - what a user sends to others: a picture of what the page says first, a comment for a pull request, the
// address, the command, all views on paper.

import {render} from 'preact';

import {
  comparedMethod,
  inferenceText,
  labelOf,
  method,
  profile,
  shownRun,
  timeWithUnit,
  wholeTime,
  writtenTime,
} from '../base/app.js';
import {run} from '../base/commands.js';
import {commentText} from '../base/document.js';
import {countText, dateText} from '../base/format.js';
import {html} from '../base/html.js';
import {fitted, shortBackend} from '../base/labels.js';
import {backendsOf} from '../base/method.js';
import {get} from '../base/store.js';
import {NAMES_ARE_PATHS, closeMenu, commandOf} from '../parts/bits.js';
import {copy, copyPicture} from '../parts/export.js';
import {IciclePicture} from '../parts/icicle.js';
import {FAMILY, theme, widthsOf} from '../parts/theme.js';
import {Aligned, Waterfall, headline, ratioText, sideNames} from './compare.js';
import {newOf} from './changes.js';
import {reasonText, runsText, savesText, sureText} from './summary.js';
import {TEXTS, boxes, legendRows, whole} from './time_picture.js';

const WIDTH = 800,
  HEIGHT = 420,
  SCALE = 1.5,
  BAR = 88,
  LEFT = 28; // 1200 × 630 pixels, so that text is 18 to 42 pixels high

const isComparison = () => Boolean(comparedMethod.value) && get('view') === 'compare';

/* The command that prints what the page shows first. */
const firstCommand = () => commandOf(isComparison() ? 'diff' : 'summary').replace(' --top 0', '');

/* ---- The picture ---- */

/* Breaks a text into lines of a width. */
function linesOf(text, width, size) {
  const widthOf = widthsOf(size),
    lines = [''];
  for (const word of text.split(' ')) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/* What a picture needs so that it can be trusted later: record, backend, runs, date, device, threads. */
function footText() {
  const shown = method.value,
    written = writtenTime();
  const backends = backendsOf(shown.operators).map(shortBackend).join(', '),
    {device, threads} = profile.value;
  return [
    labelOf(shownRun.value),
    shown.name,
    backends,
    countText(shown.runs, 'run'),
    written && dateText(written).split(' ')[0],
    device,
    threads,
  ]
    .filter(Boolean)
    .join(' · ');
}

function Foot({colors}) {
  return html`<text x=${LEFT} y=${HEIGHT - 14} font-size="12" fill=${colors.quiet}>
    ${fitted(footText(), 600, widthsOf(12))}</text>
    <text x=${WIDTH - LEFT} y=${HEIGHT - 14} font-size="12" text-anchor="end"
      fill=${colors.quiet}>etrecord-tb ${profile.value.version}</text>`;
}

function Levers({top, colors}) {
  return method.value.findings.slice(0, 3).map((finding, at) => {
    const y = top + at * 24,
      {saves} = finding,
      saved = savesText(finding),
      of = ns => BAR * Math.min(1, (ns ?? 0) / wholeTime.value);
    return html`<text x=${LEFT} y=${y} font-size="14" fill=${colors.quiet}>${at + 1}</text><text x=${LEFT + 22} y=${y}
      font-size="14" fill=${colors.text}>${fitted(finding.title, 400, widthsOf(14))}</text>
      ${
        saves?.high > 0 && !saves.once
          ? html`<rect x="458" y=${y - 8} width=${BAR} height="8" fill=${colors.soft} /><rect x="458" y=${y - 8}
            width=${of(saves.high)} height="8" fill=${colors.less} opacity="0.35" />
      <rect x="458" y=${y - 8} width=${of(saves.low)} height="8" fill=${colors.less} />`
          : null
      }<text x=${WIDTH - LEFT} y=${y} font-size="14" font-weight="600" text-anchor="end" fill=${colors.text}>
        ${saved}<tspan font-size="12" font-weight="400">${saved ? ', ' : ''}${sureText(finding)}</tspan></text>`;
  });
}

/* A long title is smaller. */
function Title({title, answer, colors}) {
  const inner = WIDTH - 2 * LEFT,
    size = Math.min(28, (28 * inner) / widthsOf(28, 600)(title)),
    lines = linesOf(answer, inner, 18).slice(0, 2);
  return html`<rect width=${WIDTH} height=${HEIGHT} fill=${colors.surface} /><text x=${LEFT} y="46" font-size=${size}
    font-weight="600" fill=${colors.text}>${title}</text>
    ${lines.map(
      (line, at) => html`<text x=${LEFT} y=${74 + at * 24} font-size="18" fill=${colors.text}>${line}
      </text>`,
    )}`;
}

function SummaryPicture({colors}) {
  const inner = WIDTH - 2 * LEFT,
    legend = legendRows(),
    {document, findings} = method.value,
    lines = linesOf(`${runsText('typical')} · ${document.variation}`, inner, 12).slice(0, 2),
    y = 260 + 16 * lines.length;
  let x = LEFT;
  return html`<${Title} title=${`${labelOf(shownRun.value)}: ${inferenceText()}`}
    answer=${reasonText(method.value)} colors=${colors} />
    <g transform=${`translate(${LEFT} 118)`}><${IciclePicture} boxes=${boxes.value} width=${inner}
      heights=${{module: 28, kid: 64}} texts=${TEXTS} whole=${whole.value} colors=${colors} least=${16} /></g>
    ${legend.map(({hue, text, time}) => {
      const said = `${text} ${timeWithUnit(time)}`,
        at = x;
      x += widthsOf(12)(said) + 40;
      return html`<rect x=${at} y="224" width="10" height="10" rx="2" fill=${colors[hue]} /><text x=${at + 16} y="233"
        font-size="12" fill=${colors.quiet}>${said}</text>`;
    })}
    ${lines.map(
      (line, at) => html`<text x=${LEFT} y=${252 + at * 16} font-size="12" fill=${colors.quiet}>${line}
      </text>`,
    )}
    ${
      findings.length
        ? html`<text x=${LEFT} y=${y} font-size="14" font-weight="600"
      fill=${colors.text}>What to change${document.answer?.measure_again ? ', but first measure again' : ''}
      </text><${Levers} top=${y + 26} colors=${colors} />`
        : null
    }<${Foot}
      colors=${colors} />`;
}

function ComparisonPicture({colors}) {
  const answer = comparedMethod.value,
    {shortBase, shortName} = sideNames(),
    names = {name: shortName, baseName: shortBase},
    inner = WIDTH - 2 * LEFT;
  return html`<${Title}
    title=${`${inferenceText([newOf(answer.execute)])}${ratioText(answer)}`}
    answer=${answer.may_differ ? `${answer.unlike_text}.` : headline(answer)} colors=${colors} />
    <g transform=${`translate(${LEFT} 112)`}><${Waterfall} answer=${answer} width=${inner} most=${5} ...${names} /></g>
    <g transform=${`translate(${LEFT} 284)`}><${Aligned} answer=${answer} width=${inner} height=${96} ...${names} /></g>
      <${Foot} colors=${colors} />`;
}

/** Returns the picture as SVG text, without styles or scripts. */
export function pictureText() {
  const host = document.createElementNS('http://www.w3.org/2000/svg', 'svg'),
    colors = theme();
  render(html`<${isComparison() ? ComparisonPicture : SummaryPicture} colors=${colors} />`, host);
  const inside = new XMLSerializer().serializeToString(host).replace(/^<svg[^>]*>|<\/svg>$/g, '');
  render(null, host);
  const size = `width="${WIDTH * SCALE}" height="${HEIGHT * SCALE}" viewBox="0 0 ${WIDTH} ${HEIGHT}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FAMILY}">${inside}</svg>`;
}

/* ---- The menu ---- */

export function ShareMenu() {
  if (!method.value) return null;
  const item = (text, what, act) =>
    html`<button type="button" role="menuitem" onClick=${event => (closeMenu(event.currentTarget.closest('details')), act())}>${text}<span
      class="small quiet">${what}</span></button>`;
  return html`<details class="menu share"><summary aria-label="Share">Share</summary><div role="menu">
    ${
      wholeTime.value > 0
        ? item('Copy picture', '1200 × 630 pixels', () => copyPicture(pictureText(), WIDTH * SCALE, HEIGHT * SCALE))
        : null
    }
    ${
      document.getElementById('comment')
        ? item('Copy as GitHub comment', 'Markdown with folded tables', async () =>
            copy(await commentText(), 'the comment'),
          )
        : null
    }
    ${item('Copy link', 'to what is shown', () =>
      copy((window.parent === window ? location : parent.location).href, 'the link'),
    )}
    ${item('Copy command', `${firstCommand()}; ${NAMES_ARE_PATHS}`, () => copy(firstCommand(), 'the command'))}
      ${item('Print', 'all views, light colors', () => run('print'))}</div></details>`;
}
