import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../manifest.ts';
import type { Json } from '../manifest.ts';
import { toNode } from './template-node.ts';
import type { TemplateNode, ValuePath } from './template-node.ts';
import { nameOf } from './update-node.ts';

/**
 * Returns a tree that renders `node` if the flag is true and `variant` if it is false, with
 * conditions at the smallest parts that differ. Parts of `node` that depend on other flags are
 * compared as if those were true.
 */
export const mergeVariant = (
  node: TemplateNode,
  variant: Json | undefined,
  flag: ValuePath,
): TemplateNode => {
  if (node.type === 'when') {
    return node.then ? { ...node, then: mergeVariant(node.then, variant, flag) } : node;
  }
  if (variant === undefined) return { type: 'when', flag, then: node };
  if (node.type === 'map' && isObject(variant)) {
    const entries = [...node.entries].map(
      ([key, inner]) => [key, mergeVariant(inner, variant[key], flag)] as const,
    );
    const added = Object.entries(variant)
      .filter(([key]) => !node.entries.has(key))
      .map(([key, inner]) => [key, absentWith(flag, inner)] as const);
    return { type: 'map', entries: new Map([...entries, ...added]) };
  }
  if (node.type === 'list' && Array.isArray(variant)) return mergeItems(node, variant, flag);
  if (node.type === 'scalar' && node.value === variant) return node;
  return { type: 'when', flag, then: node, otherwise: toNode(variant) };
};

const absentWith = (flag: ValuePath, value: Json): TemplateNode => ({
  type: 'when',
  flag,
  otherwise: toNode(value),
});

const mergeItems = (
  node: Extract<TemplateNode, { type: 'list' }>,
  variant: Json[],
  flag: ValuePath,
): TemplateNode => {
  const others = variant.map(toNode);
  const isKeyed = [...node.items, ...others].every((item) => nameOf(item) !== undefined);
  if (!isKeyed) {
    const isEqual = isDeepStrictEqual(node, toNode(variant));
    return isEqual ? node : { type: 'when', flag, then: node, otherwise: toNode(variant) };
  }
  const find = (name: string | undefined): Json | undefined =>
    variant.find((_item, index) => nameOf(others[index]!) === name);
  const known = new Set(node.items.map(nameOf));
  return {
    type: 'list',
    items: [
      ...node.items.map((item) => mergeVariant(item, find(nameOf(item)), flag)),
      ...variant
        .filter((_item, index) => !known.has(nameOf(others[index]!)))
        .map((item) => absentWith(flag, item)),
    ],
  };
};
