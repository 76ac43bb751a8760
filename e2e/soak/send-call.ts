import type { SystemFile } from '@witan/stack';
import { commit, commitAnswer, parseSavedAnswer } from '@witan/proof';
import { describeError } from '../faults/client.ts';
import { toBody } from './soak-call.ts';
import type { SoakCall } from './soak-call.ts';

/**
 * One call as its client saw it. `outcome` is `left` if the client aborted the call. Other errors
 * are violations, because the soak test injects no faults.
 */
export type SoakRecord = {
  id: number;
  call: SoakCall;
  /**
   * Expected commitments to request and response; `answerSha256` is set once the response is
   * complete.
   */
  requestSha256: string;
  answerSha256: string | undefined;
  outcome: 'complete' | 'left' | { error: string };
  proofId: string | undefined;
  /**
   * Time at which the client disconnected, in milliseconds since the epoch; undefined if it did
   * not.
   */
  disconnectedAt: number | undefined;
};

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages' };
const LAST_FRAMES = { chat: 'data: [DONE]\n\n', messages: 'event: message_stop\n' };
/** Timeout of a call in milliseconds; longer than the longest response of the provider. */
const TIMEOUT_MS = 60_000;

type CallInFlight = { controller: AbortController; record: SoakRecord };

/**
 * Sends one call and reads its stream; aborts the call at the moment that `call.abort` defines.
 * Never rejects.
 */
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
    disconnectedAt: undefined,
  };
  const controller = new AbortController();
  const inFlight = { controller, record };
  const timer = startAbortTimer(inFlight);
  try {
    const response = await fetch(`${baseUrl}${PATHS[call.dialect]}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([controller.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    record.proofId = response.headers.get('x-service-proof') ?? undefined;
    await readAnswer(response, inFlight);
  } catch (error) {
    if (record.disconnectedAt === undefined) record.outcome = { error: describeError(error) };
  } finally {
    clearTimeout(timer);
  }
  return record;
};

const abortCall = ({ controller, record }: CallInFlight): void => {
  record.disconnectedAt = Date.now();
  controller.abort();
};

const startAbortTimer = (inFlight: CallInFlight): NodeJS.Timeout | undefined => {
  const plan = inFlight.record.call.abort;
  if (plan === undefined || plan.window === 'stream') return undefined;
  return setTimeout(() => abortCall(inFlight), plan.afterMs);
};

const readAnswer = async (response: Response, inFlight: CallInFlight): Promise<void> => {
  const { record } = inFlight;
  const plan = record.call.abort;
  const limit = plan?.window === 'stream' ? plan.afterReads : Infinity;
  const chunks: Uint8Array[] = [];
  let reads = 0;
  for await (const chunk of response.body!) {
    chunks.push(chunk);
    reads += 1;
    if (reads < limit) continue;
    abortCall(inFlight);
    return;
  }
  const answer = Buffer.concat(chunks);
  const isComplete = answer.includes(LAST_FRAMES[record.call.dialect]);
  if (response.status === 200 && isComplete) {
    record.outcome = 'complete';
    record.answerSha256 = commitAnswer(parseSavedAnswer(answer));
  } else {
    record.outcome = { error: response.status === 200 ? 'cut off' : `status ${response.status}` };
  }
};
