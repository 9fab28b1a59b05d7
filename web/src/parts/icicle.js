// SPDX-License-Identifier: BSD-3-Clause
//
// icicle.js - the picture of where the time goes: modules, and the operators in each; width is time. It filters: a
// click
// on a box shows its rows and dims the rest. It is SVG, so that it can be copied as a picture.

import {useEffect, useRef, useState} from 'preact/hooks';

import {inkOn, mixed} from '../base/colors.js';
import {html} from '../base/html.js';
import {fitted} from '../base/labels.js';
import {hueColor, neutral, theme, widthsOf} from './theme.js';

const LEAST = 12,
  LABELLED = 24; // px: a narrower operator is one of "n more"; a box from which there is a label
const WIDE = 120,
  VALUED = 220,
  NAMED = 48;

/**
 * Returns the operators of a box that are `least` pixels wide, and one for the others: a rest has the hues of what it
 * holds.
 */
export function kidsInSight(kids, width, whole, least = LEAST) {
  const shown = kids.length < 3 ? kids : kids.filter(({time}) => (width * time) / whole >= least);
  const rest = kids.filter(kid => !shown.includes(kid));
  if (rest.length === 0) return shown;
  if (rest.length === 1 && shown.length) return kids;
  const hues = new Map();
  for (const {hue, time} of rest) hues.set(hue, (hues.get(hue) ?? 0) + time);
  const sum = key => rest.reduce((all, kid) => all + kid[key], 0);
  const made = {
    kind: 'rest',
    key: '+rest',
    label: `${rest.length} more`,
    time: sum('time'),
    estimated: sum('estimated'),
    hues: [...hues],
    hue: hues.size === 1 ? rest[0].hue : null,
    rows: [],
    filter: '',
  };
  return [...shown, made];
}

/** Returns the places of all boxes: [{box, kid: or null, x, width}], for boxes that add up to `whole`. */
export function placesOf(boxes, width, least) {
  const whole = boxes.reduce((sum, {time}) => sum + time, 0),
    places = [];
  let x = 0;
  for (const box of boxes) {
    const wide = (width * box.time) / whole;
    places.push({box, kid: null, x, width: wide, row: wide});
    let at = x;
    for (const kid of kidsInSight(box.kids, wide, box.time, least)) {
      const part = (wide * kid.time) / box.time;
      places.push({box, kid, x: at, width: part, row: wide});
      at += part;
    }
    x += wide;
  }
  return places;
}

/*
 * The label of a box, {text, size}: whole at 14 pixels, whole at 12, the end that tells it from others, without where
 * it is, cut, or none.
 */
function labelOf(text, room, weight = 400, what = text, end = '') {
  const [large, small] = [widthsOf(14, weight), widthsOf(12, weight)];
  if (large(text) <= room) return {text, size: 14};
  const whole = [text, end].find(said => said && small(said) <= room);
  if (whole) return {text: whole, size: 12};
  const cut = fitted(what, room, small);
  return cut ? {text: cut, size: 12} : null;
}

/* Stripes of the hues of what a box holds. */
function Strip({hues, x, y, width, colors}) {
  const whole = hues.reduce((sum, [, time]) => sum + time, 0);
  let at = x;
  return hues.map(([hue, time]) => {
    const wide = (width * time) / whole,
      left = at;
    at += wide;
    return html`<rect x=${left} y=${y} width=${wide} height="4" fill=${colors[hue]} />`;
  });
}

function ModuleBox({place: {box, x, width}, heights, colors, texts}) {
  const fill = neutral(colors, 0.09),
    name = `${box.label}${box.count > 1 ? ` ×${box.count}` : ''}`;
  const value = texts.long(box),
    room = width - 14 - (width > VALUED ? widthsOf(12)(value) + 16 : 0),
    made = width > LABELLED ? labelOf(name, room, 600, width > NAMED ? name : '', box.end) : null;
  return html`<rect class="box" x=${x + 0.5} y="0" width=${Math.max(1, width - 1)} height=${heights.module} rx="3"
    fill=${fill} />
    <${Strip} hues=${box.hues} x=${x + 0.5} y=${heights.module - 4} width=${Math.max(1, width - 1)}
      colors=${colors} />
    ${
      made
        ? html`<text x=${x + 8} y=${heights.module / 2 + 3} font-size=${made.size} font-weight="600"
      fill=${colors.text}>${made.text}</text>`
        : null
    }
    ${
      width > VALUED
        ? html`<text x=${x + width - 8} y=${heights.module / 2 + 3} font-size="12" text-anchor="end"
      fill=${colors.quiet}>${value}</text>`
        : null
    }`;
}

const NUMBERED = 16, // px: a bar of one of several equal modules from which it has its number
  SLIM = 4; // px: the least bar

