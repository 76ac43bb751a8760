/** Named conditions for taking traffic; each rejects while it does not hold. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

export type Readiness = { ready: boolean; checks: Record<string, 'ok' | 'failing'> };

/** A check that does not answer in this time counts as failing, in milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** Runs all checks at the same time. Says which fail, never why: that is for the log. */
export const runChecks = async (checks: Checks): Promise<Readiness> => {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const),
  );
  return {
    ready: results.every(([, ok]) => ok),
    checks: Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failing'])),
  };
};

const passes = async (check: () => Promise<void>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  const result = check().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
