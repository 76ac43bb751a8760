/** How calls are paid for: `METERING`. */
export type Metering = 'unmetered' | 'metered';

/** Tokens for more calls than any run makes: nobody is refused, and no answer is made shorter. */
const OPENING_CREDIT = 1_000_000_000_000;

/** What a service's environment says about it. */
export const meteringEnv = (metering: Metering): Record<string, string> => ({
  METERING: metering,
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
});
