export type Metering = 'unmetered' | 'metered';

/** Exceeds the tokens of any run, so that no call is refused or shortened. */
const OPENING_CREDIT = 1_000_000_000_000;

export const meteringEnv = (metering: Metering): Record<string, string> => ({
  METERING: metering,
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
});
