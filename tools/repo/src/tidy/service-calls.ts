import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';

const GRAPH = 'deploy/call-graph.json';

/** Calls go right only; the notifier answers the edge and calls nobody. */
const LINE = ['api-gateway', 'simulation', 'agents', 'llm-gateway', 'ledger'];

/** The app that serves a proto package, where they are not named alike. */
const OWNERS: Readonly<Record<string, string>> = { llm: 'llm-gateway' };

/** RPCs by caller, callee and gRPC service. */
type Calls = Record<string, Record<string, Record<string, string[]>>>;

/** A gRPC service: the app that serves it, and its RPCs. */
type Served = { owner: string; rpcs: readonly string[] };

/** One source file of an app that imports a gRPC service which another app serves. */
type Use = { path: string; line: number; app: string; service: string; served: Served };

/**
 * `deploy/call-graph.json` lists the RPCs that each app may call. Calls go right only, and the list
 * is exact: an app imports a gRPC service of another app, and calls an RPC of it, only when the
 * graph lists it, and calls every RPC that the graph lists.
 */
export const serviceCalls: Rule = (tree) => {
  if (!tree.paths.includes(GRAPH)) return [{ path: GRAPH, message: 'is missing.' }];
  const { calls } = JSON.parse(tree.read(GRAPH)) as { calls: Calls };
  const uses = usesOf(tree, servedServices(tree));
  return [
    ...backwardCalls(calls),
    ...uses.flatMap((use) => unlistedCalls(tree, calls, use)),
    ...unusedCalls(tree, calls, uses),
  ];
};

const backwardCalls = (calls: Calls): Finding[] =>
  Object.entries(calls).flatMap(([caller, edges]) =>
    Object.keys(edges)
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

const usesOf = (tree: Tree, services: ReadonlyMap<string, Served>): Use[] =>
  tree.paths
    .filter((path) => /^apps\/[^/]+\/src\//.test(path) && isCode(path) && !isTest(path))
    .flatMap((path) => {
      const app = path.split('/')[1] ?? '';
      return syntaxOf(tree, path)
        .imports.filter(({ specifier }) => /^@witan\/contracts(\/|$)/.test(specifier))
        .flatMap(({ names, line }) => names.map((service) => ({ service, line })))
        .flatMap(({ service, line }): Use[] => {
          const served = services.get(service);
          if (!served || served.owner === app) return [];
          return [{ path, line, app, service, served }];
        });
    });

/** An RPC is called as a member of a client, in a file that imports its service. */
const unlistedCalls = (tree: Tree, calls: Calls, use: Use): Finding[] => {
  const { path, line, app, service, served } = use;
  const listed = calls[app]?.[served.owner]?.[service];
  if (!listed) {
    const message = `uses ${service} of ${served.owner}, which ${app} may not call (${GRAPH}).`;
    return [{ path, line, message }];
  }
  const { members } = syntaxOf(tree, path);
  return served.rpcs
    .filter((rpc) => !listed.includes(rpc))
    .flatMap((rpc) => {
      const called = members.find(({ text }) => text.endsWith(`.${toMember(rpc)}`));
      if (!called) return [];
      const message = `calls ${service}.${rpc}, which ${app} may not call (${GRAPH}).`;
      return [{ path, line: called.line, message }];
    });
};

const unusedCalls = (tree: Tree, calls: Calls, uses: readonly Use[]): Finding[] =>
  Object.entries(calls).flatMap(([app, edges]) =>
    Object.values(edges)
      .flatMap((services) => Object.entries(services))
      .flatMap(([service, rpcs]) => {
        const paths = uses
          .filter((use) => use.app === app && use.service === service)
          .map(({ path }) => path);
        const isUsed = (rpc: string): boolean =>
          paths.some((path) =>
            syntaxOf(tree, path).identifiers.some(({ text }) => text === toMember(rpc)),
          );
        return rpcs
          .filter((rpc) => !isUsed(rpc))
          .map((rpc) => ({
            path: GRAPH,
            message: `lets ${app} call ${service}.${rpc}, which it does not call.`,
          }));
      }),
  );

const toMember = (rpc: string): string => rpc.charAt(0).toLowerCase() + rpc.slice(1);

/** The gRPC services of the proto files, by name. */
const servedServices = (tree: Tree): Map<string, Served> =>
  new Map(
    tree.paths
      .filter((path) => path.endsWith('_service.proto'))
      .flatMap((path) => {
        const text = tree.read(path);
        const segment = /^package witan\.(\w+)\./m.exec(text)?.[1] ?? '';
        const owner = OWNERS[segment] ?? segment;
        return text
          .split(/^service /m)
          .slice(1)
          .map((body) => {
            const rpcs = [...body.matchAll(/^ *rpc (\w+)/gm)].map((match) => match[1] ?? '');
            return [/^\w+/.exec(body)?.[0] ?? '', { owner, rpcs }] as const;
          });
      }),
  );
