import { hash } from 'node:crypto';
import type {
  AnswerCompleted,
  AnswerOpened,
  AnswerSink,
  Complete,
  CompletionCall,
} from '@witan/contracts';
import { editMembers } from '@witan/dialects';
import type { Endpoint, JsonObject } from '@witan/dialects';
import { commitmentText } from '@witan/proof';
import { newId, yieldAfter } from '@witan/service-kit';
import type { CallOptions } from '@witan/service-kit';
import { grants } from '../../auth/scope.ts';
import { JSON_DEPTH_MAX } from '../../http/check-json.ts';
import { optionsOf } from '../../http/route.ts';
import { freeBody } from '../../http/read-body.ts';
import type { RouteCall } from '../../http/route.ts';
import { abortReasonOf, toStreamFailure } from '../../http/route.ts';
import { expandRequest } from './expand-request.ts';
import type { ExpandedRequest } from './expand-request.ts';
import type { ReplaceResponse, SaveResponse } from '../../stored-response/save-response.ts';
import type { ResponseStore, StoredResponse } from '../../stored-response/stored-response.ts';
import { openResponseWriter } from './response-writer.ts';
import type { ResponseWriter } from './response-writer.ts';
import { groundCall } from './ground-call.ts';
import type { Knowledge } from './ground-call.ts';
import { runAgent, withDropped } from './run-agent.ts';
import type { AgentTurns } from './run-agent.ts';
import { readDialectRequest } from './dialect-request.ts';

export type CompletionServices = {
  complete: Complete;
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
 * request, runs the call and writes its answer as it arrives. It writes nothing before the provider
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
    const { principal, requestId } = call;
    const { workspaceId } = principal!;
    const expanded = storing && (await expandRequest(call, principal!, storing));
    const isStored =
      expanded && call.body.store !== false && (await storing.isAllowed(workspaceId));
    const sent = expanded && !isStored ? withoutStoring(expanded) : (expanded ?? call);
    const save = (response: JsonObject, opened: AnswerOpened): Promise<boolean> =>
      storing!.save(toStored(expanded!, response, opened), { workspaceId, requestId });
    const storedBytes = isStored ? call.source.length : 0;
    const writer = openResponseWriter(dialect, call, isStored ? save : undefined);
    // The body was sent when the answer begins; what is stored of it stays in memory.
    const onOpened = (): void => {
      freeBody(call);
      call.memory?.shrinkTo(storedBytes);
    };
    const options = { timeoutMs, sent, isLocal: expanded?.origin.isLocal };
    await writeAnswer(writer, dialect, call, (sink) =>
      runCompletion(services, dialect, call, options, {
        ...sink,
        opened: (opened) => {
          onOpened();
          sink.opened(opened);
        },
      }),
    );
    return undefined;
  };

/** Returns the request with `store: false`, so that the provider does not store the response. */
const withoutStoring = ({ body, source }: Pick<RouteCall, 'body' | 'source'>) => {
  if (body.store === false) return { body, source };
  const text = editMembers(Buffer.from(source).toString(), { store: 'false' });
  return { body: { ...body, store: false }, source: Buffer.from(text) };
};

type RunOptions = {
  timeoutMs: number;
  sent: Pick<RouteCall, 'body'> & Partial<Pick<RouteCall, 'source' | 'text'>>;
  /** True if the request contains what the local runtime made: then only that may get it. */
  isLocal?: boolean | undefined;
};

/**
 * Runs the completion of a call. `sent` is the request that is carried out; the certificate commits
 * to the one that the client sent. Without `source` the request is always converted, and so is the
 * answer. No frame of this call holds its body while the answer streams.
 */
export const runCompletion = (
  services: CompletionServices,
  dialect: Endpoint,
  call: RouteCall,
  options: RunOptions,
  sink: AnswerSink,
): Promise<AnswerCompleted> =>
  prepareCall(services, dialect, call, options).then((run) => run(sink));

