import { ServiceError } from '@witan/contracts';
import type { LocalLedger } from '@witan/contracts';
import { captureTrace, captureTracer, withSpan } from '@witan/service-kit';
import type { Call } from '@witan/service-kit';
import { checkDraft } from '../../chain/to-payload.ts';
import { checkWrite } from '../check-write.ts';
import type { LedgerWrite } from '../ledger-write.ts';
import type { LedgerWriter, Outcome } from '../ledger-writer.ts';

/**
 * Creates the function by which a service of the same process opens the ledger: each write is then
 * one call of a function. A draft is checked as a whole when its intent is stored; the draft that
 * is appended later is the caller's own and differs in its answer only.
 */
export const createLocalWrite =
  (ledgerWriter: Pick<LedgerWriter, 'write'>) =>
  async (_request: object, { stopping }: Pick<Call, 'stopping'>): Promise<LocalLedger> => {
    const write = openWrite(ledgerWriter, stopping);
    return {
      stopping,
      reserve: async (workspaceId, { intent, expiresInMs, amount, minimum }) => {
        const outcome = await write({
          kind: 'reserve',
          workspaceId,
          proofId: intent.proofId,
          amount: BigInt(amount),
          minimum: BigInt(minimum),
          intent: checkDraft(intent),
          expiresInMs,
        });
        const held = outcome.kind === 'reserved' ? outcome.held : undefined;
        return held === undefined ? undefined : Number(held);
      },
      append: async (workspaceId, draft, reservationId = draft.proofId) => {
        const { proofId } = draft;
        const outcome = await write({ kind: 'append', workspaceId, proofId, reservationId, draft });
        return outcome.kind === 'appended' ? outcome.certificate.id : proofId;
      },
      release: async (workspaceId, proofId) => {
        await write({ kind: 'release', workspaceId, proofId });
      },
    };
  };

/** Returns a function that checks and writes, within a span if anything is exported. */
const openWrite = (
  ledgerWriter: Pick<LedgerWriter, 'write'>,
  stopping: AbortSignal,
): ((write: LedgerWrite) => Promise<Outcome>) => {
  const inTracer = captureTracer();
  return (write) => {
    if (stopping.aborted) throw new ServiceError('LEDGER_UNAVAILABLE', 'The ledger is stopping.');
    checkWrite(write);
    if (!inTracer) return ledgerWriter.write(write);
    const attributes = { 'witan.workspace.id': write.workspaceId, 'witan.write': write.kind };
    return inTracer(() =>
      withSpan({ name: `write ${write.kind}`, role: 'server', attributes }, () =>
        ledgerWriter.write({ ...write, trace: captureTrace() }),
      ),
    );
  };
};
