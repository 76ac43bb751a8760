import { parse } from '@babel/parser';
import type { Tree } from './tree.ts';

/**
 * One `import`, `export ... from`, `import()`, `require()` or import type. The name `*` stands for
 * all exports.
 */
export type ImportUse = {
  specifier: string;
  names: readonly string[];
  typeOnly: boolean;
  line: number;
};

export type SourceText = { text: string; line: number };

/** A log call; `event` is empty unless it is a string literal. */
export type LogCall = { level: string; event: string; message: string; line: number };

/** A function; `caller` is the name of the function that it is passed to, or empty. */
export type FunctionSpan = { name: string; line: number; lines: number; caller: string };

export type Syntax = {
  imports: readonly ImportUse[];
  starExports: readonly number[];
  functions: readonly FunctionSpan[];
  identifiers: readonly SourceText[];
  /**
   * String literals and the fixed parts of templates, without the specifiers of import and export
   * declarations.
   */
  strings: readonly SourceText[];
  logCalls: readonly LogCall[];
  /** Fixed parts of the messages of `new XError('...')`. */
  errorMessages: readonly SourceText[];
  comments: readonly SourceText[];
  /** Dotted names such as `process.env`; for `a.b.c` also `a.b`. */
  members: readonly SourceText[];
};

type Node = { type: string; loc?: { start: { line: number }; end: { line: number } } | null } & {
  [key: string]: unknown;
};

type CollectedSyntax = { [Key in keyof Syntax]: Syntax[Key][number][] };

const parsedByTree = new WeakMap<Tree, Map<string, Syntax>>();

/**
 * Returns the syntax of a file, parsed once per tree. Throws with the path when it cannot be
 * parsed.
 */
export const syntaxOf = (tree: Tree, path: string): Syntax => {
  const parsed = parsedByTree.get(tree) ?? new Map<string, Syntax>();
  parsedByTree.set(tree, parsed);
  const syntax = parsed.get(path) ?? parseSource(tree.read(path), path);
  parsed.set(path, syntax);
  return syntax;
};

const parseSource = (text: string, path: string): Syntax => {
  const collected: CollectedSyntax = {
    imports: [],
    starExports: [],
    functions: [],
    identifiers: [],
    strings: [],
    logCalls: [],
    errorMessages: [],
    comments: [],
    members: [],
  };
  let program: Node;
  try {
    const file = parse(text, {
      sourceType: path.endsWith('.cjs') ? 'script' : 'module',
      plugins: ['typescript', 'explicitResourceManagement', ...(path.endsWith('x') ? ['jsx'] : [])],
      attachComment: false,
    } as Parameters<typeof parse>[1]);
    for (const { value, loc } of file.comments ?? []) {
      collected.comments.push({ text: value, line: loc?.start.line ?? 0 });
    }
    program = file.program as unknown as Node;
  } catch (error) {
    throw new Error(`${path} cannot be parsed: ${String(error)}`, { cause: error });
  }
  visit(program, undefined, collected);
  return collected;
};

const visit = (node: Node, parent: Node | undefined, collected: CollectedSyntax): void => {
  collectors[node.type]?.(node, collected);
  if (isFunction(node)) collected.functions.push(functionSpan(node, parent));
  for (const [key, value] of Object.entries(node)) {
    if (key === 'source' && isNode(value) && value.type === 'StringLiteral') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, node, collected);
    }
  }
};

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const isFunction = ({ type }: Node): boolean =>
  type === 'FunctionDeclaration' ||
  type === 'FunctionExpression' ||
  type === 'ArrowFunctionExpression' ||
  type === 'ObjectMethod' ||
  type === 'ClassMethod' ||
  type === 'ClassPrivateMethod';

const functionSpan = (node: Node, parent: Node | undefined): FunctionSpan => {
  const named = nameOf(node.id) || nameOf(node.key);
  const byParent = nameOf(parent?.id) || nameOf(parent?.key) || nameOf(parent?.left);
  const last = node.loc?.end.line ?? 0;
  return {
    name: named || byParent || 'anonymous',
    line: lineOf(node),
    lines: last - lineOf(node) + 1,
    caller: parent?.type === 'CallExpression' ? dottedName(parent.callee) : '',
  };
};

const lineOf = (node: Node): number => node.loc?.start.line ?? 0;

const nameOf = (value: unknown): string =>
  isNode(value) && typeof value.name === 'string' ? value.name : '';

/**
 * Returns `a.b.c` for a chain of plain names, otherwise an empty string. Calls in the chain are
 * ignored: `it.each(rows)` is `it.each`.
 */
