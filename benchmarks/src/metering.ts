export type Metering = 'unmetered' | 'metered';

/** Opening balance; more tokens than a run uses, so that no call is refused or shortened. */
const OPENING_CREDIT = 1_000_000_000_000;

export const meteringEnv = (metering: Metering): Record<string, string> => ({
  METERING: metering,
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
});

/** Token usage of every call of the ledger benchmark: 230 for the prompt and 90 for the answer. */
export const CALL_TOKENS = 320;
