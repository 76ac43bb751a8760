import type { Step } from './run-upgrade.ts';

export const findRegressions = ([first, ...later]: readonly Step[]): string[] =>
  later.flatMap(({ state, failures }) =>
    [...failures]
      .filter(([name]) => first?.failures.has(name) === false)
      .map(([name, failure]) => `${state}: ${name}: ${failure}`),
  );