const dottedName = (value: unknown): string => {
  if (!isNode(value)) return '';
  if (value.type === 'Identifier') return nameOf(value);
  if (value.type === 'CallExpression') return dottedName(value.callee);
  if (value.type !== 'MemberExpression' || value.computed === true) return '';
  const object = dottedName(value.object);
  return object === '' ? '' : `${object}.${nameOf(value.property)}`;
};

const textOf = (value: unknown): string =>
  isNode(value) && typeof value.value === 'string' ? value.value : '';

/**
 * Returns a string literal, or the fixed parts of a template, joined by spaces. Returns an empty
 * string for other nodes.
 */
const fixedText = (value: unknown): string => {
  if (!isNode(value) || value.type !== 'TemplateLiteral') return textOf(value);
  const parts = value.quasis as { value: { cooked?: string | null } }[];
  return parts.map((part) => part.value.cooked ?? '').join(' ');
};

const LOG_CALL = /(?:^|\.)(?:log|logger)\.(debug|info|warn|error|fatal)$/;

const logCallOf = (node: Node): LogCall | undefined => {
  const { computed, object } = node.callee as Node;
  // In `log[level](...)` the level is not known, so neither level nor event is listed.
  if (computed === true && /(?:^|\.)(?:log|logger)$/.test(dottedName(object))) {
    return { level: '', event: '', message: '', line: lineOf(node) };
  }
  const level = LOG_CALL.exec(dottedName(node.callee))?.[1];
  if (level === undefined) return undefined;
  const [fields, message] = node.arguments as (Node | undefined)[];
  const properties = fields?.type === 'ObjectExpression' ? (fields.properties as Node[]) : [];
  const event = properties.find(({ key }) => nameOf(key) === 'event')?.value;
  return { level, event: textOf(event), message: textOf(message), line: lineOf(node) };
};

const importUse = (node: Node, names: readonly string[]): ImportUse => ({
  specifier: textOf(node.source),
  names,
  typeOnly: node.importKind === 'type' || node.exportKind === 'type',
  line: lineOf(node),
});

const specifierNames = (node: Node, key: 'imported' | 'local'): string[] =>
  (node.specifiers as Node[]).map((specifier) => {
    if (specifier.type === 'ImportNamespaceSpecifier') return '*';
    if (specifier.type === 'ImportDefaultSpecifier') return 'default';
    return nameOf(specifier[key]) || textOf(specifier[key]);
  });

const collectors: Readonly<Record<string, (node: Node, collected: CollectedSyntax) => void>> = {
  ImportDeclaration: (node, { imports }) =>
    imports.push(importUse(node, specifierNames(node, 'imported'))),
  ExportNamedDeclaration: (node, { imports }) => {
    if (node.source) imports.push(importUse(node, specifierNames(node, 'local')));
  },
  ExportAllDeclaration: (node, { imports, starExports }) => {
    imports.push(importUse(node, ['*']));
    starExports.push(lineOf(node));
  },
  ImportExpression: (node, { imports }) => {
    if (textOf(node.source)) imports.push(importUse(node, ['*']));
  },
  CallExpression: (node, { imports, logCalls }) => {
    const [first] = node.arguments as Node[];
    const call = logCallOf(node);
    if (call) logCalls.push(call);
    const specifier = textOf(first);
    const callee = node.callee as Node;
    if (specifier === '' || !(callee.type === 'Import' || nameOf(callee) === 'require')) return;
    imports.push({ specifier, names: ['*'], typeOnly: false, line: lineOf(node) });
  },
  TSImportType: (node, { imports }) => {
    const specifier = textOf(node.argument);
    imports.push({ specifier, names: ['*'], typeOnly: true, line: lineOf(node) });
  },
  Identifier: (node, { identifiers }) =>
    identifiers.push({ text: nameOf(node), line: lineOf(node) }),
  NewExpression: (node, { errorMessages }) => {
    if (!/Error$/.test(nameOf(node.callee))) return;
    const text = (node.arguments as Node[]).map(fixedText).join(' ').trim();
    if (text !== '') errorMessages.push({ text, line: lineOf(node) });
  },
  StringLiteral: (node, { strings }) => strings.push({ text: textOf(node), line: lineOf(node) }),
  TemplateElement: (node, { strings }) => {
    const { cooked } = node.value as { cooked?: string | null };
    strings.push({ text: cooked ?? '', line: lineOf(node) });
  },
  MemberExpression: (node, { members }) => {
    const text = dottedName(node);
    if (text !== '') members.push({ text, line: lineOf(node) });
  },
};
