import type { TemplateNode } from './template-node.ts';

/** Keys of maps, indexes of lists, or the `name` of a list's item. */
export type NodePath = readonly (string | number)[];

type Change = (node: TemplateNode) => TemplateNode;

/** Returns the tree with one node changed. Throws if there is no such node. */
export const updateAt = (node: TemplateNode, path: NodePath, change: Change): TemplateNode => {
  const found = tryUpdate(node, path, change);
  if (!found) throw new Error(`The manifests have no ${path.join('.')}.`);
  return found;
};

/** Conditions are no step of a path: the branches that have the node are changed. */
const tryUpdate = (
  node: TemplateNode,
  path: NodePath,
  change: Change,
): TemplateNode | undefined => {
  if (node.type === 'when') {
    const then = node.then && tryUpdate(node.then, path, change);
    const otherwise = node.otherwise && tryUpdate(node.otherwise, path, change);
    if (!then && !otherwise) return undefined;
    return { ...node, then: then ?? node.then, otherwise: otherwise ?? node.otherwise };
  }
  const [step, ...rest] = path;
  if (step === undefined) return change(node);
  if (node.type === 'map') {
    const inner = node.entries.get(String(step));
    const updated = inner && tryUpdate(inner, rest, change);
    return updated && { ...node, entries: new Map([...node.entries, [String(step), updated]]) };
  }
  if (node.type !== 'list') return undefined;
  const index = node.items.findIndex((item, at) => at === step || nameOf(item) === step);
  const updated = node.items[index] && tryUpdate(node.items[index], rest, change);
  return updated && { ...node, items: node.items.with(index, updated) };
};

/** Returns what identifies an item of a keyed list (`env`, `volumes`), if it is one. */
export const nameOf = (node: TemplateNode): string | undefined => {
  if (node.type === 'when') return node.then ? nameOf(node.then) : nameOf(node.otherwise!);
  if (node.type !== 'map') return undefined;
  const name = node.entries.get('name') ?? node.entries.get('mountPath');
  return name?.type === 'scalar' ? String(name.value) : undefined;
};

/** Returns the tree after changing every node below it, inner nodes first. */
export const updateAll = (node: TemplateNode, change: (node: TemplateNode) => TemplateNode) => {
  const inner = (one: TemplateNode): TemplateNode => updateAll(one, change);
  if (node.type === 'map') {
    const entries = [...node.entries].map(([key, one]) => [key, inner(one)] as const);
    return change({ ...node, entries: new Map(entries) });
  }
  if (node.type === 'list') return change({ ...node, items: node.items.map(inner) });
  if (node.type !== 'when') return change(node);
  const { then, otherwise } = node;
  return change({ ...node, then: then && inner(then), otherwise: otherwise && inner(otherwise) });
};

export const addEntry =
  (key: string, value: TemplateNode): Change =>
  (node) => {
    if (node.type !== 'map') throw new Error(`${key} cannot be added to a ${node.type}.`);
    return { ...node, entries: new Map([...node.entries, [key, value]]) };
  };

export const addItems =
  (...items: TemplateNode[]): Change =>
  (node) => {
    if (node.type !== 'list') throw new Error(`Items cannot be added to a ${node.type}.`);
    return { ...node, items: [...node.items, ...items] };
  };
