import type { SystemFile } from '@witan/stack';
import { commit, commitAnswer, parseSavedAnswer } from '@witan/proof';
import { toBody } from './soak-call.ts';
import type { SoakCall } from './soak-call.ts';

/**
 * How a call ended for its client: a whole answer; left by itself; anything else, in words. The
 * soak breaks nothing, so that anything else is a fault.
 */
export type SoakRecord = {
  id: number;
  call: SoakCall;
  /** The commitments that its certificate must hold; of the answer once that is whole. */
  requestSha256: string;
  answerSha256: string | undefined;
  outcome: 'complete' | 'left' | { fault: string };
  proofId: string | undefined;
  /** When its client left, in milliseconds since the epoch. */
  leftAt: number | undefined;
};

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages' };
const LAST_FRAMES = { chat: 'data: [DONE]\n\n', messages: 'event: message_stop\n' };
/** Far above the longest answer. */
const PATIENCE_MS = 60_000;

type Sending = { leaving: AbortController; record: SoakRecord };

/** Sends one call, reads its stream, and leaves it when it was drawn so. */
export const sendCall = async (
  { baseUrl, apiKey }: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  call: SoakCall,
): Promise<SoakRecord> => {
  const body = toBody(call);
  const record: SoakRecord = {
    id: call.id,
    call,
    requestSha256: commit(JSON.parse(body)),
    answerSha256: undefined,
    outcome: 'left',
    proofId: undefined,
    leftAt: undefined,
  };
  const leaving = new AbortController();
  const sending = { leaving, record };
  const timer = startLeaving(sending);
  try {
    const response = await fetch(`${baseUrl}${PATHS[call.dialect]}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    record.proofId = response.headers.get('x-service-proof') ?? undefined;
    await readAnswer(response, sending);
  } catch (error) {
    if (record.leftAt === undefined) record.outcome = { fault: describe(error) };
  } finally {
    clearTimeout(timer);
  }
  return record;
};

const leave = ({ leaving, record }: Sending): void => {
  record.leftAt = Date.now();
  leaving.abort();
};

const startLeaving = (sending: Sending): NodeJS.Timeout | undefined => {
  const plan = sending.record.call.leaving;
  if (plan === undefined || plan.window === 'stream') return undefined;
  return setTimeout(() => leave(sending), plan.afterMs);
};

const readAnswer = async (response: Response, sending: Sending): Promise<void> => {
  const { record } = sending;
  const plan = record.call.leaving;
  const limit = plan?.window === 'stream' ? plan.afterReads : Infinity;
  const chunks: Uint8Array[] = [];
  let reads = 0;
  for await (const chunk of response.body!) {
    chunks.push(chunk);
    reads += 1;
    if (reads < limit) continue;
    leave(sending);
    return;
  }
  const answer = Buffer.concat(chunks);
  const isWhole = answer.includes(LAST_FRAMES[record.call.dialect]);
  if (response.status === 200 && isWhole) {
    record.outcome = 'complete';
    record.answerSha256 = commitAnswer(parseSavedAnswer(answer));
  } else {
    record.outcome = { fault: response.status === 200 ? 'cut off' : `status ${response.status}` };
  }
};

/** `fetch failed` says nothing; its cause does. */
const describe = (error: unknown): string => {
  if (!Error.isError(error)) return 'unknown';
  return Error.isError(error.cause) ? `${error.message}: ${error.cause.message}` : error.message;
};
