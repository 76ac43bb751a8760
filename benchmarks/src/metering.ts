export type Metering = 'unmetered' | 'metered';

/** Exceeds the tokens of any run, so that the balance refuses and shortens no call. */
const OPENING_CREDIT = 1_000_000_000_000;

export const meteringEnv = (metering: Metering): Record<string, string> => ({
  METERING: metering,
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
});
