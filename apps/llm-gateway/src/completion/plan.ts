import { invalidRequest } from '@witan/contracts';
import type { CompletionCall, RequestBody, ServiceError, WireBody } from '@witan/contracts';
import { ENDPOINTS, parseObject, readConversationSignals } from '@witan/dialects';
import type { EndpointName, RoutingSignals, VectorRequest } from '@witan/dialects';
import { TASK_TYPES } from '@witan/proof';
import type { TaskType } from '@witan/proof';
import { checkModelName, inspectCall, isSensitive } from '../masking/mask-request.ts';
import type { Privacy, RequestInput } from '../masking/mask-request.ts';
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

/** The part of a call that its answer and its certificates need. It holds no body. */
export type CallSummary = Pick<CompletionCall, 'requestSha256' | 'grounding' | 'address'> & {
  workspaceId: string;
  /** API key for which the call is made; empty or absent if unknown. */
  actorId?: string | undefined;
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
 * Chooses the targets and the settings that apply. Throws INVALID_REQUEST, and the errors of
 * routing and masking. A crash here costs nothing: nothing is stored or sent.
 */
export const planCall = async (
  call: CompletionCall,
  { workspaceId, actorId, signal }: CallContext & Pick<CallSummary, 'actorId'>,
  deps: PlanningDeps,
): Promise<PlannedCall> => {
  checkGrounding(call);
  const { address } = call;
  const input = readInput(call.input);
  const isEmbedding = input.form === 'wire' && input.dialect.name === 'embeddings';
  const purpose = isEmbedding ? 'embedding' : parsePurpose(call.purpose);
  const signals = readSignals(input);
  const routed = await routeCall({ address, input, signals, purpose, workspaceId, signal }, deps);
  const { proofId, answerProofId, requestSha256, grounding, systemPreamble } = call;
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
const checkGrounding = ({ address, grounding }: CompletionCall): void => {
  const isGrounded = address.kind === 'agent' || address.knowledge;
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
    address: CompletionCall['address'];
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
  input.form === 'wire' && input.dialect.findUnreadable?.(input.body.value) !== undefined;

const noEmbeddingModel = (): ServiceError =>
  invalidRequest(
    'model: no embedding model is configured; name a model of a provider, or set ' +
      'WITAN_MODEL_EMBEDDING.',
    { param: 'model' },
  );

const readInput = (input: CompletionCall['input']): RequestInput => {
  if (input.case === 'conversation') return { form: 'neutral', conversation: input.value };
  const { dialect: name, body, headers, query } = input.value;
  const dialect = Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name as EndpointName] : undefined;
  if (!dialect) throw invalidRequest(`The dialect "${name}" is not known.`);
  const summary = dialect.readRequest(body.value);
  return { form: 'wire', dialect, body, summary, headers, query };
};

/** Reads the body of a message. Throws INVALID_REQUEST. */
export const parseBody = ({ json: bytes }: Pick<WireBody, 'json'>): RequestBody => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const value = parseObject(text);
  if (!value) throw invalidRequest('The body must be a JSON object.');
  return { bytes, text, value };
};

export const readWireBody = (wire: WireBody): Extract<RequestInput, { form: 'wire' }> => {
  const value = { ...wire, body: parseBody(wire) };
  return readInput({ case: 'wire', value }) as Extract<RequestInput, { form: 'wire' }>;
};

/**
 * Tokens that are added to the estimate of a call for each image, recording or document, because
 * its size in bytes does not determine its tokens.
 */
const MEDIA_TOKENS = 1_600;

const estimatePrompt = (input: RequestInput, signals: RoutingSignals): number => {
  const { mediaCount, promptLength } = signals;
  if (mediaCount > 0) return estimateTokens(promptLength) + mediaCount * MEDIA_TOKENS;
  return estimateTokens(input.form === 'wire' ? input.body.bytes.length : promptLength);
};

const readSignals = (input: RequestInput): RoutingSignals =>
  input.form === 'wire'
    ? input.dialect.readSignals(input.body.value)
    : readConversationSignals(input.conversation);

/** Rule of thumb for English text and JSON; certificates mark estimates as such. */
const BYTES_PER_TOKEN = 4;

export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

export type TokenNeed = {
  /** Tokens that the call may use at most: the estimated prompt and the longest allowed answers. */
  amount: number;
  /** Fewest tokens with which the call is useful: the prompt and one token per answer. */
  minimum: number;
  choices: number;
  promptTokens: number;
};

export const estimateTokenNeed = (
  { input, promptTokens }: { input: RequestInput; promptTokens: number },
  { outputTokens }: { outputTokens: number | undefined },
  maxOutputTokens: number,
): TokenNeed => {
  const choices = input.form === 'wire' ? input.summary.choices : 1;
  const outputTokensMax = Math.max(1, Math.ceil(outputTokens ?? maxOutputTokens));
  return {
    amount: promptTokens + choices * outputTokensMax,
    minimum: promptTokens + choices,
    choices,
    promptTokens,
  };
};

/** Returns the output limit per answer when only `held` tokens are reserved for the whole call. */
export const fitOutput = ({ promptTokens, choices }: TokenNeed, held: number): number =>
  Math.floor((held - promptTokens) / choices);
