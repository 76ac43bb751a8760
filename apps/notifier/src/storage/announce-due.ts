import type { Transaction } from '@witan/service-kit';

/** SQL of the channel's name. Channels are global to the database, which services share. */
export const DUE_CHANNEL_SQL = `'notifier_due'`;

/** Wakes the delivery workers of all replicas when the transaction commits. */
export const announceDue = async (em: Transaction): Promise<void> => {
  await em.execute(`SELECT pg_notify(${DUE_CHANNEL_SQL}, '')`);
};
