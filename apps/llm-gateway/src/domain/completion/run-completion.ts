import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, isServiceError } from '@witan/contracts';
import type { CompleteEventSchema, CompleteRequest } from '@witan/contracts';
import { DECISIVE_MEMBERS, findRepeatedMember, readChatRequest } from '@witan/dialects';
import type { ChatRequest } from '@witan/dialects';
import { chooseRoute } from '../route/choose-route.ts';
import type { RouteSettings } from '../route/choose-route.ts';
import { startCallClock } from './call-clock.ts';
import { askAgain, CERTIFY_PATIENCE_MS } from './ask-again.ts';
import { toIntentDraft } from './certify.ts';
import type { Intent } from './certify.ts';
import type { Books, Provider, ProviderAnswer } from './ports.ts';
import { prepareEgress } from './prepare-egress.ts';
import type { Egress } from './prepare-egress.ts';
import { relayPlain } from './relay-plain.ts';
import { relayRefusal } from './relay-refusal.ts';
import { relayStreamed } from './relay-streamed.ts';
import { endInFailure } from './seal-ending.ts';
import type { Run } from './seal-ending.ts';
import { estimateTokens } from './estimate-tokens.ts';

export type CompletionEvent = MessageInitShape<typeof CompleteEventSchema>;

export type CompletionDeps = {
  books: Books;
  providers: ReadonlyMap<Provider['name'], Provider>;
  /** What there is to choose from for a call that asks for this model. */
  settingsFor: (model: string) => Promise<RouteSettings>;
  /** Output limits above it are clamped (GATEWAY_MAX_OUTPUT_TOKENS). */
  maxOutputTokens: number;
  /** Longest time from sending to the last byte, in milliseconds. */
  totalTimeoutMs: number;
};

/** Beside the longest call and the wait for the ledger, before the sweeper may act. */
const SWEEP_MARGIN_MS = 10_000;

/**
 * One attested completion (README, Life of a completion). Yields opened, wire and completed
 * events. Rejects before egress without a trace; after it, only once a certificate says how the
 * call ended (the error's `proof` field then names it).
 */
export async function* runCompletion(
  request: CompleteRequest,
  client: { workspaceId: string; signal: AbortSignal },
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent> {
  const { asked, intent, egress } = await plan(request, client.workspaceId, deps);
  await reserve(deps, intent);
  const clock = startCallClock(client.signal, deps.totalTimeoutMs);
  const run: Run = { intent, books: deps.books, client: client.signal };
  try {
    const provider = deps.providers.get(intent.route.provider)!;
    const answer = await send(provider, egress, clock.signal, run);
    if (answer.status >= 300) yield* relayRefusal(run, answer);
    else if (isEventStream(answer)) yield* relayStreamed(run, answer, asked);
    else yield* relayPlain(run, answer);
  } finally {
    clock.close();
  }
}

/** Everything that is decided before anything is written or sent. */
const plan = async (
  request: CompleteRequest,
  workspaceId: string,
  deps: CompletionDeps,
): Promise<{ asked: ChatRequest; intent: Intent; egress: Egress }> => {
  const { address, input, proofId, requestSha256 } = request;
  if (!address || input.case !== 'wire' || input.value.dialect !== 'chat-completions') {
    throw invalidRequest('A completion needs an address and a chat-completions body.');
  }
  const source = input.value.json;
  const text = Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString('utf8');
  const asked = readChatRequest(parseBody(text));
  refuseRepeatedMembers(text);
  const route = chooseRoute(address, asked, await deps.settingsFor(address.model));
  const { maxOutputTokens } = deps;
  const egress = prepareEgress({ bytes: source, text }, asked, {
    model: route.model,
    maxOutputTokens,
  });
  const intent: Intent = {
    proofId,
    workspaceId,
    address,
    requestSha256,
    egressSha256: egress.sha256,
    route,
    promptTokens: estimateTokens(source.length),
  };
  return { asked, intent, egress };
};

const refuseRepeatedMembers = (text: string): void => {
  const repeated = findRepeatedMember(text, DECISIVE_MEMBERS);
  if (!repeated) return;
  throw invalidRequest(`${repeated} stands twice in the body; send it once.`, { param: repeated });
};

const parseBody = (text: string): Record<string, unknown> => {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return body as Record<string, unknown>;
    }
  } catch {
    // Falls through to the one message for every body that is no JSON object.
  }
  throw invalidRequest('The body must be a JSON object.');
};

/**
 * Writes the intent. When nobody knows whether it was written, it is released in the background:
 * nothing will be sent, and the sweeper would certify it as lost.
 */
const reserve = async (
  { books, totalTimeoutMs }: CompletionDeps,
  intent: Intent,
): Promise<void> => {
  const expiresInMs = totalTimeoutMs + CERTIFY_PATIENCE_MS + SWEEP_MARGIN_MS;
  try {
    await books.reserve(intent.workspaceId, toIntentDraft(intent), expiresInMs);
  } catch (error) {
    const isUnknown = isServiceError(error) && error.reason === 'LEDGER_UNAVAILABLE';
    // Rejects when the ledger stays away for longer; then the sweeper has the last word.
    if (isUnknown)
      askAgain(() => books.release(intent.workspaceId, intent.proofId)).catch(() => {});
    throw error;
  }
};

const send = async (
  provider: Provider,
  egress: Egress,
  signal: AbortSignal,
  run: Run,
): Promise<ProviderAnswer> => {
  if (signal.aborted) {
    await releaseUnsent(run);
    throw signal.reason as unknown;
  }
  try {
    return await provider.complete({ body: egress.bytes, signal });
  } catch (error) {
    if (isServiceError(error) && error.reason === 'PROVIDER_UNREACHABLE') {
      await releaseUnsent(run);
      throw error;
    }
    throw await endInFailure(run, undefined, error);
  }
};

/**
 * Nothing left the house, so there is nothing to certify. Should the ledger be down too, the
 * sweeper ends the reservation; the client still hears of what happened first.
 */
const releaseUnsent = ({ books, intent }: Run): Promise<void> =>
  books.release(intent.workspaceId, intent.proofId).catch(() => {});

const isEventStream = (answer: ProviderAnswer): boolean =>
  (answer.headers['content-type'] ?? '').startsWith('text/event-stream');
