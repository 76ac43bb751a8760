import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { createFakeProvider } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import { chatFrames, streamOf } from '../../test/provider-answers.ts';
import type { LedgerClient, Reservation } from '@witan/contracts';

type ReserveHandler = (reservation: Reservation) => number | undefined;

const openMetered = (hold: ReserveHandler, names = ['a'], isMetered = true) => {
  const reservations: Reservation[] = [];
  const reserve: LedgerClient['reserve'] = async (_workspaceId, reservation) => {
    reservations.push(reservation);
    return hold(reservation);
  };
  const bodies: Record<string, unknown>[] = [];
  const providers = names.map((name) =>
    createFakeProvider({
      name,
      reply: ({ body }) => {
        bodies.push(JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>);
        return streamOf(chatFrames());
      },
    }),
  );
  const completions = openCompletions({ providers, ledger: { reserve }, isMetered });
  return { ...completions, reservations, bodies };
};

const rejectReserve =
  (reason: 'INSUFFICIENT_QUOTA' | 'RATE_LIMITED', code = '') =>
  (): never => {
    throw new ServiceError(reason, 'no', code ? { fields: { code } } : {});
  };

describe('a call', () => {
  it('reserves its longest answer if metered, and gets a missing output limit', async () => {
    const { read, reservations, bodies } = openMetered(({ amount }) => amount);
    expect((await read()).failure).toBe('');
    const [{ amount, minimum }] = reservations as [Reservation];
    expect(amount - minimum).toBe(99);
    expect(bodies).toEqual([expect.objectContaining({ max_tokens: 100 })]);
  });

  it('gets a lower output limit when fewer tokens are available', async () => {
    const { read, reservations, bodies, certified } = openMetered(({ amount, minimum }) =>
      Math.min(amount, Math.max(minimum, 40)),
    );
    expect((await read()).failure).toBe('');
    const [firstReservation, secondReservation] = reservations as [Reservation, Reservation];
    const held = Math.max(firstReservation.minimum, 40);
    expect(reservations).toHaveLength(2);
    expect(secondReservation).toMatchObject({ amount: held, minimum: held });
    const promptTokens = firstReservation.minimum - 1;
    expect(bodies).toEqual([expect.objectContaining({ max_tokens: held - promptTokens })]);
    // The second intent and the certificate commit to the sent bytes, which have a lower output
    // limit.
    expect(secondReservation.intent.egress.sha256).not.toBe(firstReservation.intent.egress.sha256);
    expect(certified[0]!.egress.sha256).toBe(secondReservation.intent.egress.sha256);
  });

  it.each([
    ['INSUFFICIENT_QUOTA', rejectReserve('INSUFFICIENT_QUOTA')],
    ['RATE_LIMITED', rejectReserve('RATE_LIMITED', 'balance_held')],
  ] as const)('is refused with %s before a provider or fallback is called', async (...refusal) => {
    const [reason, hold] = refusal;
    const { read, log } = openMetered(hold, ['a', 'b']);
    expect((await read()).failure).toBe(reason);
    expect(log).toEqual(['reserve ws_a pf_1 25000']);
  });

  it('goes on to the next target when an earlier try released this attempt', async () => {
    const { read, log } = openMetered(
      ({ intent, amount }) => {
        if (intent.proofId !== 'pf_1') return amount;
        throw new ServiceError('CONFLICT', 'used', { fields: { code: 'proof_id_released' } });
      },
      ['a', 'b'],
    );
    expect((await read()).failure).toBe('');
    expect(log.slice(0, 3)).toEqual([
      'reserve ws_a pf_1 25000',
      'reserve ws_a pf_1f1 25000',
      'send b',
    ]);
  });

  it('is released when its output limit cannot be lowered', async () => {
    let round = 0;
    const { read, log } = openMetered(({ minimum }) => {
      round += 1;
      if (round === 2) throw new ServiceError('LEDGER_UNAVAILABLE', 'down');
      return minimum;
    });
    expect((await read()).failure).toBe('LEDGER_UNAVAILABLE');
    expect(log.at(-1)).toBe('release pf_1');
  });

  it('keeps the client’s bytes when calls are not metered', async () => {
    const { read, bodies } = openMetered(() => undefined, ['a'], false);
    await read();
    expect(bodies[0]).not.toHaveProperty('max_tokens');
  });
});
