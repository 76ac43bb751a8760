import { conflict, isServiceError, ServiceError } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { repeatEvery } from '@witan/service-kit';
import type { Client, Log } from '@witan/service-kit';
import { chooseClaimOutcome, readAttemptState } from '../idempotency/choose-claim-outcome.ts';
import type { AttemptState } from '../idempotency/choose-claim-outcome.ts';
import { hashCall, parseIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { Claim, IdempotencyRecords, StoredResponse } from '../idempotency/records.ts';
import { bufferResponse } from './buffer-response.ts';
import { createDetachedCalls } from './detached-calls.ts';
import type { BufferedResponse } from './buffer-response.ts';
import { optionsOf } from '../http/route.ts';
import type { Reply, Route, RouteCall } from '../http/route.ts';

export type Respond = (work: () => Promise<Reply | undefined>) => Promise<void>;

/**
 * Handles a call with an `Idempotency-Key` whose response is not streamed, and answers it. Only one
 * of several concurrent calls with the same key runs, and the others get CONFLICT. A retry gets the
 * stored response. It runs again after a failure that left none, and gets CONFLICT if the call was
 * carried out but its response was lost.
 */
export type RunOnce = (route: Route, call: RouteCall, respond: Respond) => Promise<void>;

type RunOnceOptions = {
  records: IdempotencyRecords;
  isCertified: (call: RouteCall, proofId: string) => Promise<boolean>;
  newId: (prefix: string) => string;
  /** Duration of the lease of a native call; longer than any may take. */
  leaseMs: number;
  /** Interval at which the short leases of other running calls are prolonged. */
  heartbeatMs?: number;
  log: Log;
};

/**
 * Maximum size of a stored response. A larger response is sent but not stored, so a retry cannot
 * get it.
 */
const STORED_BYTES_MAX = 16 * 1024 * 1024;

const HEARTBEAT_MS = 5_000;
/**
 * A lease outlasts three heartbeats that fail. After a crash, a retry of a completion is refused
 * for at most this time; then the ledger reports what became of the call.
 */
const HEARTBEATS_PER_LEASE = 4;

/**
 * Creates the function that runs calls with an `Idempotency-Key` (README, Life of an idempotent
 * call). Such a call continues when its client disconnects, because the client may retry to get the
 * response.
 */
export const createRunOnce = (
  options: RunOnceOptions,
): { runOnce: RunOnce; stop: () => Promise<void> } => {
  const { records, log, heartbeatMs = HEARTBEAT_MS } = options;
  const detachedCalls = createDetachedCalls();
  const beating = new Set<Claim>();
  const heartbeatLeaseMs = heartbeatMs * HEARTBEATS_PER_LEASE;
  const heartbeat = repeatEvery(
    heartbeatMs,
    () => records.extend([...beating], heartbeatLeaseMs),
    (err) =>
      log.warn(
        { event: 'idempotency_heartbeat_failed', err },
        'Could not prolong the leases of idempotent calls, will retry',
      ),
  );
  const runOnce: RunOnce = async (route, call, respond) => {
    // Calls of a dialect have one proof id, which the ledger accepts once. A native call may be one
    // that would have its effect twice if it were repeated while the first goes on elsewhere.
    const isCertified = route.surface !== 'native';
    const leaseMs = isCertified ? heartbeatLeaseMs : options.leaseMs;
    const claim = await claimOrReplay(call, { ...options, leaseMs });
    if (!claim) return;
    Object.assign(call, { proofId: claim.proofId, signal: detachedCalls.signal });
    if (isCertified) beating.add(claim);
    const running = runClaimed(route, call, claim, { respond, ...options });
    await detachedCalls.track(running.finally(() => beating.delete(claim)));
  };
  const stop = async (): Promise<void> => {
    await detachedCalls.stop();
    await heartbeat.stop();
  };
  return { runOnce, stop };
};

const claimOrReplay = async (
  call: RouteCall,
  options: RunOnceOptions,
): Promise<Claim | undefined> => {
  const { records, newId, leaseMs } = options;
  const { request, response, source } = call;
  const { workspaceId, keyId } = call.principal!;
  const result = await records.claim({
    workspaceId,
    key: parseIdempotencyKey(String(request.headers['idempotency-key'])),
    requestHash: hashCall({ keyId, method: request.method, url: request.originalUrl, source }),
    claimId: newId('idm'),
    proofId: newId('pf'),
    leaseMs,
  });
  if (result.kind === 'claimed') return result.claim;
  if (result.kind === 'running') throw inProgress();
  if (result.kind === 'reused') throw keyReused();
  if (result.kind === 'unreadable') {
    const { proofId } = result;
    throw responseLost(call, (await options.isCertified(call, proofId)) ? proofId : undefined);
  }
  const { status, headers, body } = result.response;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('idempotency-replayed', 'true');
  response.status(status).end(body);
  return undefined;
};

/**
 * Handles a claimed call and writes its record before it sends the response, unless the response is
 * too large to buffer.
 */
const runClaimed = async (
  { handle }: Route,
  call: RouteCall,
  claim: Claim,
  { respond, ...options }: RunOnceOptions & { respond: Respond },
): Promise<void> => {
  let attemptState: AttemptState | undefined;
  let isUnsent = false;
  const buffer = bufferResponse(call.response, STORED_BYTES_MAX);
  await respond(async () => {
    try {
      return await handle(call);
    } catch (error) {
      const fields = isServiceError(error) ? error.fields : {};
      attemptState = readAttemptState(fields.code);
      // `unsent` describes this attempt only; an earlier attempt under the same proof id may have
      // sent something.
      isUnsent = !attemptState && claim.isFresh && fields.unsent === 'true';
      // The error's proof id takes precedence, because the certificate may be that of a fallback,
      // which has its own proof id.
      if (attemptState === 'lost') throw responseLost(call, fields.proof ?? claim.proofId);
      if (attemptState === 'running') throw inProgress();
      throw error;
    }
  });
  const { buffered, isTooLarge } = buffer;
  try {
    await storeResponse(buffered, claim, { attemptState, isUnsent, isTooLarge, ...options });
  } catch (err) {
    // The response may have been paid for, so it is sent although it is not stored. After the lease
    // expires, a retry uses the same proof id.
    options.log.error(
      { event: 'idempotency_record_write_failed', err, requestId: call.requestId },
      'Could not write the record of an idempotent call',
    );
  }
  buffer.send();
};

type CallState = {
  attemptState: AttemptState | undefined;
  isUnsent: boolean;
  isTooLarge: boolean;
};

const storeResponse = async (
  buffered: BufferedResponse | undefined,
  claim: Claim,
  { records, log, ...state }: RunOnceOptions & CallState,
): Promise<void> => {
  const { workspaceId } = claim;
  if (state.isTooLarge) {
    log.warn(
      { event: 'idempotent_response_too_large', workspaceId, bytesMax: STORED_BYTES_MAX },
      'The response of an idempotent call is too large to store',
    );
  }
  if (state.isTooLarge) return await records.markLost(claim);
  if (state.attemptState === 'unsent') return await records.discard(claim);
  // If the response was not completed, the client saw a failure, so the call counts as failed with
  // a 500.
  const { status = 500, headers = {}, body } = buffered ?? {};
  const proofId = headers['x-service-proof'];
  const outcome =
    state.attemptState === 'lost' ? 'finish' : chooseClaimOutcome({ status, proofId, ...state });
  if (outcome !== 'finish') return await records[outcome](claim);
  const stored: StoredResponse = { status, headers: pickHeaders(headers), body: body! };
  if (await records.finish(claim, stored)) return;
  log.warn(
    { event: 'idempotency_claim_lost', workspaceId },
    'An idempotent call lost its claim, its response is not stored',
  );
};

/** Headers that are stored with a response; others, such as the request id, are not. */
const STORED_HEADER = /^(content-type|cache-control|retry-after|x-should-retry|x-service-.*)$/;

const pickHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => STORED_HEADER.test(name)));

const inProgress = (): ServiceError =>
  conflict('A call with this Idempotency-Key is still running; ask again in a moment.', {
    code: 'idempotency_in_progress',
    retryAfter: '1',
  });

const keyReused = (): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key stands for another call (API key, method, path or body); use a new one.',
  );

const responseLost = ({ response }: RouteCall, proof: string | undefined): ServiceError => {
  // Official clients retry after a 409 and would get this response again.
  response.setHeader('x-should-retry', 'false');
  return conflict(
    'The call of this Idempotency-Key was carried out, but its answer was lost; use a new key.',
    { code: 'idempotency_answer_lost', ...(proof ? { proof } : {}) },
  );
};

export const createIsCertified =
  (certificates: Client<typeof CertificateService>) =>
  async (call: RouteCall, proofId: string): Promise<boolean> => {
    try {
      await certificates.getCertificate({ proofId }, optionsOf(call));
      return true;
    } catch (error) {
      if (isServiceError(error) && error.reason === 'NOT_FOUND') return false;
      throw error;
    }
  };
