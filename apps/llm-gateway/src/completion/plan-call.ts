import { invalidRequest } from '@witan/contracts';
import type { ServiceError, Address, CompleteRequest, WireBody } from '@witan/contracts';
import { ENDPOINTS, parseObject, readConversationSignals } from '@witan/dialects';
import type { EndpointName, RoutingSignals, VectorRequest } from '@witan/dialects';
import { TASK_TYPES } from '@witan/proof';
import type { TaskType } from '@witan/proof';
import { checkModelName, inspectCall, isSensitive } from '../masking/inspect-call.ts';
import type { RequestInput } from '../masking/inspect-call.ts';
import type { Privacy } from '../masking/mask-body.ts';
import type { PrivacySettings } from '../masking/privacy-settings.ts';
import type { ProviderAccess } from '../provider/provider.ts';
import type { ChoicesFor } from '../routing/choices.ts';
import {
  chooseRoute,
  isRoutedBySignals,
  toEmbeddingSettings,
  toRoutingAddress,
} from '../routing/choose-route.ts';
import type { Route } from '../routing/choose-route.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** The part of a call that its answer and its certificates need. It holds no body. */
export type CallSummary = Pick<CompleteRequest, 'requestSha256' | 'grounding'> & {
  workspaceId: string;
  /** API key for which the call is made; empty or absent if unknown. */
  actorId?: string | undefined;
  address: Address;
  taskType: TaskType;
  /**
   * Id that a service announced to the client for the call's last certificate; empty if none did.
   */
  announcedId: string;
  promptTokens: number;
  /** Form in which the client reads the answer. */
  client: EndpointName | 'neutral';
  /** The requested vectors; only for embeddings. */
  vectorRequest?: VectorRequest | undefined;
  isStreamed: boolean;
  wantsJson: boolean;
  /** True if a wire client gets the usage of a stream; with chat-completions only on request. */
  wantsUsage: boolean;
};

export type PlannedCall = {
  summary: CallSummary;
  proofId: string;
  systemPreamble: string;
  input: RequestInput;
  route: Route;
  privacy: PrivacySettings;
  accessTo: (provider: string) => ProviderAccess;
};

type PlanningDeps = { choicesFor: ChoicesFor; privacy: Pick<Privacy, 'inspect'> };

export type CallContext = { workspaceId: string; signal: AbortSignal };

/**
 * Parses the body once, and chooses the targets and the settings that apply. Throws
 * INVALID_REQUEST, and the errors of routing and masking. A crash here costs nothing: nothing is
 * stored or sent.
 */
export const planCall = async (
  request: CompleteRequest,
  { workspaceId, actorId, signal }: CallContext & Pick<CallSummary, 'actorId'>,
  deps: PlanningDeps,
): Promise<PlannedCall> => {
  const { address } = request;
  if (!address || request.input.case === undefined) {
    throw invalidRequest('A completion needs an address and a body or a conversation.');
  }
  checkGrounding(request);
  const input: RequestInput =
    request.input.case === 'wire'
      ? readWireBody(request.input.value)
      : { form: 'neutral', conversation: request.input.value };
  const isEmbedding = input.form === 'wire' && input.dialect.name === 'embeddings';
  const purpose = isEmbedding ? 'embedding' : parsePurpose(request.purpose);
  const signals = readSignals(input);
  const routed = await routeCall({ address, input, signals, purpose, workspaceId, signal }, deps);
  const { proofId, answerProofId, requestSha256, grounding, systemPreamble } = request;
  const summary: CallSummary = {
    requestSha256,
    grounding,
    workspaceId,
    actorId,
    address,
    taskType: routed.route.taskType,
    announcedId: answerProofId,
    promptTokens: estimatePrompt(input, signals),
    client: input.form === 'wire' ? input.dialect.name : 'neutral',
    isStreamed: (input.form === 'wire' ? input.summary : input.conversation).streamed,
    wantsJson: signals.wantsJson,
    wantsUsage: input.form === 'wire' && input.summary.wantsUsage,
    vectorRequest: input.form === 'wire' ? input.summary.vectorRequest : undefined,
  };
  return { summary, proofId, systemPreamble, input, ...routed };
};

