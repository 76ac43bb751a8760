import type { Transaction } from '@witan/service-kit';

/**
 * Name of the notification channel as an SQL literal. It names the service, because all services in
 * the database share channels.
 */
export const DUE_CHANNEL_SQL = `'notifier_due'`;

/** Notifies the delivery workers of all replicas when the transaction commits. */
export const notifyDue = async (em: Transaction): Promise<void> => {
  await em.execute(`SELECT pg_notify(${DUE_CHANNEL_SQL}, '')`);
};
