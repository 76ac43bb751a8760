import type { Transaction } from '@witan/service-kit';

/** Of the whole database, which other services share. */
export const DUE_CHANNEL = 'notifier_due';

/** Tells every replica that there is something to send, once the transaction is committed. */
export const announceDue = async (em: Transaction): Promise<void> => {
  await em.execute(`SELECT pg_notify('${DUE_CHANNEL}', '')`);
};
