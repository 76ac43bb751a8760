import { stringify } from 'yaml';
import { toGoPath } from './template-node.ts';
import type { TemplateNode } from './template-node.ts';

const INDENT = 2;

/** Returns the Helm template of an object as lines without indentation. */
export const printTemplate = (node: TemplateNode): string[] => {
  if (node.type === 'when') return printBranches(node, printTemplate);
  if (node.type === 'map') return [...node.entries].flatMap((entry) => printEntry(...entry));
  if (node.type === 'list') return node.items.flatMap(printItem);
  throw new Error(`A ${node.type} is not a whole object.`);
};

const printBranches = (
  { flag, then, otherwise }: Extract<TemplateNode, { type: 'when' }>,
  print: (node: TemplateNode) => string[],
): string[] => {
  const path = toGoPath(flag);
  if (!then) return [`{{- if not (${path}) }}`, ...print(otherwise!), '{{- end }}'];
  const last = otherwise ? ['{{- else }}', ...print(otherwise)] : [];
  return [`{{- if ${path} }}`, ...print(then), ...last, '{{- end }}'];
};

const printEntry = (key: string, node: TemplateNode): string[] => {
  if (node.type === 'when') return printBranches(node, (branch) => printEntry(key, branch));
  const inline = printInline(node);
  if (inline !== undefined) return [`${printScalar(key)}: ${inline}`];
  if (node.type !== 'block') return [`${printScalar(key)}:`, ...indent(printTemplate(node))];
  const path = toGoPath(node.path);
  if (node.isRequired) return [`${key}:`, ...indent([`{{- ${path} | toYaml | nindent 0 }}`])];
  return [`{{- with ${path} }}`, `${key}:`, ...indent([TO_YAML]), '{{- end }}'];
};

const printItem = (node: TemplateNode): string[] => {
  if (node.type === 'when') return printBranches(node, printItem);
  if (node.type === 'block') return [`{{- with ${toGoPath(node.path)} }}`, TO_YAML, '{{- end }}'];
  const inline = printInline(node);
  if (inline !== undefined) return [`- ${inline}`];
  const [first = '', ...rest] = printTemplate(node);
  if (first.includes('{{-')) throw new Error(`An item cannot begin with ${first}.`);
  return [`- ${first}`, ...indent(rest)];
};

/** Returns the text of a node that stays on the line of its key, or undefined. */
const printInline = (node: TemplateNode): string | undefined => {
  if (node.type === 'scalar') return printScalar(node.value);
  if (node.type === 'expression') return `{{ ${node.text} }}`;
  if (node.type === 'map' && node.entries.size === 0) return '{}';
  if (node.type === 'list' && node.items.length === 0) return '[]';
  return undefined;
};

/** Helm would evaluate braces of a text, such as those of an alert's message. */
const printScalar = (value: null | boolean | number | string): string =>
  stringify(value, { lineWidth: 0 }).trimEnd().replaceAll('{{', '{{ "{{" }}');

/** Lines of Go templates that print YAML contain their own indentation. */
const TO_YAML = '{{- toYaml . | nindent 0 }}';
const NINDENT = /(?<=nindent )\d+/;

const indent = (lines: readonly string[]): string[] =>
  lines.map((line) => {
    const inner = line.replace(NINDENT, (width) => String(Number(width) + INDENT));
    return ' '.repeat(INDENT) + inner;
  });
