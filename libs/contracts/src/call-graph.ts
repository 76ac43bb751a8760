import graph from '../../../deploy/call-graph.json' with { type: 'json' };

type Rpcs = Readonly<Record<string, readonly string[]>>;

export const callGraph: Readonly<Record<string, Readonly<Record<string, Rpcs>>>> = graph.calls;
