import type { Transaction } from '@witan/service-kit';

/** SQL that names the channel: of the whole database, which other services share. */
export const DUE_CHANNEL_SQL = `'notifier_due'`;

/** Tells every replica that there is something to send, once the transaction is committed. */
export const announceDue = async (em: Transaction): Promise<void> => {
  await em.execute(`SELECT pg_notify(${DUE_CHANNEL_SQL}, '')`);
};
