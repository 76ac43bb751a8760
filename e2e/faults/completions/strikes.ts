import type { Strike } from '../strike.ts';

/** A strike that is repeated under load, each time after the system has recovered. */
export type CompletionStrike = Strike & {
  name: string;
  times: number;
  /**
   * When to send the signal; by default at a random moment. `answered`: just after the provider has
   * sent a response, so that the process is killed while it writes the certificate or responds to
   * the client.
   */
  moment?: 'answered';
  /** Set if the load consists of clients that retry each call with the same `Idempotency-Key`. */
  isRetryStorm?: true;
};

type Options = Pick<CompletionStrike, 'moment' | 'isRetryStorm'>;

const kill = (
  targets: CompletionStrike['targets'],
  times: number,
  options: Options = {},
): CompletionStrike => ({
  name: [
    ...(options.isRetryStorm ? ['storm, '] : []),
    targets.length > 2 ? 'kill everything' : `kill ${targets.join(' and ')}`,
    ...(options.moment ? [' after an answer'] : []),
  ].join(''),
  targets,
  signal: 'SIGKILL',
  times,
  ...options,
});

const stop = (target: CompletionStrike['targets'][number]): CompletionStrike => ({
  name: `stop ${target}`,
  targets: [target],
  signal: 'SIGTERM',
  times: 2,
});

/**
 * All strikes, in their order. Retry storms come first, so that the leases of their killed
 * processes expire during the other strikes.
 */
export const COMPLETION_STRIKES: readonly CompletionStrike[] = [
  kill(['api-gateway'], 3, { moment: 'answered', isRetryStorm: true }),
  kill(['llm-gateway'], 3, { moment: 'answered', isRetryStorm: true }),
  kill(['ledger', 'postgres'], 2, { isRetryStorm: true }),
  kill(['llm-gateway'], 4, { moment: 'answered' }),
  kill(['ledger'], 4, { moment: 'answered' }),
  kill(['postgres'], 2, { moment: 'answered' }),
  kill(['ledger'], 3),
  kill(['llm-gateway'], 3),
  kill(['postgres'], 3),
  kill(['api-gateway'], 3),
  kill(['ledger', 'postgres'], 2),
  kill(['llm-gateway', 'ledger'], 2),
  kill(['api-gateway', 'llm-gateway', 'ledger', 'postgres'], 2),
  stop('ledger'),
  stop('llm-gateway'),
  stop('api-gateway'),
];