/* Whether below the operators of a box there is room for each of its equal modules. */
const showsEach = ({each = []}, width, heights) => heights.each > 0 && each.length > 1 && width >= SLIM * each.length;

/* Each of the equal modules of a box, as a bar: which one takes longer? A click selects it. */
function EachBox({place: {box, x, width}, heights, colors, texts}) {
  const {each} = box,
    wide = width / each.length,
    top = heights.module + heights.kid + 4,
    room = heights.each - 48,
    times = each.map(({time}) => time),
    [least, most] = [Math.min(...times), Math.max(...times)],
    slowest = times.indexOf(most),
    isNumbered = wide >= NUMBERED,
    where = `most in ${each[slowest].label}${texts.each()}`,
    said = `each: ${texts.short({time: least})} – ${texts.long({time: most})}, ${where}`,
    head = [said, where].find(text => widthsOf(12)(text) <= width - 12);
  return html`<rect x=${x + 0.5} y=${top} width=${width - 1} height=${heights.each - 2} rx="3"
    fill=${neutral(colors, 0.04)} />
    ${head ? html`<text x=${x + 6} y=${top + 14} font-size="12" fill=${colors.quiet}>${head}</text>` : null}
    ${each.map(({label, time, path}, at) => {
      const tall = most > 0 ? (room * time) / most : 0,
        left = x + at * wide;
      return html`<g data-module=${path}><rect x=${left} y=${top} width=${wide} height=${heights.each - 2}
        fill="transparent" /><rect class="box" x=${left + 1.5} y=${top + 24 + room - tall + (isNumbered ? 0 : 16)}
        width=${Math.max(1, wide - 3)} height=${tall}
        fill=${at === slowest ? colors.text : neutral(colors, 0.35)} />
        ${
          isNumbered
            ? html`<text x=${left + wide / 2} y=${top + heights.each - 6} font-size="12" text-anchor="middle"
        fill=${colors.quiet}>${label}</text>`
            : null
        }</g>`;
    })}`;
}

/* The height of an operator: down to the end of the picture where nothing is below it. */
const kidHeight = ({box, row}, heights) => heights.kid + (showsEach(box, row, heights) ? 0 : (heights.each ?? 0));

function KidBox({place, heights, colors, texts, whole}) {
  const {kid, x, width} = place,
    tall = kidHeight(place, heights);
  const isRest = !kid.hue,
    fill = isRest ? neutral(colors, 0.09) : hueColor(colors, kid.hue, kid.time / whole),
    ink = inkOn(fill, colors.text);
  const edge = isRest ? neutral(colors, 0.2) : mixed(colors.surface, colors[kid.hue], 0.75),
    top = heights.module + 2;
  const margin = width < 64 ? 4 : 6,
    inside = width - 2 * margin,
    made = width > LABELLED || kid.kind === 'rest' ? labelOf(kid.label, inside, 400, kid.what) : null,
    baseline = top + (tall >= 56 ? 22 : 18);
  const values = [width > WIDE ? texts.long(kid) : '', texts.short(kid)].filter(Boolean),
    value = made ? values.find(text => widthsOf(12)(text) <= inside) : null,
    ground = kid.upper ? {stroke: fill, 'stroke-width': 4, 'paint-order': 'stroke'} : {}; // not on a hatch
  return html`<rect class="box" x=${x + 0.5} y=${top} width=${Math.max(1, width - 1)} height=${tall} rx="3"
    fill=${fill} stroke=${edge} />
    ${
      kid.upper
        ? html`<rect x=${x + width * (1 - kid.upper / kid.time)} y=${top}
      width=${Math.max(0, (width * kid.upper) / kid.time - 0.5)} height=${tall} fill="url(#hidden)" />`
        : null
    }
    ${
      isRest
        ? html`<${Strip} hues=${kid.hues} x=${x + 0.5} y=${top + tall - 4} width=${Math.max(1, width - 1)}
      colors=${colors} />`
        : null
    }
    ${
      made
        ? html`<text x=${x + margin} y=${baseline} font-size=${made.size} fill=${ink} ...${ground}>${made.text}
      </text>`
        : null
    }
    ${
      value
        ? html`<text x=${x + margin} y=${baseline + 18} font-size="12" fill=${ink} ...${ground}>${value}</text>`
        : null
    }`;
}

const Hidden = ({
  colors,
}) => html`<defs><pattern id="hidden" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
  <rect width="6" height="6" fill=${hueColor(colors, 'runtime', 0.3)} /><rect width="3" height="6"
    fill=${hueColor(colors, 'runtime', 0.05)} /></pattern></defs>`;

