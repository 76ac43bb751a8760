import type { TestCounts } from './count-reporter.ts';

export type EndedRun = {
  counts: TestCounts | undefined;
  progress: (TestCounts & { files: number }) | undefined;
  code: number | null;
  signal: NodeJS.Signals | null;
};

export function describeEnd(run: EndedRun): {
  counts: TestCounts | undefined;
  problem?: string;
};
