import type { SystemFile } from '@witan/stack';

/**
 * Result of a call for its client: complete; refused with a status; broken or ended by an error
 * frame; no response; or no end within the client's time limit.
 */
export type Outcome = 'complete' | 'refused' | 'broken' | 'unreachable' | 'hung';

export type CallRecord = {
  /** The unique text of the call's message. */
  content: string;
  body: string;
  /** The call's `Idempotency-Key`, which its retries share. */
  key?: string;
  isStreamed: boolean;
  /** Set if the response is a stored one; it does not involve the services behind the edge. */
  isReplayed?: boolean;
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /** Status and error code, such as `503 overloaded`; empty if there was no response. */
  status: string;
  proofId: string | undefined;
  /** The bytes of a complete response. */
  answer: Buffer | undefined;
};

/** Exceeds the timeout of a completion plus 10 s for the certificate. */
const PATIENCE_MS = 40_000;

/** Makes one call and waits for its end; never rejects. */
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
