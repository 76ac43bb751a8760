import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import type { Random } from './random.ts';

/**
 * How a call ended for its client: a whole answer; an error with a status; an answer that broke
 * off or ended in an error frame; no answer at all; nothing within the client's patience.
 */
export type Outcome = 'complete' | 'refused' | 'broken' | 'unreachable' | 'hung';

/** One call of the load. */
export type CallRecord = {
  /** The unique text of its message. */
  content: string;
  /** The exact body. */
  body: string;
  isStreamed: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /** The status, and an error's code, as `503 overloaded`; empty without an answer. */
  status: string;
  proofId: string | undefined;
  /** The bytes of a complete answer. */
  answer: Buffer | undefined;
};

/** Calls that come without a pause. */
export type Load = {
  /** Every call that ended, and `pending` those that did not. */
  ended: readonly CallRecord[];
  pending: () => number;
  /** Starts no new call and waits for the last answer. */
  stop: () => Promise<void>;
};

/** Longer than the longest honest end of a call: time-out, 10 s for its certificate, margin. */
const PATIENCE_MS = 40_000;
/** A client that was refused does not come back at once. */
const BACK_OFF_MS = 100;

/** Keeps `inFlight` calls going, plain and streamed, each with a body of its own. */
export const driveLoad = (
  system: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  options: { inFlight: number; random: Random; name: string },
): Load => {
  const ended: CallRecord[] = [];
  let isStopping = false;
  let started = 0;
  const work = async (): Promise<void> => {
    while (!isStopping) {
      started += 1;
      const content = `${options.name} call ${started}`;
      const record = await runCall(system, content, options.random.next() < 0.5);
      ended.push(record);
      if (record.outcome !== 'complete') await pause(BACK_OFF_MS);
    }
  };
  const workers = Promise.all(Array.from({ length: options.inFlight }, work));
  return {
    ended,
    pending: () => started - ended.length,
    stop: async () => {
      isStopping = true;
      await workers;
    },
  };
};

const runCall = async (
  { baseUrl, apiKey }: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  content: string,
  isStreamed: boolean,
): Promise<CallRecord> => {
  const messages = [{ role: 'user', content }];
  const body = JSON.stringify({ model: 'gpt-5', stream: isStreamed, messages });
  const startedAt = Date.now();
  const end = (rest: Partial<CallRecord> & Pick<CallRecord, 'outcome'>): CallRecord => ({
    content,
    body,
    isStreamed,
    startedAt,
    endedAt: Date.now(),
    status: '',
    proofId: undefined,
    answer: undefined,
    ...rest,
  });
  let response: Response;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body,
      signal,
    });
  } catch {
    return end({ outcome: signal.aborted ? 'hung' : 'unreachable' });
  }
  const proofId = response.headers.get('x-service-proof') ?? undefined;
  try {
    const answer = Buffer.from(await response.arrayBuffer());
    return end({ ...judge(response.status, answer, isStreamed), proofId, answer });
  } catch {
    return end({ outcome: signal.aborted ? 'hung' : 'broken', status: '200', proofId });
  }
};

type Judged = Pick<CallRecord, 'outcome' | 'status'>;

const judge = (status: number, answer: Buffer, isStreamed: boolean): Judged => {
  const text = answer.toString('utf8');
  if (status !== 200) return { outcome: 'refused', status: `${status} ${codeOf(text)}` };
  const isWhole = isStreamed ? text.endsWith('data: [DONE]\n\n') : text.includes('"choices"');
  return { outcome: isWhole ? 'complete' : 'broken', status: '200' };
};

const codeOf = (text: string): string => {
  const { error } = JSON.parse(text) as { error?: { code?: string | null } };
  return error?.code ?? 'without code';
};