/**
 * Throws INVALID_REQUEST if a call of an agent or with knowledge lacks grounding, or if any other
 * call has it.
 */
const checkGrounding = ({ address, grounding }: CompleteRequest): void => {
  const isGrounded = address!.kind === 'agent' || address!.knowledge;
  if (isGrounded === (grounding !== undefined)) return;
  throw invalidRequest(
    isGrounded
      ? 'A call of an agent or with knowledge needs its grounding, empty when there is none.'
      : 'Only calls of agents and with knowledge have a grounding.',
  );
};

const parsePurpose = (purpose: string): TaskType | undefined => {
  if (purpose === '') return undefined;
  const known = TASK_TYPES.find((type) => type === purpose);
  if (!known) throw invalidRequest(`The purpose "${purpose}" is none of ${TASK_TYPES.join(', ')}.`);
  return known;
};

/**
 * Returns the targets of a call and the settings that apply. Throws, among others, INVALID_REQUEST
 * for a model name that contains personal data or a secret.
 */
export const routeCall = async (
  call: CallContext & {
    address: Address;
    input: RequestInput;
    signals: RoutingSignals;
    purpose?: TaskType | undefined;
  },
  deps: PlanningDeps,
): Promise<Pick<PlannedCall, 'route' | 'privacy' | 'accessTo'>> => {
  const { input, signals, purpose, workspaceId, signal } = call;
  await checkModelName(call.address.requested, deps.privacy, { workspaceId, signal });
  const routingAddress = toRoutingAddress(call.address);
  const { settings, privacy, accessTo } = await deps.choicesFor(workspaceId, routingAddress.model);
  const isSensitiveCall =
    isRoutedBySignals(routingAddress, settings) &&
    (isUnreadable(input) ||
      isSensitive(
        await inspectCall(input, deps.privacy, { workspaceId, settings: privacy, signal }),
        signals.promptLength,
      ));
  const summary = { isSensitive: isSensitiveCall, purpose };
  const offered = purpose === 'embedding' ? toEmbeddingSettings(settings) : settings;
  const route = chooseRoute(routingAddress, signals, { ...offered, ...summary });
  if (route.targets.length === 0) throw noEmbeddingModel();
  return { route, privacy, accessTo };
};

/** Returns whether a call has text whose sensitivity is unknown; it counts as sensitive. */
const isUnreadable = (input: RequestInput): boolean =>
  input.form === 'wire' && input.dialect.findUnreadable?.(input.body) !== undefined;

const noEmbeddingModel = (): ServiceError =>
  invalidRequest(
    'model: no embedding model is configured; name a model of a provider, or set ' +
      'WITAN_MODEL_EMBEDDING.',
    { param: 'model' },
  );

export const readWireBody = (wire: WireBody): Extract<RequestInput, { form: 'wire' }> => {
  const dialect = Object.hasOwn(ENDPOINTS, wire.dialect)
    ? ENDPOINTS[wire.dialect as EndpointName]
    : undefined;
  if (!dialect) throw invalidRequest(`The dialect "${wire.dialect}" is not known.`);
  const { json: bytes, headers, query } = wire;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const body = parseObject(text);
  if (!body) throw invalidRequest('The body must be a JSON object.');
  const summary = dialect.readRequest(body);
  return { form: 'wire', dialect, bytes, text, body, summary, headers, query };
};

/**
 * Tokens that are added to the estimate of a call for each image, recording or document, because
 * its size in bytes does not determine its tokens.
 */
const MEDIA_TOKENS = 1_600;

const estimatePrompt = (input: RequestInput, signals: RoutingSignals): number => {
  const { mediaCount, promptLength } = signals;
  if (mediaCount > 0) return estimateTokens(promptLength) + mediaCount * MEDIA_TOKENS;
  return estimateTokens(input.form === 'wire' ? input.bytes.length : promptLength);
};

const readSignals = (input: RequestInput): RoutingSignals =>
  input.form === 'wire'
    ? input.dialect.readSignals(input.body)
    : readConversationSignals(input.conversation);
