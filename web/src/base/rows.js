// SPDX-License-Identifier: BSD-3-Clause
//
// rows.js - what tables and the icicle show: operators grouped by module pattern, module, source line, backend or
// delegate, and the parts of the time beside them. The rows of operators and parts add up to Method::execute.
// It needs no page.

import {grouped, medianOf, sumOver} from './columns.js';
import {CALL, DELEGATE, EXECUTE, KERNEL} from './events.js';
import {term} from './filter.js';
import {
  headOf,
  isOfQuantization,
  itselfText,
  letteredEnd,
  longerPath,
  phaseText,
  relativePath,
  shortBackend,
  shortOp,
  tellingEnd,
} from './labels.js';
import {CPU, TOP_LEVEL, estimatedOver, groupRows, lineKey, placeOf, rowsInside} from './method.js';
import {hueOf} from './colors.js';

const RESIDUE = 1e-3; // ns; a part below it is a rounding error

/** The parts that are operators of the graph: their time is in the rows of operators. */
const OF_OPERATORS = 'operators';

/** What operators took longer in some runs than usual: no part of what an inference needs. */
export const INTERRUPTIONS = 'interruptions';

const PART_BOXES = {[INTERRUPTIONS]: INTERRUPTIONS, inserted: 'inserted copies'};

/* What is neither computing nor a box of its own. */
const CALLS_AND_RUNTIME = 'calls and runtime';

/** The boxes of parts that are not computing, in order. */
export const PART_BOX_NAMES = [...Object.values(PART_BOXES), CALLS_AND_RUNTIME];

/** The box of a part that is not computing. */
export const partBox = part => PART_BOXES[part] ?? CALLS_AND_RUNTIME;

/* The part's name in the words of a row: without what its place says. */
const partLabel = text => text.trim().replace(/, outside operators$/, '');

/** Parts that are computing, in a delegate or in kernels of no node; the others are calls, copies and the runtime. */
export const COMPUTING = ['delegate_phases', 'opaque_delegates', 'operators_unplaced'];

/** What a filter calls a part of the time. */
export const partFilter = ({part, op, phase, backend}) => ['part', part, op, phase, backend].filter(Boolean).join(':');

/* How the row of a part is called: by the kernel, the phase, or the part. */
function partName({part, phase, op, backend, text}, balance) {
  if (text) return text;
  if (op) return shortOp(op);
  if (phase) return phaseText(phase, backend);
  if (part === 'opaque_delegates') return `in ${shortBackend(backend)}`;
  const alike = balance.filter(other => other.part === part),
    /* The parts of tied methods may name no backend. */
    found = alike.find(other => other.backend === backend) ?? alike[0];
  return partLabel(found?.text ?? part);
}

/* Whether a row of the library is in operatorRows(): methods may share their operators and have no graph. */
const isOnNodes = ({pattern}, {hasGraph}) => hasGraph && pattern !== null;

const isOperator = ({kind, part}) => kind === 'operator' || part === OF_OPERATORS;

function partRow(group, time, method) {
  const {part, op = null, phase = null, backend = null, count = NaN} = group,
    pattern = group.pattern ?? '',
    dtype = group.dtype ?? '',
    isComputing = part === OF_OPERATORS || COMPUTING.includes(part),
    {operators} = method;
  const hue = isComputing
      ? hueOf(backend && backend !== CPU ? placeOf(operators, backend) : -1)
      : part === INTERRUPTIONS
        ? 'quiet'
        : 'runtime',
    label = partName(group, method.balance);
  return {
    kind: 'part',
    key: `+${part} ${backend ?? ''} ${label} ${pattern} ${dtype}`,
    part,
    isComputing,
    isKernel: op && part !== OF_OPERATORS,
    pattern,
    dtype,
    op: op ?? label,
    label,
    backend,
    clock: op || phase ? backend : undefined, // of the backend that timed it
    rows: new Int32Array(0),
    count: count || NaN,
    time,
    min: group.min,
    max: group.max,
    upper: Boolean(group.upper),
    estimated: group.estimated ? time : 0,
    hue,
    filter: partFilter(group),
  };
}

/** The time of one of the library's rows, which is without interruptions; as it was recorded it is with them. */
export const timeOfGroup = ({part, typical, interrupted}, isRecorded) =>
  isRecorded ? (part === INTERRUPTIONS ? 0 : typical + interrupted) : typical;

