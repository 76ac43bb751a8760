import type { SystemFile } from '@witan/stack';

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
  /** Its `Idempotency-Key`, under which it may have been sent several times. */
  key?: string;
  isStreamed: boolean;
  /** The answer of an earlier call of its key: says nothing of the system behind the edge. */
  isReplayed?: boolean;
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

/** Longer than the longest honest end of a call: time-out, 10 s for its certificate, margin. */
const PATIENCE_MS = 40_000;

/** Makes one call and waits for its end; it does not reject. */
export const runCall = async (
  { baseUrl, apiKey }: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  { content, isStreamed, key }: Pick<CallRecord, 'content' | 'isStreamed' | 'key'>,
): Promise<CallRecord> => {
  const messages = [{ role: 'user', content }];
  const body = JSON.stringify({ model: 'gpt-5', stream: isStreamed, messages });
  const startedAt = Date.now();
  const end = (rest: Partial<CallRecord> & Pick<CallRecord, 'outcome'>): CallRecord => ({
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
  const signal = AbortSignal.timeout(PATIENCE_MS);
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
    return end({ outcome: signal.aborted ? 'hung' : 'unreachable' });
  }
  const proofId = response.headers.get('x-service-proof') ?? undefined;
  const isReplayed = response.headers.get('idempotency-replayed') === 'true';
  try {
    const answer = Buffer.from(await response.arrayBuffer());
    return end({ ...judge(response.status, answer, isStreamed), proofId, answer, isReplayed });
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
