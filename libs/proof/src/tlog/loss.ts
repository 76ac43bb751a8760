/**
 * Epochs, from `first` to `last`, whose tree heads the operator of a log has lost, for example
 * because a backup of the database was restored. Their entries are in the log, but can no longer be
 * opened.
 */
export type Loss = { first: number; last: number };

/** Returns the entry of the log that states a loss. It is no epoch, so no bundle can rest on it. */
export function lossEntry({ first, last }: Loss): string {
  return `witan-loss/v1\n${first}\n${last}\n`;
}

const LOSS_ENTRY = /^witan-loss\/v1\n(0|[1-9]\d{0,14})\n(0|[1-9]\d{0,14})\n$/;

/** Returns the loss that the entry with index `n` states; undefined if it is not one of before. */
export function parseLoss(entry: string, n: number): Loss | undefined {
  const match = LOSS_ENTRY.exec(entry);
  if (!match) return undefined;
  const [first, last] = [Number(match[1]), Number(match[2])];
  return first <= last && last < n ? { first, last } : undefined;
}
