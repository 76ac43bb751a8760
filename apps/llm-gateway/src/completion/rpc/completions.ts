import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, ServiceError } from '@witan/contracts';
import type {
  AnswerCompleted,
  AnswerSink,
  CompleteAsMessage,
  CompleteEventSchema,
  CompleteRequest,
  CompletionCall,
} from '@witan/contracts';
import type { CompletionService, CountingService, PreviewService } from '@witan/contracts/services';
import { createChannel } from '@witan/service-kit';
import type { Handlers } from '@witan/service-kit';
import { complete } from '../complete.ts';
import type { Caller, CompletionDeps } from '../completion.ts';
import { countTokens } from '../counting/count-tokens.ts';
import type { CountingDeps } from '../counting/count-tokens.ts';
import { awaitCaller } from '../deliver.ts';
import { parseBody } from '../plan.ts';
import { previewCall } from '../preview/preview-call.ts';
import type { PreviewDeps } from '../preview/preview-call.ts';

/** An event of a call, as callers in another process get what a sink gets. */
export type CompletionEvent = MessageInitShape<typeof CompleteEventSchema>;

export const createCompletionHandlers = (
  deps: CompletionDeps,
): Handlers<typeof CompletionService> => ({
  complete: (request, call) => completeOverRpc(request, call, deps),
  completeAs: (messages, call) => completeAsOverRpc(messages, call, deps),
});

export const createCountingHandlers = (deps: CountingDeps): Handlers<typeof CountingService> => ({
  countTokens: (request, call) => {
    checkWorkspace(call, 'Counting');
    return countTokens(request, call, deps);
  },
});

export const createPreviewHandlers = (deps: PreviewDeps): Handlers<typeof PreviewService> => ({
  previewCall: (request, call) => {
    checkWorkspace(call, 'A preview');
    return previewCall(request, call, deps);
  },
});

const checkWorkspace = ({ workspaceId }: { workspaceId: string }, subject: string): void => {
  if (!workspaceId) throw invalidRequest(`${subject} needs a workspace.`);
};

/** Number of events that a call may be ahead of its reader. */
const EVENTS_MAX = 16;

type Event = NonNullable<CompletionEvent['event']>;
type Push = (event: Event) => Promise<void> | undefined;

/** Runs `run` with a sink whose calls become events, and a failure that of the iteration. */
const toEvents = (
  run: (sink: AnswerSink, push: Push) => Promise<AnswerCompleted>,
): AsyncIterable<CompletionEvent> => {
  const events = createChannel<CompletionEvent>(EVENTS_MAX);
  const push: Push = (event) => events.push({ event });
  const sink: AnswerSink = {
    opened: (value) => void push({ case: 'opened', value }),
    bytes: (value) => push({ case: 'wire', value }),
    piece: (part) => push({ case: 'part', value: { part } }),
    refused: (value) => void push({ case: 'refused', value }),
  };
  run(sink, push).then((value) => {
    void push({ case: 'completed', value });
    events.end();
  }, events.fail);
  return events;
};

export const completeOverRpc = (
  request: CompleteRequest,
  caller: Caller,
  deps: CompletionDeps,
): AsyncIterable<CompletionEvent> =>
  toEvents(async (sink, push) => {
    const { announcesReserved } = request;
    const reserved = (): void => void push({ case: 'reserved', value: {} });
    const announcing = announcesReserved ? { ...sink, reserved: onlyOnce(reserved) } : sink;
    return await complete(toCompletionCall(request), caller, announcing, deps);
  });

const onlyOnce = (work: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
};

type Messages = AsyncIterator<CompleteAsMessage>;

/**
 * Runs a completion for a caller in another process that edits the answer: the first message is the
 * request, the second one the delivered text. Rejects with INVALID_REQUEST for an invalid first
 * message, DEADLINE_EXCEEDED without one within 10 s, and CANCELLED if the caller disconnects
 * before it.
 */
export const completeAsOverRpc = (
  messages: AsyncIterable<CompleteAsMessage>,
  caller: Caller,
  deps: CompletionDeps,
): AsyncIterable<CompletionEvent> =>
  toEvents(async (sink, push) => {
    const incoming = messages[Symbol.asyncIterator]();
    try {
      const request = readRequest(await awaitCaller(readNext(incoming), caller.signal));
      const ending: AnswerSink['ending'] = async (value) => {
        void push({ case: 'ending', value });
        return readDelivered(await readNext(incoming));
      };
      return await complete(toCompletionCall(request), caller, { ...sink, ending }, deps);
    } finally {
      // Not awaited: the caller may keep its side of the stream open until this call ends.
      incoming.return?.().catch(() => {});
    }
  });

/** Reads the body of a request, which no later step parses again. */
export const toCompletionCall = ({
  address,
  input,
  ...request
}: CompleteRequest): CompletionCall => {
  if (!address || input.case === undefined) {
    throw invalidRequest('A completion needs an address and a body or a conversation.');
  }
  if (input.case === 'conversation') return { ...request, address, input };
  const { dialect, headers, query } = input.value;
  const value = { dialect, headers, query, body: parseBody(input.value) };
  return { ...request, address, input: { case: 'wire', value } };
};

/**
 * Proof id format of the ledger, checked before egress because an invalid id could not be certified
 * afterwards.
 */
const PROOF_ID = /^pf_[0-9A-Za-z]{16,40}$/;

const readRequest = ({ message }: CompleteAsMessage): CompleteRequest => {
  if (message.case !== 'request') {
    throw invalidRequest('The first message of CompleteAs must be the request.');
  }
  if (message.value.input.case !== 'conversation') {
    throw invalidRequest('CompleteAs takes a conversation; send wire bodies to Complete.');
  }
  const { proofId, answerProofId } = message.value;
  if (answerProofId !== '' && (!PROOF_ID.test(answerProofId) || answerProofId === proofId)) {
    throw invalidRequest('An answer_proof_id is a proof id (pf_...) of its own.');
  }
  return message.value;
};

const readDelivered = ({ message }: CompleteAsMessage): string | null => {
  if (message.case !== 'delivered') {
    throw invalidRequest('The second message of CompleteAs must be the delivered text.');
  }
  return message.value.content ?? null;
};

const readNext = async (incoming: Messages): Promise<CompleteAsMessage> => {
  const next = await incoming.next().catch(throwDisconnected);
  return next.done ? throwDisconnected() : next.value;
};

const throwDisconnected = (cause?: unknown): never => {
  const message = 'The caller disconnected before it reported the delivered text.';
  throw new ServiceError('CANCELLED', message, { cause });
};
