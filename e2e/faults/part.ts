import type { SystemFile } from '@witan/stack';
import type { FaultSystem } from './open-running-system.ts';
import type { Random } from './random.ts';

/** What a part gets from the runner. */
export type Lab = {
  /** Folder of the system's state and logs. */
  home: string;
  random: Random;
  /** Everything that the part opens; closed after its last round. */
  resources: AsyncDisposableStack;
  /**
   * Starts a system with one process per service. A nats-server is found only if `env` has a
   * `PATH`.
   */
  openSystem: (env: Readonly<Record<string, string>>) => Promise<FaultSystem & SystemFile>;
};

/** Measurements of one round, for table and result file, and what was wrong. */
export type RoundOutcome = { figures: object; violations: readonly string[] };

/** One fault, or one other disturbance, under load. */
export type Round = {
  name: string;
  /** Set if the round runs even if others were selected, because they depend on it. */
  isRequired?: true;
  run: () => Promise<RoundOutcome>;
};

/** A load, its rounds, and the violations that are searched for in what they leave behind. */
export type Part = {
  /** Shown by `--help`. */
  summary: string;
  open: (lab: Lab) => Promise<OpenPart>;
};

export type OpenPart = {
  /** The next round is requested after the one before has run. */
  rounds: Iterable<Round> | AsyncIterable<Round>;
  /** Checks everything that the rounds have stored. Called once, after the last round. */
  finish: () => Promise<RoundOutcome>;
};
