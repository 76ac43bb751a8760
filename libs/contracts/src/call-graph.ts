import graph from '../../../deploy/call-graph.json' with { type: 'json' };

type Rpcs = Readonly<Record<string, readonly string[]>>;

/**
 * The RPCs that each service may call, as `deploy/call-graph.json` lists them: by caller, callee
 * and gRPC service.
 */
export const callGraph: Readonly<Record<string, Readonly<Record<string, Rpcs>>>> = graph.calls;