/** The picture alone, of a width, without what a user does with it: for sharing. */
export function IciclePicture({
  boxes,
  width,
  heights,
  texts,
  whole,
  colors,
  least,
  isDim = _ => false,
  isChosen = _ => false,
  at = -1,
}) {
  const places = placesOf(boxes, width, least);
  return html`<${Hidden} colors=${colors} />${places.map(
    (place, index) => html`<g key=${index} data-box=${index} opacity=${isDim(place) ? 0.3 : undefined}>
    <${place.kid ? KidBox : ModuleBox} place=${place} heights=${heights} colors=${colors} texts=${texts}
      whole=${whole} />
    ${
      !place.kid && showsEach(place.box, place.width, heights)
        ? html`<${EachBox} place=${place} heights=${heights} colors=${colors} texts=${texts} />`
        : null
    }
    ${
      index === at || isChosen(place)
        ? html`<rect x=${place.x + 1} y=${place.kid ? heights.module + 3 : 1}
      width=${Math.max(2, place.width - 2)} height=${(place.kid ? kidHeight(place, heights) : heights.module) - 2}
      rx="3" fill="none"
      stroke=${colors.text} stroke-width="2" /> `
        : null
    }</g>`,
  )}`;
}

/* The place that an arrow key leads to: the next on the row, or the box above or below. */
function stepOf(places, at, key) {
  if (at < 0) return places.length ? 0 : -1;
  const isKid = Boolean(places[at].kid),
    same = index => Boolean(places[index].kid) === isKid;
  const by = {ArrowRight: 1, ArrowLeft: -1}[key];
  if (by) {
    for (let index = at + by; index >= 0 && index < places.length; index += by) if (same(index)) return index;
    return at;
  }
  if (key === 'ArrowDown') return !isKid && places[at + 1]?.kid ? at + 1 : at;
  if (key === 'ArrowUp') return isKid ? places.findLastIndex((place, index) => index < at && !place.kid) : at;
  return key === 'Home' ? 0 : places.length - 1;
}

/**
 * The icicle of boxes (icicleOf() of rows.js). `texts` are {long(box), short(box)}: its time in more and less room;
 * `told(box, kid)` are the lines of the tooltip; `choose(box, kid)` is called for a click and Enter, `open(box)` for a
 * double click; `isDim` and `isChosen` are of {box, kid}. `heights.each` is that of the bars of equal modules, of
 * `box.each`: [{label, time, path}]; a click on one calls `chooseModule(path)`.
 */
export function Icicle({boxes, whole, heights, texts, told, choose, chooseModule, open, isDim, isChosen, label}) {
  const frame = useRef(null),
    [width, setWidth] = useState(0),
    [at, setAt] = useState(-1),
    [tip, setTip] = useState(null),
    colors = theme();
  useEffect(() => {
    const resized = new ResizeObserver(([{contentRect}]) => setWidth(contentRect.width));
    resized.observe(frame.current);
    return () => resized.disconnect();
  }, []);
  const places = width ? placesOf(boxes, width) : [],
    placeOf = event => Number(event.target.closest('[data-box]')?.dataset.box ?? -1);
  const hover = event => {
    const index = placeOf(event);
    if (index < 0) return setTip(null);
    const {bottom} = frame.current.getBoundingClientRect(),
      {box, kid} = places[index];
    setTip({lines: told(box, kid), left: Math.max(8, Math.min(event.clientX - 60, innerWidth - 376)), top: bottom + 6});
  };
  const click = event => {
    const place = places[placeOf(event)],
      path = event.target.closest('[data-module]')?.dataset.module;
    if (path) chooseModule(path);
    else if (place) choose(place.box, place.kid);
  };
  const key = event => {
    if (event.key === 'Enter' && places[at]) choose(places[at].box, places[at].kid);
    else if (/^(Arrow|Home|End)/.test(event.key)) setAt(stepOf(places, at, event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const said = places[at] ? told(places[at].box, places[at].kid).join('; ') : '';
  return html`<div class="icicle" ref=${frame}><svg class="icicle-picture" width=${width}
    height=${heights.module + 2 + heights.kid + (heights.each ?? 0)} role="application" tabindex="0"
    aria-label=${`${label}. Arrow keys choose a box, Enter filters by it.`}
      onPointerMove=${hover} onPointerLeave=${() => setTip(null)} onKeyDown=${key} onBlur=${() => setAt(-1)}
        onDblClick=${event => places[placeOf(event)] && open?.(places[placeOf(event)].box)}
      onClick=${click}>
      ${
        width
          ? html`<${IciclePicture} boxes=${boxes} width=${width} heights=${heights} texts=${texts} whole=${whole}
        colors=${colors} isDim=${isDim} isChosen=${isChosen} at=${at} />`
          : null
      }</svg>
    ${
      tip
        ? html`<div class="tip" role="tooltip" style=${{left: `${tip.left}px`, top: `${tip.top}px`}}>
      ${tip.lines.map((line, index) => (index ? html`<div>${line}</div>` : html`<strong>${line}</strong>`))}
      </div>`
        : null
    }
    <p class="offscreen" role="status" aria-live="polite">${said}</p></div>`;
}
