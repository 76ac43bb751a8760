// Makes reservations and certificates over gRPC with the llm-gateway's ledger client. Arguments:
// PORT KEY_FILE.
import { createHash, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CertificateDraft } from '@witan/contracts';
import { createGrpcTransport, createTokenIssuer, newId } from '@witan/service-kit';
import { createLedgerWriter } from '@witan/llm-gateway/ledger-writer';
import { runClosedLoop } from '../load/run-closed-loop.ts';
import type { LoadLimits, LoadResult } from '../load/run-closed-loop.ts';
import { serveProgram } from '../program/serve-program.ts';
import { CALL_TOKENS } from '../metering.ts';

/**
 * `certify` makes a reservation and then its certificate. `reserve` makes reservations until
 * `limits.maxCalls` are unused. `append` makes the certificates of unused reservations, and
 * `release` releases them.
 */
export type CertifyCommand = {
  kind: 'certify' | 'reserve' | 'append' | 'release';
  limits: LoadLimits;
  /** Ids of the workspaces; calls use them in round-robin order. */
  workspaceIds: readonly string[];
};

/** The result of a load, and the certified proof ids by workspace. */
export type CertifyResult = { result: LoadResult; ids: Readonly<Record<string, string[]>> };

const [port, keyFile] = process.argv.slice(2) as [string, string];
/**
 * Values of each reservation. A reservation expires only after the run, so that the ledger's
 * sweeper ignores it.
 */
const RESERVATION = { expiresInMs: 60 * 60_000, amount: 1_230, minimum: 231 };
/** Concurrency of `reserve` and `release`, which are not measured. */
const UNMEASURED_CONCURRENCY = 200;

const transport = createGrpcTransport({
  address: `127.0.0.1:${port}`,
  token: createTokenIssuer({
    caller: 'llm-gateway',
    audience: 'ledger',
    privateKey: createPrivateKey(readFileSync(keyFile)),
  }),
});
const ledgerWriter = createLedgerWriter(transport);
const reserved: { workspaceId: string; draft: CertificateDraft }[] = [];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the draft of a certificate for a plain chat completion. */
const makeDraft = (): CertificateDraft => {
  const proofId = newId('pf');
  const model = 'gpt-bench';
  const hash = sha256(proofId);
  const usage = { promptTokens: 230, completionTokens: 90, totalTokens: CALL_TOKENS };
  return {
    proofId,
    address: {
      requested: model,
      kind: 'model',
      model,
      agent: '',
      knowledge: false,
      sensitive: false,
    },
    requestSha256: hash,
    egress: { provider: 'openai', model, sha256: hash, masked: 0, categories: [], uninspected: 0 },
    answer: { sha256: hash, finishReason: 'stop', usage: { ...usage, estimated: false } },
    routing: { taskType: 'chat', reason: 'passthrough' },
    lostProofId: '',
    apiKeyId: '',
  };
};

const run = async ({ kind, limits, workspaceIds }: CertifyCommand): Promise<CertifyResult> => {
  const ids = Object.fromEntries(workspaceIds.map((id): [string, string[]] => [id, []]));
  let calls = 0;
  const makeNextDraft = (): (typeof reserved)[number] => {
    calls += 1;
    return { workspaceId: workspaceIds[calls % workspaceIds.length]!, draft: makeDraft() };
  };
  const call = async (): Promise<undefined> => {
    const isReserved = kind === 'append' || kind === 'release';
    const one = isReserved ? reserved.pop()! : makeNextDraft();
    const { workspaceId, draft } = one;
    if (kind === 'release') {
      await ledgerWriter.release(workspaceId, draft.proofId);
      return;
    }
    if (!isReserved) await ledgerWriter.reserve(workspaceId, { ...RESERVATION, intent: draft });
    if (kind === 'reserve') {
      reserved.push(one);
      return;
    }
    await ledgerWriter.append(workspaceId, draft);
    ids[workspaceId]!.push(draft.proofId);
  };
  return { result: await runClosedLoop(limitsOf(kind, limits), call), ids };
};

const limitsOf = (kind: CertifyCommand['kind'], limits: LoadLimits): LoadLimits => {
  if (kind === 'append') return { ...limits, maxCalls: reserved.length };
  if (kind === 'certify') return limits;
  const maxCalls = kind === 'release' ? reserved.length : limits.maxCalls - reserved.length;
  return { inFlight: UNMEASURED_CONCURRENCY, maxMs: Number.POSITIVE_INFINITY, maxCalls };
};

serveProgram({
  ready: {},
  answer: run,
  stop: async () => {
    await ledgerWriter.close();
    await transport.close();
  },
});