type RunCall = (sink: AnswerSink) => Promise<AnswerCompleted>;

const prepareCall = async (
  { complete, turns, knowledge }: CompletionServices,
  dialect: Endpoint,
  call: RouteCall,
  { timeoutMs, sent, isLocal = false }: RunOptions,
): Promise<RunCall> => {
  const { body } = sent;
  const { address: named, headers, query } = readDialectRequest(call, dialect.name, body);
  const address = isLocal ? { ...named, sensitive: true } : named;
  const { proofId = newId('pf') } = call;
  const certified = { proofId, address, requestSha256: await commitTo(call.body) };
  const options = { ...optionsOf(call), timeoutMs };
  if (address.kind === 'agent') {
    const turn = { ...certified, body, dialect, readOnly: !canUseAgents(call) };
    return (sink) => runAgent(turns, turn, options, sink);
  }
  // An agent's call is grounded by the agents service, because the agent has its own knowledge
  // sources.
  const embeddingAllowed = !address.sensitive && address.kind !== 'service-sensitive';
  const grounded = address.knowledge
    ? await groundCall(knowledge, { body, embeddingAllowed }, options)
    : NOT_GROUNDED;
  const shared = { ...certified, ...grounded, purpose: '', answerProofId: '' };
  return sent.source
    ? completeWire(
        complete,
        { ...shared, input: toWireInput(sent.source, sent, { dialect, headers, query }) },
        options,
      )
    : completeConverted(complete, shared, { dialect, body, options });
};

const commitTo = async (body: RouteCall['body']): Promise<string> => {
  const text = commitmentText(body, { maxDepth: JSON_DEPTH_MAX });
  await yieldAfter(text.length);
  const sha256 = hash('sha256', text, 'hex');
  await yieldAfter(text.length);
  return sha256;
};

const toWireInput = (
  bytes: Uint8Array,
  { body: value, text = Buffer.from(bytes).toString() }: RunOptions['sent'],
  { dialect, headers, query }: { dialect: Endpoint } & Pick<WireInput, 'headers' | 'query'>,
): CompletionCall['input'] => ({
  case: 'wire',
  value: { dialect: dialect.name, body: { bytes, text, value }, headers, query },
});

type WireInput = Extract<CompletionCall['input'], { case: 'wire' }>['value'];

const completeWire =
  (complete: Complete, request: CompletionCall, options: CallOptions): RunCall =>
  (sink) =>
    complete(request, options, sink);

const completeConverted = (
  complete: Complete,
  shared: Omit<CompletionCall, 'input'>,
  { dialect, body, options }: { dialect: Endpoint; body: RouteCall['body']; options: CallOptions },
): RunCall => {
  const { conversation, dropped } = dialect.decodeRequest(body);
  const request = { ...shared, input: { case: 'conversation', value: conversation } as const };
  return (sink) => complete(request, options, withDropped(sink, dropped));
};

const NOT_GROUNDED = { systemPreamble: '' };

/** Name of the provider that is the local runtime. */
export const LOCAL_PROVIDER = 'local';

/** Returns what is stored of a call: its response with what it continues. */
export const toStored = (
  { origin }: Pick<ExpandedRequest, 'origin'>,
  response: JsonObject,
  { provider, proofId }: Pick<AnswerOpened, 'provider' | 'proofId'>,
): StoredResponse => ({
  ...origin,
  id: String(response.id),
  proofId,
  response,
  isLocal: origin.isLocal || provider === LOCAL_PROVIDER,
});

const canUseAgents = ({ principal }: RouteCall): boolean => grants(principal!.scopes, 'agents');

/** Runs a call and writes its answer; a failure in mid-stream is the last frame of the stream. */
export const writeAnswer = async (
  writer: ResponseWriter,
  dialect: Endpoint,
  call: RouteCall,
  run: (sink: AnswerSink) => Promise<AnswerCompleted>,
): Promise<void> => {
  try {
    await writer.end(await run(writer));
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
