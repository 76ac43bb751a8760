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

export type CallRecord = {
  /** The text of the call's message, which only retries of the call share. */
  content: string;
  body: string;
  /** The `Idempotency-Key`; retries of a call share it. */
  key?: string;
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

/** Client timeout in milliseconds; longer than any call without faults takes in these runs. */
const TIMEOUT_MS = 40_000;

/** Makes one call and returns its record after its end. Never rejects. */
export const runCall = async (
  { baseUrl, apiKey }: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  { content, isStreamed, key }: Pick<CallRecord, 'content' | 'isStreamed' | 'key'>,
): Promise<CallRecord> => {
  const messages = [{ role: 'user', content }];
  const body = JSON.stringify({ model: 'gpt-5', stream: isStreamed, messages });
  const startedAt = Date.now();
  const toRecord = (rest: Partial<CallRecord> & Pick<CallRecord, 'outcome'>): CallRecord => ({
    content,
    body,
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
    response = await fetch(`${baseUrl}/v1/chat/completions`, {
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
      ...classifyResponse(response.status, answer, isStreamed),
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

const classifyResponse = (status: number, answer: Buffer, isStreamed: boolean): CallEnding => {
  const text = answer.toString('utf8');
  if (status !== 200) return { outcome: 'refused', status: `${status} ${codeOf(text)}` };
  const isComplete = isStreamed ? text.endsWith('data: [DONE]\n\n') : text.includes('"choices"');
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
 * of them streamed, each with a unique body.
 */
export const driveCalls = (
  system: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  { inFlight, random, name }: { inFlight: number; random: Random; name: string },
): Load<CallRecord> => {
  const makeCall = (number: number): Promise<CallRecord> =>
    runCall(system, { content: `${name} call ${number}`, isStreamed: random.next() < 0.5 });
  const workers = Array.from({ length: inFlight }, () => makeCall);
  return driveWorkers(workers, ({ outcome }) => outcome !== 'complete');
};