/* What the own time of an event on no node is: a part in the words of the document; null if it is the runtime's. */
function partOfEvent(events, event) {
  const kind = events.kind[event],
    phase = events.text('phase', event),
    inside = events.inside.get(event);
  if (kind === EXECUTE || kind === CALL) return null;
  if (kind === DELEGATE) return {part: inside ? 'call_overhead' : 'opaque_delegates'};
  if (kind === KERNEL || !inside)
    return {part: phase ? 'inserted' : 'operators_unplaced', op: events.kernel(event), phase};
  // The innermost one around what a backend recorded is where it waits for that, if the document knows of waiting.
  const isOutside = inside.some(part => events.inside.has(part) && !events.text('phase', part));
  return {part: 'call_overhead', phase: phase ?? (isOutside ? null : 'wait')};
}

/* Returns the rows of the parts of one run: own times of events, added up to the rows of the document, or to a row of
   the part where it has none of that name. What is left is the runtime's. */
function partsOfRun(method, {whole, of, events}) {
  const groups = method.groups.filter(group => !isOnNodes(group, method)),
    own = events.ownTimes(),
    times = new Map();
  let rest = whole - sumOver(of, method.operators.timed);
  for (let event = 0; event < events.count; event++) {
    const said = events.operator[event] < 0 && own[event] > 0 ? partOfEvent(events, event) : null;
    if (!said) continue;
    const {part, op, phase} = said,
      backend = events.backend(event),
      near = groups.filter(
        group => events.isOfDelegate(event) === Boolean(group.backend) && (!backend || group.backend === backend),
      );
    const ofPhase = wanted => near.find(group => wanted && group.phase === wanted);
    let group =
      near.find(group => op && group.op === op) ??
      ofPhase(phase) ??
      ofPhase(events.text('phase', events.parent[event])) ??
      near.find(group => group.part === part && !group.op);
    if (!group) groups.push((group = {part, op, backend}));
    times.set(group, (times.get(group) ?? 0) + own[event]);
    rest -= own[event];
  }
  times.set(groups.find(({part}) => part === 'runtime') ?? {part: 'runtime'}, rest);
  return [...times].filter(([, time]) => time > RESIDUE).map(([group, time]) => partRow(group, time, method));
}

/** Returns a row of each part of the time beside operators, of a method in a statistic: typical, avg, or of a run. */
export function partRows(method, {stat, whole, of, events = undefined, isRecorded = false}) {
  if (stat === 'p50') return [];
  if (stat === 'run') return partsOfRun(method, {whole, of, events});
  if (stat === 'typical')
    return method.groups
      .filter(group => !isOnNodes(group, method) && !(isRecorded && group.part === INTERRUPTIONS))
      .map(group => partRow(group, timeOfGroup(group, isRecorded), method));
  return method.balance
    .filter(part => !(method.hasGraph && part.part === OF_OPERATORS) && part[stat] > RESIDUE)
    .map(part => partRow(part, part[stat], method));
}

const groupsOf = new WeakMap(); // method -> groupsByKey()

/* Rows of the library that differ by their type alone are one. */
const merged = (one, other) => ({
  ...one,
  count: one.count + other.count,
  typical: one.typical + other.typical,
  interrupted: one.interrupted + other.interrupted,
  min: NaN, // unknown of both together
  max: NaN,
  dtype: '',
});

/* The library's rows by what operatorRows() groups by. */
function groupsByKey(method) {
  if (groupsOf.has(method)) return groupsOf.get(method);
  const found = new Map();
  groupsOf.set(method, found);
  for (const group of method.groups) {
    if (!isOnNodes(group, method)) continue;
    const key = `${group.pattern}\n${group.op}\n${group.backend ?? CPU}`;
    found.set(key, found.has(key) ? merged(found.get(key), group) : group);
  }
  return found;
}

/* The terms that find operators of a type on a backend. */
const opTerms = (op, backend) => `${term('op', op)}${backend ? ` ${term('backend', backend)}` : ''}`;

