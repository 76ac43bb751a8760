import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { CertificateDraft, WriteBatch } from '@witan/contracts';
import { LedgerService } from '@witan/contracts/services';
import {
  createChannel,
  createDispatcher,
  createInProcessTransport,
  createLog,
  implement,
} from '@witan/service-kit';
import type { Channel } from '@witan/service-kit';
import { watchTimers } from '@witan/testing';
import { createLedgerWriter } from './ledger-writer.ts';
import type { LedgerWriter } from './ledger-writer.ts';

type Receipt = {
  sequence: number;
  outcome?:
    | { case: 'reserved'; value: { held?: bigint } }
    | { case: 'appended'; value: { proofId: string } }
    | { case: 'error'; value: { reason: string; message: string } };
};
type Session = {
  batches: WriteBatch[];
  answers: Channel<{ receipts: Receipt[] }>;
  /** Resolves when the writer ends the stream, if the ledger reads it. */
  ended: Promise<void>;
};

const settleTicks = async (): Promise<void> => {
  for (let tick = 0; tick < 5; tick += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
};

const openScriptedLedger = (options: { reads: boolean } = { reads: true }) => {
  const sessions: Session[] = [];
  const dispatcher = createDispatcher({
    implementations: [
      implement(LedgerService, {
        write: (batches) => {
          const answers = createChannel<{ receipts: Receipt[] }>(10_000);
          const ended = Promise.withResolvers<void>();
          const session: Session = { batches: [], answers, ended: ended.promise };
          sessions.push(session);
          const read = async (): Promise<void> => {
            for await (const batch of batches) session.batches.push(batch);
            ended.resolve();
          };
          if (options.reads) void read();
          return answers;
        },
      }),
    ],
    callers: { 'llm-gateway': { LedgerService: ['Write'] } },
    log: createLog({ service: 'ledger', level: 'silent', destination: { write: () => {} } }),
  });
  const transport = createInProcessTransport({
    caller: 'llm-gateway',
    dispatcher: () => dispatcher,
  });
  return { sessions, writer: createLedgerWriter(transport) };
};

const HASH = 'ab'.repeat(32);
const draftOf = (proofId: string): CertificateDraft => ({
  proofId,
  address: {
    requested: 'm',
    kind: 'model',
    model: 'm',
    agent: '',
    knowledge: false,
    sensitive: false,
  },
  requestSha256: HASH,
  egress: { provider: 'p', model: 'm', sha256: HASH, masked: 0, categories: [], uninspected: 0 },
  answer: {
    sha256: HASH,
    finishReason: 'stop',
    usage: { promptTokens: 3, completionTokens: 1, totalTokens: 4, estimated: false },
  },
  routing: { taskType: 'chat', reason: 'passthrough' },
  lostProofId: '',
  apiKeyId: '',
});
const RESERVATION = { expiresInMs: 1_000, amount: 30, minimum: 10 };
const reserveMany = (writer: LedgerWriter, count: number): Promise<unknown>[] =>
  Array.from({ length: count }, (_, n) =>
    writer.reserve('ws_a', { ...RESERVATION, intent: draftOf(`pf_${n}`) }),
  );
const sequencesOf = ({ batches }: Session): number[] =>
  batches.flatMap(({ writes }) => writes.map(({ sequence }) => sequence));
const toAppended = (sequence: number, proofId: string): Receipt => ({
  sequence,
  outcome: { case: 'appended', value: { proofId } },
});
const reserved = (sequence: number): Receipt => ({
  sequence,
  outcome: { case: 'reserved', value: {} },
});
const outcomesOf = async (writes: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(writes)).map((item) =>
    item.status === 'fulfilled' ? 'durable' : String(item.reason.reason),
  );

describe('the ledger writer', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('sends the writes of one event-loop tick as one batch, over one stream', async () => {
    const { sessions, writer } = openScriptedLedger();
    const first = [...reserveMany(writer, 5), writer.release('ws_b', 'pf_x')];
    await settleTicks();
    const second = [writer.append('ws_a', draftOf('pf_1'))];
    await settleTicks();
    expect(sessions).toHaveLength(1);
    expect(sessions[0]!.batches.map(({ writes }) => writes.length)).toEqual([6, 1]);
    const [batch] = sessions[0]!.batches;
    expect(batch!.writes[0]).toMatchObject({
      workspaceId: 'ws_a',
      action: {
        case: 'reserve',
        value: { proofId: 'pf_0', amount: 30n, minimum: 10n, expiresInMs: 1_000 },
      },
    });
    expect(batch!.writes[5]!.action).toMatchObject({ case: 'release' });
    const receipts = [1, 2, 3, 4, 5, 6].map(reserved);
    void sessions[0]!.answers.push({ receipts: [...receipts, toAppended(7, 'pf_1')] });
    expect(await outcomesOf([...first, ...second])).toEqual(Array(7).fill('durable'));
  });

  it('returns the id of the certificate stored', async () => {
    const { sessions, writer } = openScriptedLedger();
    const appends = [
      writer.append('ws_a', draftOf('pf_1')),
      writer.append('ws_a', draftOf('pf_answer'), 'pf_2'),
      writer.append('ws_a', draftOf('pf_answer'), 'pf_3'),
    ];
    await settleTicks();
    const ids = sessions[0]!.batches[0]!.writes.map(({ action }) =>
      action.case === 'append' ? [action.value.draft!.proofId, action.value.reservationId] : [],
    );
    expect(ids).toEqual([
      ['pf_1', 'pf_1'],
      ['pf_answer', 'pf_2'],
      ['pf_answer', 'pf_3'],
    ]);
    const storedIds = ['pf_1', 'pf_answer', 'pf_3'];
    const receipts = sequencesOf(sessions[0]!).map((n, index) => toAppended(n, storedIds[index]!));
    void sessions[0]!.answers.push({ receipts });
    expect(await Promise.all(appends)).toEqual(storedIds);
  });

  it('returns the held tokens of a reservation, and undefined if calls are not metered', async () => {
    const { sessions, writer } = openScriptedLedger();
    const writes = Promise.all(reserveMany(writer, 2));
    await settleTicks();
    const [first, second] = sequencesOf(sessions[0]!);
    const heldReceipt: Receipt = {
      sequence: first!,
      outcome: { case: 'reserved', value: { held: 20n } },
    };
    void sessions[0]!.answers.push({ receipts: [heldReceipt, reserved(second!)] });
    expect(await writes).toEqual([20, undefined]);
  });

  it('matches receipts to their writes in any order', async () => {
    const { sessions, writer } = openScriptedLedger();
    const writes = reserveMany(writer, 4);
    await settleTicks();
    const [session] = sessions;
    const [firstSequence, secondSequence, thirdSequence, fourthSequence] = sequencesOf(session!);
    const refusedReceipt: Receipt = {
      sequence: thirdSequence!,
      outcome: { case: 'error', value: { reason: 'CONFLICT', message: 'used' } },
    };
    void session!.answers.push({ receipts: [reserved(fourthSequence!), refusedReceipt] });
    void session!.answers.push({
      receipts: [reserved(secondSequence!), reserved(999), reserved(firstSequence!)],
    });
    expect(await outcomesOf(writes)).toEqual(['durable', 'durable', 'CONFLICT', 'durable']);
  });

  it.each([
    ['breaks', ({ answers }: Session) => answers.fail(new Error('connection lost'))],
    ['ends without receipts', ({ answers }: Session) => answers.end()],
  ])('sends pending writes once more when the stream %s', async (_ending, endStream) => {
    const { sessions, writer } = openScriptedLedger();
    const pendingWrites = reserveMany(writer, 3);
    await settleTicks();
    endStream(sessions[0]!);
    await settleTicks();
    expect(sessions).toHaveLength(2);
    const [sent, resent] = sessions.map(({ batches }) =>
      batches.flatMap(({ writes }) => writes.map(({ action }) => action)),
    );
    expect(resent).toEqual(sent);
    void sessions[1]!.answers.push({ receipts: sequencesOf(sessions[1]!).map(reserved) });
    expect(await outcomesOf(pendingWrites)).toEqual(Array(3).fill('durable'));
  });

  it('rejects pending writes when the second stream is lost too, and opens another for the next', async () => {
    const { sessions, writer } = openScriptedLedger();
    const pendingWrites = reserveMany(writer, 3);
    await settleTicks();
    sessions[0]!.answers.fail(new Error('connection lost'));
    await settleTicks();
    sessions[1]!.answers.end();
    expect(await outcomesOf(pendingWrites)).toEqual(Array(3).fill('LEDGER_UNAVAILABLE'));
    const next = reserveMany(writer, 1);
    await settleTicks();
    expect(sessions).toHaveLength(3);
    void sessions[2]!.answers.push({ receipts: sequencesOf(sessions[2]!).map(reserved) });
    expect(await outcomesOf(next)).toEqual(['durable']);
  });

  it('rejects at once when there is no ledger', async () => {
    const transport = createInProcessTransport({
      caller: 'llm-gateway',
      dispatcher: () => undefined,
    });
    const writer = createLedgerWriter(transport);
    expect(await outcomesOf(reserveMany(writer, 2))).toEqual(Array(2).fill('LEDGER_UNAVAILABLE'));
  });

  it('rejects only the write that has no receipt after five seconds', async () => {
    using timers = watchTimers(5_000);
    const { sessions, writer } = openScriptedLedger();
    const earlyWrites = reserveMany(writer, 1);
    await settleTicks();
    jest.advanceTimersByTime(3_000);
    const lateWrites = reserveMany(writer, 1);
    await settleTicks();
    jest.advanceTimersByTime(2_000);
    expect(await outcomesOf(earlyWrites)).toEqual(['LEDGER_UNAVAILABLE']);
    const [first, second] = sequencesOf(sessions[0]!);
    // The receipt of the first write arrives after its timeout and is ignored.
    void sessions[0]!.answers.push({ receipts: [reserved(first!), reserved(second!)] });
    expect(await outcomesOf(lateWrites)).toEqual(['durable']);
    expect(timers.pendingCount()).toBe(0);
  });

  it('renews its stream every minute and still reads the receipts of the old one', async () => {
    const { sessions, writer } = openScriptedLedger();
    const before = reserveMany(writer, 1);
    await settleTicks();
    void sessions[0]!.answers.push({ receipts: sequencesOf(sessions[0]!).map(reserved) });
    expect(await outcomesOf(before)).toEqual(['durable']);
    jest.advanceTimersByTime(59_000);
    const lastWrites = reserveMany(writer, 1);
    await settleTicks();
    jest.advanceTimersByTime(1_001);
    const next = reserveMany(writer, 1);
    await settleTicks();
    await sessions[0]!.ended;
    expect(sessions).toHaveLength(2);
    for (const session of sessions) {
      void session.answers.push({ receipts: sequencesOf(session).map(reserved) });
    }
    expect(await outcomesOf([...lastWrites, ...next])).toEqual(['durable', 'durable']);
  });

  it('refuses further writes while a ledger that does not read has 1,024 batches', async () => {
    const { writer } = openScriptedLedger({ reads: false });
    const accepted: Promise<unknown>[] = [];
    for (let batch = 0; batch < 1_024; batch += 1) {
      accepted.push(...reserveMany(writer, 1));
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(await outcomesOf(reserveMany(writer, 2))).toEqual(Array(2).fill('LEDGER_UNAVAILABLE'));
    jest.advanceTimersByTime(5_000);
    expect(new Set(await outcomesOf(accepted))).toEqual(new Set(['LEDGER_UNAVAILABLE']));
  });

  it('waits for pending writes before it ends the stream', async () => {
    const { sessions, writer } = openScriptedLedger();
    const writes = reserveMany(writer, 2);
    let isClosed = false;
    const close = async (): Promise<void> => {
      await writer.close();
      isClosed = true;
    };
    const closing = close();
    await settleTicks();
    expect(isClosed).toBe(false);
    void sessions[0]!.answers.push({ receipts: sequencesOf(sessions[0]!).map(reserved) });
    expect(await outcomesOf(writes)).toEqual(['durable', 'durable']);
    await closing;
    await sessions[0]!.ended;
  });
});
