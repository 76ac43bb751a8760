/**
 * Returns at least one cycle for each group of nodes that reach each other, as the nodes on it in
 * order.
 */
export const findCycles = (graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string, path: readonly string[]): void => {
    const index = path.indexOf(node);
    if (index !== -1) {
      cycles.push(path.slice(index));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
};