/** Returns a row for each operator type in each pattern of modules on each backend, of these operators. */
export function operatorRows(method, times, rows = method.operators.timed) {
  const {operators} = method,
    known = groupsByKey(method),
    patternOf = row => operators.module(row)?.pattern ?? '',
    keyOf = row => `${patternOf(row)}\n${operators.op(row)}\n${operators.backend(row) ?? ''}`,
    {of} = operators.kinds('repeated', keyOf);
  return [...grouped(rows, row => of[row]).values()].map(list => {
    const [first] = list,
      pattern = patternOf(first),
      op = operators.op(first),
      backend = operators.backend(first),
      group = known.get(`${pattern}\n${op}\n${backend ?? CPU}`),
      isWhole = group?.count === list.length && times.stat === 'typical',
      time = isWhole ? timeOfGroup(group, times.isRecorded) : sumOver(times.of, list);
    const filter = `${term('own', pattern)} ${opTerms(op, backend)}`;
    return {
      kind: 'operator',
      key: keyOf(first),
      pattern,
      op,
      label: shortOp(op),
      backend,
      rows: list,
      count: list.length,
      time,
      min: isWhole ? group.min : NaN,
      max: isWhole ? group.max : NaN,
      dtype: group?.dtype ?? '',
      estimated: estimatedOver(operators, list, times.of),
      hue: hueOf(placeOf(operators, backend)),
      filter,
    };
  });
}

/** Returns the rows of operators and of parts, most time first. */
export const allRowsOf = (method, times) =>
  [...operatorRows(method, times), ...partRows(method, times)].sort((a, b) => b.time - a.time);

/** Returns the head that labels leave out: the deepest pattern that holds nine tenths of the operators' time. */
export const headOfRows = (rows, within = '') =>
  headOf(
    rows.filter(row => isOperator(row) && row.time > 0).map(({pattern, time}) => ({pattern, typical: time})),
    within,
  );

/** Returns how a row is called beside a head: [where, what], "mlp.3" and "linear". */
export const rowLabel = (row, head) => [isOperator(row) ? relativePath(row.pattern, head) : '', row.label];

/**
 * Returns how rows are called beside a head, a function of a row like rowLabel(): where two operators would be called
 * alike, the place of both is written longer.
 */
export function rowLabels(rows, head) {
  const keyOf = row => rowLabel(row, head).join('\n'),
    alike = grouped(rows, keyOf);
  return row => {
    const [where, what] = rowLabel(row, head),
      isAlone = !where || alike.get(keyOf(row))?.length === 1;
    return [isAlone ? where : longerPath(row.pattern, head), what];
  };
}

/**
 * Returns rows with one more before the operators that a part of the answer names together, such as all linear layers
 * in float32: {kind: 'several'}, the sum of these. Of them those follow it, `isInset`, that take at least
 * `least`, 0 to 1, of the time of all rows. Most time first.
 */
export function withSums(rows, parts, least) {
  const whole = rows.reduce((all, {time}) => all + time, 0),
    list = [];
  let rest = rows;
  for (const {kind, op, dtype, backend, count} of parts ?? []) {
    const isOf = row =>
        kind === 'operators' && row.op === op && row.dtype === dtype && (row.backend ?? CPU) === (backend ?? CPU),
      inside = rest.filter(isOf),
      sum = key => inside.reduce((all, row) => all + row[key], 0);
    if (inside.length < 2 || sum('count') !== count) continue;
    rest = rest.filter(row => !isOf(row));
    list.push({
      ...inside[0],
      kind: 'several',
      part: null,
      key: `+${op} ${dtype}`,
      label: `${dtype} ${shortOp(op)}, all`,
      rows: Int32Array.from(inside.flatMap(row => [...row.rows])),
      count,
      time: sum('time'),
      estimated: sum('estimated'),
      min: NaN,
      max: NaN,
      filter: inside[0].part ? inside[0].filter : opTerms(op, backend),
      inside: inside.filter(({time}) => time >= least * whole).map(row => ({...row, isInset: true})),
    });
  }
  return byTime([...list, ...rest]).flatMap(row => (row.inside ? [row, ...row.inside] : [row]));
}

const byTime = list => list.sort((a, b) => b.time - a.time);

/* ---- Other groups ---- */

/**
 * Returns a row for each module: with the time of all modules inside it, and its own. `isFolded`: equal ones are one.
 */
