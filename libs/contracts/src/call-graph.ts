import graph from '../../../deploy/call-graph.json' with { type: 'json' };

/** Which services each service may call over gRPC, as `deploy/call-graph.json` says. */
export const callGraph: Readonly<Record<string, readonly string[]>> = graph.calls;
