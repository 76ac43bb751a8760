import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { encodeNativeError, ValidationError } from '../http/encode-native-error.ts';
import type { JsonSchema, Route, RouteCall } from '../http/route.ts';
import { text } from '../http/schema.ts';
import { chooseAgent } from './choose-agent.ts';
import type { ChooseAgentDeps } from './choose-agent.ts';
import type { McpResult } from './mcp-method.ts';
import { errorOf, isFailure } from './route-result.ts';
import { proofIdsOf, readProofMeta, toErrorResult, toTextResult } from './tool-result.ts';
import type { Tool, ToolAnnotations, ToolCall } from './tool.ts';

export type RouteToolDeps = ChooseAgentDeps & {
  certificates: Client<typeof CertificateService>;
};

type RouteTool = Pick<Tool, 'name' | 'title' | 'description'> & {
  routeId: string;
  /** Name of the argument that is the id in the path, with its description. */
  idArgument?: { name: string; description: string };
  /** Asks the user for the id if the argument is absent. */
  chooseId?: typeof chooseAgent;
  annotations: ToolAnnotations;
  /** Returns the text for the model; the whole response as JSON by default. */
  textOf?: (json: unknown) => string;
};

const contentOf = (json: unknown): string => (json as { content: string }).content;

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Not idempotent without an idempotency key: each call asks a model and is charged. */
export const ASKS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

const ROUTE_TOOLS: readonly RouteTool[] = [
  {
    name: 'ask_agent',
    title: 'Ask one agent',
    description:
      'Asks one adviser of the workspace, who answers in character and remembers. The prompts of ' +
      'this server list the advisers with their ids.',
    routeId: 'chatWithAgent',
    idArgument: {
      name: 'agentId',
      description: 'Id of the agent, `agt_...`; without it the user is asked to choose one',
    },
    chooseId: chooseAgent,
    annotations: ASKS,
    textOf: contentOf,
  },
  {
    name: 'complete',
    title: 'Certified completion',
    description:
      'One completion of a model that the workspace chose, with supplementary data and extracted ' +
      'facts. Its certificate can be verified offline.',
    routeId: 'complete',
    annotations: ASKS,
    textOf: contentOf,
  },
  {
    name: 'search_knowledge',
    title: 'Search documents',
    description: 'Finds passages in the documents of the workspace, the best first.',
    routeId: 'searchKnowledge',
    annotations: READS,
  },
  {
    name: 'verify_proof',
    title: 'Verify a certificate',
    description:
      'Checks the certificate of a completion: its hash, its signature and its place in the chain.',
    routeId: 'verifyProof',
    idArgument: { name: 'proofId', description: 'Id of the certificate, `pf_...`' },
    annotations: READS,
  },
  {
    name: 'create_simulation',
    title: 'Create a simulation',
    description: 'Creates a simulated company that advance_simulation plays forward turn by turn.',
    routeId: 'createSimulation',
    annotations: { ...ASKS, openWorldHint: false },
  },
  {
    name: 'advance_simulation',
    title: 'Advance a simulation',
    description:
      'Plays a simulation one turn forward: the agents debate each scenario, then its next state ' +
      'is computed. Takes up to some minutes.',
    routeId: 'advanceSimulation',
    idArgument: { name: 'simulationId', description: 'Id of the simulation, `sim_...`' },
    annotations: ASKS,
  },
  {
    name: 'analyze_market',
    title: 'Analyze a market',
    description:
      'Sizes a market and lists trends, competitors and recommendations, as far as a model knows ' +
      'them; no web is searched. Takes 10 to 30 seconds.',
    routeId: 'analyzeMarket',
    annotations: ASKS,
  },
];

/** Returns the tools that call one operation of the API each; their schemas are the operation's. */
export const createRouteTools = (deps: RouteToolDeps): Tool[] =>
  ROUTE_TOOLS.map(({ routeId, idArgument, chooseId, textOf, ...tool }) => {
    const route = deps.routeOf(routeId);
    return {
      ...tool,
      scopes: route.scopes ?? [],
      inputSchema: toInputSchema(route, idArgument, { isIdRequired: !chooseId }),
      outputSchema: outputSchemaOf(route),
      run: (toolCall) => runRouteTool(toolCall, { route, idArgument, chooseId, textOf, ...deps }),
    };
  });

/** Returns the schema of a route's body, with the id of its path as a further argument. */
export const toInputSchema = (
  { body = {} }: Pick<Route, 'body'>,
  idArgument: RouteTool['idArgument'],
  { isIdRequired }: { isIdRequired: boolean },
): JsonSchema => {
  const { required = [], properties = {} } = body as { required?: string[]; properties?: object };
  if (!idArgument) return { type: 'object', ...(required.length > 0 && { required }), properties };
  const { name, description } = idArgument;
  return {
    type: 'object',
    required: [...(isIdRequired ? [name] : []), ...required],
    properties: { [name]: { ...text, description }, ...properties },
  };
};

/** Returns the schema of a route's successful response. */
export const outputSchemaOf = ({ responses }: Pick<Route, 'responses'>): JsonSchema =>
  (responses[200] ?? responses[201])!.schema!;

type RunParts = RouteToolDeps &
  Pick<RouteTool, 'idArgument' | 'chooseId' | 'textOf'> & { route: Route };

const runRouteTool = async (
  toolCall: ToolCall,
  { route, idArgument, chooseId, textOf = JSON.stringify, ...deps }: RunParts,
): Promise<McpResult> => {
  const { args, argsTextWithout, call, envelope } = toolCall;
  let { idempotencyKey } = toolCall;
  let id = idArgument && args[idArgument.name];
  // A client of an earlier revision cannot be asked within a call.
  if (chooseId && id === undefined && envelope.era === 'modern') {
    const chosen = await chooseId(toolCall, deps);
    if ('result' in chosen) return chosen.result;
    id = chosen.agentId;
    idempotencyKey ??= chosen.idempotencyKey;
  }
  if (idArgument && typeof id !== 'string') return toErrorResult(missingId(idArgument.name, call));
  const result = await deps.callRoute(
    route,
    {
      params: idArgument ? { id: id as string } : {},
      bodyText: argsTextWithout(idArgument ? [idArgument.name] : []),
      idempotencyKey,
    },
    call,
  );
  if (isFailure(result)) return toErrorResult(errorOf(result));
  const meta = await readProofMeta(proofIdsOf(result), call, deps.certificates);
  return toTextResult(textOf(result.json), result.json, meta);
};

const missingId = (path: string, { requestId }: RouteCall) =>
  encodeNativeError(new ValidationError([{ path, message: 'is required' }]), { requestId }).body
    .error;