export function moduleRows(method, times, rows, isFolded) {
  const {operators, modules} = method,
    has = new Uint8Array(operators.count);
  for (const row of rows) has[row] = 1;
  const lists = grouped(
    [...new Set(modules)].filter(({path}) => path !== ''),
    module => (isFolded ? module.pattern : module.path),
  );
  const made = [...lists].map(([key, list]) => {
    const inside = [...new Set(list.flatMap(module => [...rowsInside(module)]))].filter(row => has[row]);
    const own = list.flatMap(module => [...module.own]).filter(row => has[row]);
    return {
      kind: 'module',
      key,
      label: key,
      modules: list,
      type: list[0].type,
      rows: inside,
      count: list.length,
      time: sumOver(times.of, inside),
      own: sumOver(times.of, own),
      estimated: estimatedOver(operators, inside, times.of),
      hue: hueOfMost(operators, inside, times.of),
      filter: term('module', key),
    };
  });
  const outside = rows.filter(row => !operators.module(row)?.path);
  if (outside.length) {
    const time = sumOver(times.of, outside);
    made.push({
      kind: 'module',
      key: TOP_LEVEL,
      label: TOP_LEVEL,
      modules: [],
      type: '',
      rows: [...outside],
      count: 1,
      time,
      own: time,
      estimated: estimatedOver(operators, outside, times.of),
      hue: hueOfMost(operators, outside, times.of),
      filter: 'own:""',
    });
  }
  return byTime(made.filter(({rows: inside}) => inside.length));
}

function hueOfMost(operators, rows, of) {
  const [most] = groupRows(operators, rows, 'backend', of);
  return hueOf(placeOf(operators, most?.key || CPU));
}

/** Returns a row for each source line, and for each backend. */
export function lineRows(method, times, rows) {
  const {operators} = method;
  return groupRows(operators, rows, 'source', times.of).map(group => ({
    kind: 'source',
    ...group,
    source: operators.source(group.rows[0]),
    hue: hueOfMost(operators, group.rows, times.of),
    label: group.key ? group.key.split('/').pop() : '(not recorded)',
    filter: group.key ? term('line', group.key) : '',
  }));
}

export const backendRows = (method, times, rows) =>
  groupRows(method.operators, rows, 'backend', times.of).map(group => ({
    kind: 'backend',
    ...group,
    backend: group.key,
    label: shortBackend(group.key) || '(unknown)',
    hue: hueOf(placeOf(method.operators, group.key)),
    filter: term('backend', group.key),
  }));

/** Returns the operators inside a delegate. */
export function rowsOfDelegate({operators}, delegate) {
  const of = operators.indices('delegate');
  delegate.rows ??= Array.from(of.keys()).filter(row => of[row] === delegate.instruction);
  return delegate.rows;
}

/**
 * Returns a row for each delegate; `isFolded`: those whose modules have one pattern, that have as many operators and
 * are cut by the same operator, are one. Times are those of the typical run.
 */
export function delegateRows(method, isFolded) {
  const {operators, delegates, modules} = method;
  const each = delegates.map(delegate => {
    const rows = rowsOfDelegate(method, delegate),
      module = modules[delegate.module] ?? null;
    const cutBy = delegate.cutBy >= 0 ? shortOp(operators.op(delegate.cutBy)) : '';
    const pattern = module ? module.pattern : rows.length ? 'several modules' : '';
    return {delegate, rows, pattern, cutBy, why: delegate.cutReason ?? '', nodes: delegate.nodes ?? rows.length};
  });
  const lists = grouped(each, item =>
    isFolded
      ? `${item.pattern}\n${item.delegate.backend}\n${item.nodes}\n${item.cutBy}\n${item.why}`
      : String(item.delegate.instruction),
  );
  return byTime(
    [...lists].map(([key, list]) => {
      const rows = list.flatMap(item => item.rows),
        [first] = list,
        time = list.reduce((sum, {delegate}) => sum + (delegate.call ?? 0), 0);
      return {
        kind: 'delegate',
        key,
        ...first,
        delegates: list.map(item => item.delegate),
        backend: first.delegate.backend,
        rows,
        count: list.length,
        time,
        estimated: 0,
        hue: hueOf(placeOf(operators, first.delegate.backend)),
        label: list.length > 1 ? first.pattern : first.pattern || `instruction ${first.delegate.instruction}`,
        filter: list.length === 1 ? `delegate:${first.delegate.instruction}` : '',
      };
    }),
  );
}

/* ---- The icicle ---- */

