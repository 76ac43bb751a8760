import { create } from '@bufbuild/protobuf';
import { ConversationSchema, invalidRequest } from '@witan/contracts';
import type { Address, CompleteRequest, Conversation, WireBody } from '@witan/contracts';
import { DIALECTS, parseObject, readConversationSignals } from '@witan/dialects';
import type { Dialect, JsonObject, RequestSummary, RoutingSignals } from '@witan/dialects';
import { TASK_TYPES } from '@witan/proof';
import type { TaskType } from '@witan/proof';
import { checkModelName } from '../privacy/check-model-name.ts';
import { inspectCall } from '../privacy/inspect-call.ts';
import { isSensitive } from '../privacy/judge-sensitivity.ts';
import type { Privacy } from '../privacy/mask-body.ts';
import type { PrivacySettings } from '../privacy/privacy-settings.ts';
import { chooseRoute, isRouted } from '../route/choose-route.ts';
import type { Route } from '../route/choose-route.ts';
import { toWanted } from '../route/to-wanted.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { ChoicesFor, ProviderAccess } from './ports.ts';

export type Asked =
  | {
      form: 'wire';
      dialect: Dialect;
      bytes: Uint8Array;
      text: string;
      body: JsonObject;
      summary: RequestSummary;
      headers: Readonly<Record<string, string>>;
      query: string;
    }
  | { form: 'neutral'; conversation: Conversation };

export type PlannedCall = {
  request: Pick<
    CompleteRequest,
    'proofId' | 'answerProofId' | 'requestSha256' | 'grounding' | 'systemPreamble'
  >;
  address: Address;
  workspaceId: string;
  asked: Asked;
  route: Route;
  privacy: PrivacySettings;
  wantsJson: boolean;
  promptTokens: number;
  accessTo: (provider: string) => ProviderAccess;
  /** Number of attempts that may have sent bytes to a provider. */
  sent: number;
};

export type PlanningDeps = { choicesFor: ChoicesFor; privacy: Pick<Privacy, 'inspect'> };

export type Asking = { workspaceId: string; signal: AbortSignal };

export const planCall = async (
  request: CompleteRequest,
  { workspaceId, signal }: Asking,
  deps: PlanningDeps,
): Promise<PlannedCall> => {
  const { address, input } = request;
  if (!address || input.case === undefined) {
    throw invalidRequest('A completion needs an address and a body or a conversation.');
  }
  checkGrounding(request);
  const purpose = parsePurpose(request.purpose);
  const asked: Asked =
    input.case === 'wire'
      ? readWireBody(input.value)
      : { form: 'neutral', conversation: input.value };
  const signals = readSignals(asked);
  const routed = await routeCall({ address, asked, signals, purpose, workspaceId, signal }, deps);
  const promptTokens = estimatePrompt(asked, signals);
  const { proofId, answerProofId, requestSha256, grounding, systemPreamble } = request;
  const forwarded = { proofId, answerProofId, requestSha256, grounding, systemPreamble };
  return {
    request: forwarded,
    address,
    workspaceId,
    asked,
    ...routed,
    wantsJson: signals.wantsJson,
    promptTokens,
    sent: 0,
  };
};

/**
 * Throws INVALID_REQUEST unless grounding is present exactly for agents and calls with knowledge.
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
 * Returns the targets of a call and the settings that apply. Throws INVALID_REQUEST for a model
 * name that contains personal data.
 */
export const routeCall = async (
  call: Asking & {
    address: Address;
    asked: Asked;
    signals: RoutingSignals;
    purpose?: TaskType | undefined;
  },
  deps: PlanningDeps,
): Promise<Pick<PlannedCall, 'route' | 'privacy' | 'accessTo'>> => {
  const { asked, signals, purpose, workspaceId, signal } = call;
  await checkModelName(call.address.requested, deps.privacy, { workspaceId, signal });
  const wanted = toWanted(call.address);
  const { settings, privacy, accessTo } = await deps.choicesFor(workspaceId, wanted.model);
  const isSensitiveCall =
    isRouted(wanted, settings) &&
    isSensitive(
      await inspectCall(asked, deps.privacy, { workspaceId, settings: privacy, signal }),
      signals.promptLength,
    );
  const summary = { isSensitive: isSensitiveCall, purpose };
  const route = chooseRoute(wanted, signals, { ...settings, ...summary });
  return { route, privacy, accessTo };
};

/**
 * Releases the body once it was encoded for the last target: an answer may stream for minutes, and
 * a body of 1 MB occupies 4 MB in all its forms.
 */
export const forgetBody = ({ asked }: PlannedCall): void => {
  if (asked.form === 'wire') Object.assign(asked, { bytes: new Uint8Array(), text: '', body: {} });
  else asked.conversation = create(ConversationSchema);
};

export const readWireBody = (wire: WireBody): Extract<Asked, { form: 'wire' }> => {
  const dialect = Object.hasOwn(DIALECTS, wire.dialect)
    ? DIALECTS[wire.dialect as keyof typeof DIALECTS]
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
 * Estimated tokens of an image or document, about a page of text: its size in bytes does not
 * determine its tokens.
 */
const MEDIA_TOKENS = 1_600;

const estimatePrompt = (asked: Asked, signals: RoutingSignals): number => {
  if (signals.hasMedia) return estimateTokens(signals.promptLength) + MEDIA_TOKENS;
  return estimateTokens(asked.form === 'wire' ? asked.bytes.length : signals.promptLength);
};

const readSignals = (asked: Asked): RoutingSignals =>
  asked.form === 'wire'
    ? asked.dialect.readSignals(asked.body)
    : readConversationSignals(asked.conversation);
