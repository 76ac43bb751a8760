import { at, isObject } from '../manifest.ts';
import type { Json, JsonObject } from '../manifest.ts';

/** Location of a value below `.Values`. */
export type ValuePath = readonly string[];

/** The values of an installation, and what Helm adds to them. */
export type ChartContext = { values: JsonObject; namespace: string; appVersion: string };

/**
 * A Kubernetes object whose parts may depend on values of the chart. `evaluate` and
 * `printTemplate` are its two interpretations.
 */
export type TemplateNode =
  | { type: 'scalar'; value: null | boolean | number | string }
  | { type: 'map'; entries: ReadonlyMap<string, TemplateNode> }
  | { type: 'list'; items: readonly TemplateNode[] }
  /**
   * `then` if the value is true or a text that is not empty, otherwise `otherwise`; an absent
   * branch renders nothing.
   */
  | {
      type: 'when';
      flag: ValuePath;
      then?: TemplateNode | undefined;
      otherwise?: TemplateNode | undefined;
    }
  /** A scalar. `text` is the pipeline of the Go template. */
  | { type: 'expression'; text: string; evaluate: (context: ChartContext) => Json }
  /**
   * A list, object or text of the values; in a list, its items are added. Empty, it is omitted
   * unless it is required: then `values.schema.json` refuses an empty value.
   */
  | { type: 'block'; path: ValuePath; isRequired?: boolean };

export const toNode = (value: Json): TemplateNode => {
  if (Array.isArray(value)) return { type: 'list', items: value.map(toNode) };
  if (!isObject(value)) return { type: 'scalar', value };
  const entries = Object.entries(value).map(([key, inner]) => [key, toNode(inner)] as const);
  return { type: 'map', entries: new Map(entries) };
};

/** Returns the Go template's expression for a value; `index` also accepts names with hyphens. */
export const toGoPath = (path: ValuePath): string =>
  path.every((segment) => /^[a-z]\w*$/i.test(segment))
    ? `.Values.${path.join('.')}`
    : `index .Values ${path.map((segment) => JSON.stringify(segment)).join(' ')}`;

export const valueAt = ({ values }: ChartContext, path: ValuePath): Json => {
  const found = at(values, ...path);
  if (found === undefined) throw new Error(`The chart has no value ${path.join('.')}.`);
  return found;
};

export const textValue = (...path: ValuePath): TemplateNode => ({
  type: 'expression',
  text: `${toGoPath(path)} | quote`,
  evaluate: (context) => valueAt(context, path),
});

export const integerValue = (...path: ValuePath): TemplateNode => ({
  type: 'expression',
  text: `${toGoPath(path)} | int`,
  evaluate: (context) => valueAt(context, path),
});

export const optionalBlock = (...path: ValuePath): TemplateNode => ({ type: 'block', path });

export const requiredBlock = (...path: ValuePath): TemplateNode => ({
  type: 'block',
  path,
  isRequired: true,
});

const isTrue = (value: Json): boolean =>
  value === true || (typeof value === 'string' && value !== '');

/** Returns the rendered value, or undefined if nothing is rendered. */
export const evaluate = (node: TemplateNode, context: ChartContext): Json | undefined => {
  switch (node.type) {
    case 'scalar':
      return node.value;
    case 'map':
      return Object.fromEntries(
        [...node.entries].flatMap(([key, inner]) => {
          const value = evaluate(inner, context);
          return value === undefined ? [] : [[key, value] as const];
        }),
      );
    case 'list':
      return node.items.flatMap((item) => {
        const value = evaluate(item, context);
        if (value === undefined) return [];
        return item.type === 'block' && Array.isArray(value) ? value : [value];
      });
    case 'when': {
      const branch = isTrue(valueAt(context, node.flag)) ? node.then : node.otherwise;
      return branch && evaluate(branch, context);
    }
    case 'expression':
      return node.evaluate(context);
    case 'block': {
      const value = valueAt(context, node.path);
      return Object.keys(Object(value)).length === 0 ? undefined : value;
    }
  }
};