const SMALL = 0.012; // share of the whole below which a module is one of "others"

/**
 * Returns the boxes of the icicle: modules directly below the head, each with its operators, "calls and runtime" among
 * them, most time first. The boxes add up to the rows, and the operators of a box to it.
 * [{label, count, time, estimated, filter, hues: [[hue, time]], kids: rows with a label}]
 */
export function icicleOf(rows, {head, whole, method}) {
  const all = rows.filter(({kind}) => kind === 'operator'),
    hasModules = all.some(({pattern}) => pattern !== ''),
    isInserted = ({pattern, op}) => hasModules && pattern === '' && isOfQuantization(op),
    inserted = all.filter(isInserted),
    ops = all.filter(row => !isInserted(row)),
    parts = rows.filter(({kind}) => kind === 'part'),
    depth = head ? head.split('.').length : 0;
  const isIn = ({pattern}) => head === '' || pattern.startsWith(`${head}.`);
  const childOf = row =>
    row.pattern
      .split('.')
      .slice(0, depth + 1)
      .join('.');
  const inside = grouped(
    ops.filter(row => isIn(row) && row.pattern !== ''),
    childOf,
  );
  const boxes = [],
    others = ops.filter(row => !isIn(row) && row.pattern !== head);
  for (const [pattern, list] of inside) {
    if (sumOf(list) < SMALL * whole && inside.size > 1) others.push(...list);
    else
      boxes.push(box(relativePath(pattern, head) || pattern, list, {pattern, filter: term('module', pattern), method}));
  }
  const own = ops.filter(({pattern}) => pattern === head);
  if (own.length)
    boxes.push(box(itselfText(head, method.name), own, {pattern: head, filter: term('own', head), method}));
  if (inserted.length) boxes.push(box('quantization', inserted, {pattern: '', filter: '', method}));
  if (others.length) boxes.push(box('others', others, {pattern: '', filter: '', method, isOther: true}));
  const computing = grouped(
    parts.filter(({isComputing}) => isComputing),
    ({backend}) => backend ?? '',
  );
  for (const [backend, list] of computing)
    boxes.push(box(backend ? `in ${shortBackend(backend)}` : 'kernels', list, {pattern: null, filter: '', method}));
  const notComputing = grouped(
    parts.filter(({isComputing}) => !isComputing),
    ({part}) => partBox(part),
  );
  for (const [label, list] of notComputing) boxes.push(box(label, list, {pattern: null, filter: '', method}));
  const labels = boxes.map(({label}) => label);
  for (const made of boxes) made.end = tellingEnd(made.label, labels);
  return boxes.filter(({time}) => time > 0).sort((a, b) => b.time - a.time);
}

const sumOf = list => list.reduce((sum, {time}) => sum + time, 0);

function box(label, list, {pattern, filter, method, isOther = false}) {
  const hues = new Map();
  for (const {hue, time} of list) hues.set(hue, (hues.get(hue) ?? 0) + time);
  const instances = pattern ? new Set(method.modules.filter(module => module.pattern === pattern)).size : 0;
  const kids = list
    .map(row => ({...row, label: kidLabel(row, pattern, isOther), what: row.label}))
    .sort((a, b) => b.time - a.time);
  return {
    label,
    count: Math.max(1, instances),
    time: sumOf(list),
    estimated: list.reduce((sum, row) => sum + row.estimated, 0),
    filter,
    pattern,
    hues: [...hues].sort((a, b) => b[1] - a[1]),
    kids,
  };
}

/* An operator inside a box: with the module below the box, which tells it from others. */
function kidLabel(row, pattern, isOther) {
  if (row.kind === 'part') return row.label;
  const where = isOther ? row.pattern && letteredEnd(row.pattern) : pattern ? relativePath(row.pattern, pattern) : '';
  return where ? `${where} ${row.label}` : row.label;
}

/** Returns the sums of each repeated module, in order, and their median: [{module, time}]. */
export function eachModule(operators, rows, of) {
  const sums = new Map();
  for (const row of rows) {
    const module = operators.module(row);
    sums.set(module, (sums.get(module) ?? 0) + (of[row] > 0 ? of[row] : 0));
  }
  const each = [...sums].map(([module, time]) => ({module, time}));
  return {each, median: medianOf(each.map(({time}) => time).sort((a, b) => a - b))};
}

export {lineKey};
