import { syntaxOf } from '../syntax.ts';
import { isCode, isTest, type Finding, type Rule, type Tree } from '../tree.ts';

const GRAPH = 'deploy/call-graph.json';

/**
 * Services from the api-gateway downstream; a service calls only later ones. api-gateway may also
 * call the notifier, which calls only the last one, whose requests to witnesses it carries.
 */
const REQUEST_PATH = ['api-gateway', 'simulation', 'agents', 'llm-gateway', 'ledger'];
const ORDER = REQUEST_PATH.join(' > ');

const OWNERS: Readonly<Record<string, string>> = { llm: 'llm-gateway' };

type Calls = Record<string, Record<string, Record<string, string[]>>>;

type ServedService = { owner: string; rpcs: readonly string[] };

type ServiceUse = {
  path: string;
  line: number;
  app: string;
  service: string;
  served: ServedService;
};

/**
 * Checks that `deploy/call-graph.json` lists exactly the RPCs that each app calls, all of them
 * downstream.
 */
export const serviceCalls: Rule = (tree) => {
  if (!tree.paths.includes(GRAPH)) return [{ path: GRAPH, message: 'is missing.' }];
  const { calls } = JSON.parse(tree.read(GRAPH)) as { calls: Calls };
  const uses = usesOf(tree, servedServices(tree));
  return [
    ...upstreamCalls(calls),
    ...uses.flatMap((use) => unlistedCalls(tree, calls, use)),
    ...unusedCalls(tree, calls, uses),
  ];
};

const upstreamCalls = (calls: Calls): Finding[] =>
  Object.entries(calls).flatMap(([caller, edges]) =>
    Object.keys(edges)
      .filter((callee) => !isDownstream(caller, callee))
      .map((callee) => ({
        path: GRAPH,
        message: `lets ${caller} call ${callee}: calls go downstream only (${ORDER}).`,
      })),
  );

const isDownstream = (caller: string, callee: string): boolean =>
  callee === 'notifier'
    ? caller === REQUEST_PATH[0]
    : caller === 'notifier'
      ? callee === REQUEST_PATH.at(-1)
      : REQUEST_PATH.includes(caller) &&
        REQUEST_PATH.indexOf(callee) > REQUEST_PATH.indexOf(caller);

const usesOf = (tree: Tree, services: ReadonlyMap<string, ServedService>): ServiceUse[] =>
  tree.paths
    .filter((path) => /^apps\/[^/]+\/src\//.test(path) && isCode(path) && !isTest(path))
    .flatMap((path) => {
      const app = path.split('/')[1] ?? '';
      return syntaxOf(tree, path)
        .imports.filter(({ specifier }) => /^@witan\/contracts(\/|$)/.test(specifier))
        .flatMap(({ names, line }) => names.map((service) => ({ service, line })))
        .flatMap(({ service, line }): ServiceUse[] => {
          const served = services.get(service);
          if (!served || served.owner === app) return [];
          return [{ path, line, app, service, served }];
        });
    });

/**
 * Finds RPC calls that the graph does not list, by names such as `client.rpc` in files that import
 * the service.
 */
const unlistedCalls = (tree: Tree, calls: Calls, use: ServiceUse): Finding[] => {
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

const unusedCalls = (tree: Tree, calls: Calls, uses: readonly ServiceUse[]): Finding[] =>
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

const servedServices = (tree: Tree): Map<string, ServedService> =>
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
