// SPDX-License-Identifier: BSD-3-Clause
//
// templates.mjs - an esbuild plugin that turns the templates of the views into calls, so that the bundle needs no htm:
// html`<p class=${name}>a</p>` becomes html("p", {class: name}, "a"). Templates are read by htm itself.

import {readFileSync} from 'node:fs';
import {build, treeify} from './node_modules/htm/src/build.mjs';
import ts from 'typescript';

const literal = text => JSON.stringify(text);

/* The code of a value: a text, true, or an expression, which treeify() gives as {code}. */
const valueCode = value => (typeof value === 'object' ? `(${value.code})` : literal(value));

/* The code of an attribute's value, whose parts are joined to a text if there are several. */
const joinedCode = parts => (parts.length > 1 ? ['""', ...parts.map(valueCode)].join('+') : valueCode(parts[0]));

/* The code of an object with the attributes of an element; those of an expression are spread. */
function attributesCode(groups) {
  if (groups.length === 0) return 'null';
  const entries = groups.flatMap(group =>
    'code' in group
      ? [`...${valueCode(group)}`]
      : Object.entries(group).map(([name, parts]) => `${literal(name)}:${joinedCode(parts)}`),
  );
  return `{${entries.join(',')}}`;
}

/* The code of what stands in a template: an element, a text or an expression. */
function nodeCode(node) {
  if (typeof node === 'string') return literal(node.replace(/\s*\n\s*/g, ' '));
  if ('code' in node) return valueCode(node);
  return `html(${[valueCode(node.tag), attributesCode(node.props), ...node.children.map(nodeCode)].join(',')})`;
}

/* The code of a template, whose expressions are already compiled. */
function templateCode(texts, expressions) {
  const tree = treeify(
    build(texts),
    expressions.map(code => ({code})),
  );
  return Array.isArray(tree) ? `[${tree.map(nodeCode).join(',')}]` : tree === undefined ? 'undefined' : nodeCode(tree);
}

/** Returns the source of a module with its templates turned into calls. */
export function compileTemplates(source) {
  const file = ts.createSourceFile('module.js', source, ts.ScriptTarget.Latest);
  const compiled = node => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'html') {
      const {template} = node;
      if (ts.isNoSubstitutionTemplateLiteral(template)) return templateCode([template.text], []);
      const spans = template.templateSpans;
      return templateCode(
        [template.head.text, ...spans.map(span => span.literal.text)],
        spans.map(span => compiled(span.expression)),
      );
    }
    let code = '',
      end = node.getStart(file);
    ts.forEachChild(node, child => {
      code += source.slice(end, child.getStart(file)) + compiled(child);
      end = child.getEnd();
    });
    return code + source.slice(end, node.getEnd());
  };
  return compiled(file);
}

/** The plugin. Instead of htm the bundle has what html.js asks of it, which is nothing more. */
export const templates = {
  name: 'templates',
  setup({onLoad, onResolve}) {
    onResolve({filter: /^htm$/}, () => ({path: 'htm', namespace: 'compiled'}));
    onLoad({filter: /./, namespace: 'compiled'}, () => ({contents: 'export default {bind: element => element};'}));
    onLoad({filter: /web\/src\/.*\.js$/}, ({path}) => ({contents: compileTemplates(readFileSync(path, 'utf8'))}));
  },
};
