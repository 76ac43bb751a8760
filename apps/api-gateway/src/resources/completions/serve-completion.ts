import { hash } from 'node:crypto';
import type { CompleteEvent, Opened } from '@witan/contracts';
import type { CompletionService } from '@witan/contracts/services';
import { editMembers } from '@witan/dialects';
import type { Endpoint, JsonObject } from '@witan/dialects';
import { commitmentText } from '@witan/proof';
import { newId } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { grants } from '../../auth/scope.ts';
import { JSON_DEPTH_MAX } from '../../http/check-json.ts';
import { optionsOf } from '../../http/route.ts';
import { freeBody } from '../../http/read-body.ts';
import type { RouteCall } from '../../http/route.ts';
import { abortReasonOf, toStreamFailure } from '../../http/route.ts';
import { expandRequest } from '../../stored-response/expand-request.ts';
import type { ExpandedRequest } from '../../stored-response/expand-request.ts';
import type { ReplaceResponse, SaveResponse } from '../../stored-response/save-response.ts';
import type { ResponseStore, StoredResponse } from '../../stored-response/stored-response.ts';
import { openResponseWriter } from './response-writer.ts';
import type { ResponseWriter } from './response-writer.ts';
import { groundCall } from './ground-call.ts';
import type { Knowledge } from './ground-call.ts';
import { addDropped, runAgent } from './run-agent.ts';
import type { AgentTurns } from './run-agent.ts';
import { readDialectRequest } from './dialect-request.ts';

type Completions = Client<typeof CompletionService>;

export type CompletionServices = {
  completions: Completions;
  turns: AgentTurns;
  knowledge: Pick<Knowledge, 'retrieve'>;
};

/** Storage of the responses of a dialect that has it. */
export type Storing = Pick<ResponseStore, 'find' | 'findChain'> & {
  /** Returns whether the workspace allows that responses are stored, by anyone. */
  isAllowed: (workspaceId: string) => Promise<boolean>;
  save: SaveResponse;
  replace: ReplaceResponse;
};

/**
 * Returns a handler of completions in a wire dialect: it reads the model address, commits to the
 * request, calls the service and forwards its events. It writes nothing before the provider
 * responds, so an earlier failure gets its own HTTP status. With `storing`, the request may refer
 * to stored responses, and the response is stored if the provider does not do so.
 */
export const serveCompletion =
  (
    services: CompletionServices,
    dialect: Endpoint,
    { timeoutMs, storing }: { timeoutMs: number; storing?: Storing },
  ) =>
  async (call: RouteCall): Promise<undefined> => {
    const { principal } = call;
    const { workspaceId } = principal!;
    const expanded = storing && (await expandRequest(call, principal!, storing));
    const isStored =
      expanded && call.body.store !== false && (await storing.isAllowed(workspaceId));
    const sent = expanded && !isStored ? withoutStoring(expanded) : (expanded ?? call);
    const isLocal = expanded?.origin.isLocal;
    const events = await openCompletion(services, dialect, call, { timeoutMs, sent, isLocal });
    const { requestId } = call;
    const save = (response: JsonObject, opened: Opened): Promise<boolean> =>
      storing!.save(toStored(expanded!, response, opened), { workspaceId, requestId });
    const storedBytes = isStored ? call.source.length : 0;
    const writer = openResponseWriter(dialect, call, isStored ? save : undefined);
    freeBody(call);
    // The body was sent when the answer begins; what is stored of it stays in memory.
    await relay(events, writer, dialect, call, () => call.memory?.shrinkTo(storedBytes));
    return undefined;
  };

/** Returns the request with `store: false`, so that the provider does not store the response. */
const withoutStoring = ({ body, source }: Pick<RouteCall, 'body' | 'source'>) => {
  if (body.store === false) return { body, source };
  const text = editMembers(Buffer.from(source).toString(), { store: 'false' });
  return { body: { ...body, store: false }, source: Buffer.from(text) };
};

