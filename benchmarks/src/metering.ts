export type Metering = 'unmetered' | 'metered';

/** Opening balance; more tokens than a run uses, so that no call is refused or shortened. */
const OPENING_CREDIT = 1_000_000_000_000;

export const meteringEnv = (metering: Metering): Record<string, string> => ({
  METERING: metering,
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
});
