import type { SystemFile } from '@witan/stack';
import { driveWorkers } from '../drive-workers.ts';
import type { Load } from '../drive-workers.ts';
import type { Random } from '@witan/testing/create-random';

/**
 * How a call ended for its client. `refused`: with a status other than 200; `broken`: the response
 * is incomplete or ends in an error; `unreachable`: there was no response; `hung`: the call did not
 * end within the time limit.
 */
export type Outcome = 'complete' | 'refused' | 'broken' | 'unreachable' | 'hung';

export type CallDialect = 'chat-completions' | 'responses';

export type CallRecord = {
  /** The text of the call's message, which only retries of the call share. */
  content: string;
  body: string;
  /** The `Idempotency-Key`; retries of a call share it. */
  key?: string;
  dialect: CallDialect;
  isStreamed: boolean;
  /**
   * True if the api-gateway returned a stored response, which does not show that the services
   * behind the api-gateway work.
   */
  isReplayed?: boolean;
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /**
   * HTTP status; of a refusal with its error code, such as `503 overloaded`, or `without JSON`;
   * empty if there was no response.
   */
  status: string;
  proofId: string | undefined;
  /** The bytes of the response body; undefined if it did not arrive completely. */
  answer: Buffer | undefined;
};

/** Path and member of a request, and what only its complete answer contains. */
const REQUESTS = {
  'chat-completions': {
    path: '/v1/chat/completions',
    member: 'messages',
    complete: { streamed: '"finish_reason":"stop"', plain: '"choices"' },
  },
  responses: {
    path: '/v1/responses',
    member: 'input',
    complete: { streamed: 'event: response.completed\n', plain: '"status":"completed"' },
  },
} as const satisfies Record<CallDialect, object>;

/** Client timeout in milliseconds; longer than any call without faults takes in these runs. */
const TIMEOUT_MS = 40_000;

/** Makes one call and returns its record after its end. Never rejects. */
export const runCall = async (
  { baseUrl, apiKey }: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  {
    content,
    dialect,
    isStreamed,
    key,
  }: Pick<CallRecord, 'content' | 'dialect' | 'isStreamed' | 'key'>,
): Promise<CallRecord> => {
  const { path, member } = REQUESTS[dialect];
  const messages = [{ role: 'user', content }];
  const body = JSON.stringify({ model: 'gpt-5', stream: isStreamed, [member]: messages });
  const startedAt = Date.now();
  const toRecord = (rest: Partial<CallRecord> & Pick<CallRecord, 'outcome'>): CallRecord => ({
    content,
    body,
    dialect,
    isStreamed,
    ...(key === undefined ? {} : { key }),
    startedAt,
    endedAt: Date.now(),
    status: '',
    proofId: undefined,
    answer: undefined,
    ...rest,
  });
  let response: Response;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body,
      signal,
    });
  } catch {
    return toRecord({ outcome: signal.aborted ? 'hung' : 'unreachable' });
  }
  const proofId = response.headers.get('x-service-proof') ?? undefined;
  const isReplayed = response.headers.get('idempotency-replayed') === 'true';
  try {
    const answer = Buffer.from(await response.arrayBuffer());
    return toRecord({
      ...classifyResponse(response.status, answer, { dialect, isStreamed }),
      proofId,
      answer,
      isReplayed,
    });
  } catch {
    const status = String(response.status);
    return toRecord({ outcome: signal.aborted ? 'hung' : 'broken', status, proofId });
  }
};

type CallEnding = Pick<CallRecord, 'outcome' | 'status'>;

const classifyResponse = (
  status: number,
  answer: Buffer,
  { dialect, isStreamed }: Pick<CallRecord, 'dialect' | 'isStreamed'>,
): CallEnding => {
  const text = answer.toString('utf8');
  if (status !== 200) return { outcome: 'refused', status: `${status} ${codeOf(text)}` };
  const { streamed, plain } = REQUESTS[dialect].complete;
  const isComplete = isStreamed
    ? text.includes(streamed) && text.endsWith('data: [DONE]\n\n')
    : text.includes(plain);
  return { outcome: isComplete ? 'complete' : 'broken', status: '200' };
};

const codeOf = (text: string): string => {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string | null } };
    return error?.code ?? 'without code';
  } catch {
    return 'without JSON';
  }
};

/**
 * Runs `inFlight` concurrent workers until stopped. Each makes one call after another, about half
 * of them streamed, each with a unique body,
 * and half in each of two dialects.
 */
export const driveCalls = (
  system: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  { inFlight, random, name }: { inFlight: number; random: Random; name: string },
): Load<CallRecord> => {
  const makeCall = (number: number): Promise<CallRecord> =>
    runCall(system, {
      content: `${name} call ${number}`,
      dialect: random.next() < 0.5 ? 'chat-completions' : 'responses',
      isStreamed: random.next() < 0.5,
    });
  const workers = Array.from({ length: inFlight }, () => makeCall);
  return driveWorkers(workers, ({ outcome }) => outcome !== 'complete');
};