type OpenOptions = {
  timeoutMs: number;
  sent: Pick<RouteCall, 'body'> & Partial<Pick<RouteCall, 'source'>>;
  /** True if the request contains what the local runtime made: then only that may get it. */
  isLocal?: boolean | undefined;
  /** True if the first event of the call must say that its tokens are reserved. */
  announcesReserved?: boolean;
};

/**
 * Opens the completion of a call and returns its events. `sent` is the request that is carried out;
 * the certificate commits to the one that the client sent. Without `source` the request is always
 * converted, and so is the answer.
 */
export const openCompletion = async (
  { completions, turns, knowledge }: CompletionServices,
  dialect: Endpoint,
  call: RouteCall,
  { timeoutMs, sent, isLocal = false, announcesReserved = false }: OpenOptions,
): Promise<AsyncIterable<CompleteEvent>> => {
  const { body, source } = sent;
  const { address: named, wire } = readDialectRequest(
    { ...call, source: source ?? call.source },
    dialect.name,
  );
  const address = isLocal ? { ...named, sensitive: true } : named;
  const { proofId = newId('pf') } = call;
  const text = commitmentText(call.body, { maxDepth: JSON_DEPTH_MAX });
  const certifiedCall = { proofId, address, requestSha256: hash('sha256', text, 'hex') };
  const options = { ...optionsOf(call), timeoutMs };
  if (address.kind === 'agent') {
    const readOnly = !canUseAgents(call);
    return runAgent(turns, { ...certifiedCall, body, dialect, readOnly }, options);
  }
  // An agent's call is grounded by the agents service, because the agent has its own knowledge
  // sources.
  const embeddingAllowed = !address.sensitive && address.kind !== 'service-sensitive';
  const ground = address.knowledge
    ? await groundCall(knowledge, { body, embeddingAllowed }, options)
    : {};
  if (!source) {
    const { conversation, dropped } = dialect.decodeRequest(body);
    const neutral = { case: 'conversation', value: conversation } as const;
    const request = { ...certifiedCall, ...ground, input: neutral, announcesReserved };
    return addDropped(completions.complete(request, options), dropped);
  }
  const input = { case: 'wire', value: wire } as const;
  return completions.complete({ ...certifiedCall, ...ground, input, announcesReserved }, options);
};

/** Name of the provider that is the local runtime. */
export const LOCAL_PROVIDER = 'local';

/** Returns what is stored of a call: its response with what it continues. */
export const toStored = (
  { origin }: Pick<ExpandedRequest, 'origin'>,
  response: JsonObject,
  { provider, proofId }: Pick<Opened, 'provider' | 'proofId'>,
): StoredResponse => ({
  ...origin,
  id: String(response.id),
  proofId,
  response,
  isLocal: origin.isLocal || provider === LOCAL_PROVIDER,
});

const canUseAgents = ({ principal }: RouteCall): boolean => grants(principal!.scopes, 'agents');

/**
 * Writes the events of a call; a failure in mid-stream is the last frame of the stream. Calls
 * `onOpened` when the answer begins.
 */
export const relay = async (
  events: AsyncIterable<CompleteEvent>,
  writer: ResponseWriter,
  dialect: Endpoint,
  call: RouteCall,
  onOpened?: () => void,
): Promise<void> => {
  try {
    for await (const { event } of events) {
      if (event.case === 'opened') onOpened?.();
      const drained = writer.take(event);
      if (drained) await drained;
    }
    writer.end();
  } catch (error) {
    const { response, signal, requestId } = call;
    if (!response.headersSent || !writer.isStreaming) throw abortReasonOf(signal) ?? error;
    const failure = toStreamFailure(error, signal);
    if (!failure) return;
    // The reason is set for the log only; the client gets the error as the last frame of the
    // stream.
    response.locals.reason = failure.reason;
    response.end(dialect.encodeErrorFrame(failure, { requestId, sent: writer.sent }));
  }
};
