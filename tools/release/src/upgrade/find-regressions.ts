import type { Step } from './run-upgrade.ts';

export const findRegressions = ([first, ...later]: readonly Step[]): string[] =>
  later.flatMap(({ state, faults }) =>
    [...faults]
      .filter(([name]) => first?.faults.has(name) === false)
      .map(([name, fault]) => `${state}: ${name}: ${fault}`),
  );
