import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';

const GRAPH = 'deploy/call-graph.json';

/** Calls go right only; the notifier answers the edge and calls nobody. */
const LINE = ['api-gateway', 'simulation', 'agents', 'llm-gateway', 'ledger'];

/** The app that serves a proto package, where they are not named alike. */
const OWNERS: Readonly<Record<string, string>> = { llm: 'llm-gateway' };

/**
 * `deploy/call-graph.json` is who may call whom: it goes right only, and an app uses a generated
 * service descriptor only when it serves that service or the graph lets it call its owner.
 */
export const serviceCalls: Rule = (tree) => {
  if (!tree.paths.includes(GRAPH)) return [{ path: GRAPH, message: 'is missing.' }];
  const { calls } = JSON.parse(tree.read(GRAPH)) as { calls: Record<string, string[]> };
  return [...backwardCalls(calls), ...unlistedCalls(tree, calls)];
};

const backwardCalls = (calls: Record<string, string[]>): Finding[] =>
  Object.entries(calls).flatMap(([caller, callees]) =>
    callees
      .filter((callee) => !goesRight(caller, callee))
      .map((callee) => ({
        path: GRAPH,
        message: `lets ${caller} call ${callee}: calls go right only (${LINE.join(' > ')}).`,
      })),
  );

const goesRight = (caller: string, callee: string): boolean =>
  callee === 'notifier'
    ? caller === LINE[0]
    : LINE.includes(caller) && LINE.indexOf(callee) > LINE.indexOf(caller);

const unlistedCalls = (tree: Tree, calls: Record<string, string[]>): Finding[] => {
  const owners = serviceOwners(tree);
  return tree.paths
    .filter((path) => /^apps\/[^/]+\/src\//.test(path) && isCode(path) && !isTest(path))
    .flatMap((path) => {
      const app = path.split('/')[1] ?? '';
      const uses = syntaxOf(tree, path).imports.filter(({ specifier }) =>
        /^@witan\/contracts(\/|$)/.test(specifier),
      );
      return uses.flatMap(({ names, line }) =>
        names.flatMap((name): Finding[] => {
          const owner = owners.get(name);
          if (!owner || owner === app || calls[app]?.includes(owner)) return [];
          const message = `uses ${name} of ${owner}, which ${app} may not call (${GRAPH}).`;
          return [{ path, line, message }];
        }),
      );
    });
};

/** Service name to the app that serves it, read from the proto files. */
const serviceOwners = (tree: Tree): Map<string, string> =>
  new Map(
    tree.paths
      .filter((path) => path.endsWith('_service.proto'))
      .flatMap((path) => {
        const text = tree.read(path);
        const segment = /^package witan\.(\w+)\./m.exec(text)?.[1] ?? '';
        const names = [...text.matchAll(/^service (\w+)/gm)].map((match) => match[1] ?? '');
        return names.map((name) => [name, OWNERS[segment] ?? segment] as const);
      }),
  );
