import { ApiError } from '../../api/api-error.ts';
import { CONSOLE_HEADERS } from '../../api/api.ts';
import { readResponseEvents } from '../../api/read-events.ts';
import type { CallRequest } from './call-request.ts';
import { dialectOf, parseEvent, readStreamError } from './dialects.ts';
import type { DialectName } from './dialects.ts';

/** What is known of a call so far. Times are in milliseconds after it was sent. */
export type CallProgress = {
  text: string;
  /** When the first part of the answer arrived. */
  firstByteMs: number | undefined;
  /** When the answer ended; undefined while it goes on. */
  totalMs: number | undefined;
  /** Id of the certificate, which exists when the answer has ended. */
  proofId: string | undefined;
  /** What the gateway itself took until it answered. */
  overheadMs: number | undefined;
  droppedParams: string | undefined;
};

const NOTHING: CallProgress = {
  text: '',
  firstByteMs: undefined,
  totalMs: undefined,
  proofId: undefined,
  overheadMs: undefined,
  droppedParams: undefined,
};

const CUT_OFF = 'The answer is not complete: its stream ended early. Send the call again.';

type Sending = {
  dialect: DialectName;
  request: CallRequest;
  signal: AbortSignal;
  onProgress: (progress: CallProgress) => void;
};

/**
 * Makes the call and reports each part of its answer. Throws ApiError if it is refused, and Error
 * if a streamed answer ends with an error of the provider, or without its dialect's last event.
 */
export const sendCall = async (sending: Sending): Promise<void> => {
  const { request, signal, onProgress } = sending;
  const dialect = dialectOf(sending.dialect);
  const startedAt = performance.now();
  let progress = NOTHING;
  const report = (change: Partial<CallProgress>): void => {
    const firstByteMs = progress.firstByteMs ?? performance.now() - startedAt;
    progress = { ...progress, firstByteMs, ...change };
    onProgress(progress);
  };
  const response = await fetch(dialect.path, {
    method: 'POST',
    signal,
    headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify(dialect.toBody(request)),
  });
  if (!response.ok) throw new ApiError(response.status, await readJson(response));
  report(readHeaders(response.headers));
  if (request.isStreamed) {
    let isComplete = false;
    for await (const { data } of readResponseEvents(response)) {
      const event = parseEvent(data);
      const failure = readStreamError(event);
      if (failure !== undefined) throw new Error(failure);
      const delta = dialect.readDelta(event);
      if (delta !== '') report({ text: progress.text + delta });
      isComplete ||= dialect.isLast(event);
    }
    if (!isComplete) throw new Error(CUT_OFF);
  } else {
    report({ text: dialect.readAnswer(await response.json()) });
  }
  report({ totalMs: performance.now() - startedAt });
};

const readHeaders = (headers: Headers): Partial<CallProgress> => {
  const overhead = headers.get('x-service-overhead-ms');
  return {
    proofId: headers.get('x-service-proof') ?? undefined,
    overheadMs: overhead === null ? undefined : Number(overhead),
    droppedParams: headers.get('x-service-dropped-params') ?? undefined,
  };
};

/** Returns null for a body that is not JSON: its status alone is described. */
const readJson = (response: Response): Promise<unknown> => response.json().catch(() => null);
