export type Checks = Readonly<Record<string, () => Promise<void>>>;

export type Readiness = { ready: boolean; checks: Record<string, 'ok' | 'failing'> };

const CHECK_TIMEOUT_MS = 2_000;

/**
 * Runs all checks concurrently. The result names the failing checks but not the causes of their
 * failures.
 */
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
