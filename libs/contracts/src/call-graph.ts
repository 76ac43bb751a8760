import graph from '../../../deploy/call-graph.json' with { type: 'json' };

type Rpcs = Readonly<Record<string, readonly string[]>>;

/** RPCs that each service may call, by caller, callee and gRPC service. */
export const callGraph: Readonly<Record<string, Readonly<Record<string, Rpcs>>>> = graph.calls;
