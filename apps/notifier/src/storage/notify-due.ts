import type { Transaction } from '@witan/service-kit';

/** The channel name as an SQL literal. Channels are shared by all services in the database. */
export const DUE_CHANNEL_SQL = `'notifier_due'`;

/** Wakes the delivery workers of all replicas when the transaction commits. */
export const notifyDue = async (em: Transaction): Promise<void> => {
  await em.execute(`SELECT pg_notify(${DUE_CHANNEL_SQL}, '')`);
};
